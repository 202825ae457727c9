"""`python -m dlint`."""

import os
import sys


def _leave_the_working_directory() -> None:
    """Import nothing from the folder that `python -m` starts in: it is the one that is checked.

    Asked is with what Python has imported already. A folder that holds dlint itself stays.
    """
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    if not sys.flags.safe_path and os.path.abspath(sys.path[0]) != home:  # noqa: PTH100
        del sys.path[0]


if __name__ == "__main__":
    _leave_the_working_directory()
    from dlint.cli.main import entry

    entry()
