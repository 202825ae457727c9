"""Where a project runs: platforms, containers, clusters, and the scripts that start it."""
