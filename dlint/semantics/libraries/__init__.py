"""What libraries make of code: options, configuration trees, settings files, shell runs."""
