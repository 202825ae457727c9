"""Commands for those who develop dlint: `python -m tests.tools COMMAND`."""
