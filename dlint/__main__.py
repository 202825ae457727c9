"""`python -m dlint`."""

from dlint.cli.main import entry

if __name__ == "__main__":
    entry()
