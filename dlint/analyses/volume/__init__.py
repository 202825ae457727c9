"""Volume: how many bytes, samples and numbers there are, each a range or not known."""
