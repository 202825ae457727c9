"""Rules about files and the comments in them: these alone may read text."""
