"""Commands that start programs, and what an interrupt means to them."""

from __future__ import annotations

from collections.abc import Callable

from dlint.verify.run.interrupts import INTERRUPTS


def listening(command: Callable[[], int]) -> int:
    """Run a command, and raise KeyboardInterrupt behind it where one came.

    An interrupt that comes while modules are imported may be lost or wrapped on its way: what is
    imported lies in the command for that.
    """
    with INTERRUPTS.listening():
        try:
            code = command()
        except Exception as error:
            if INTERRUPTS.came:
                raise KeyboardInterrupt from error
            raise
        if INTERRUPTS.came:
            raise KeyboardInterrupt
        return code
