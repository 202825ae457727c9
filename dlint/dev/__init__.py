"""Commands for those who develop dlint: `python -m dlint.dev COMMAND`."""
