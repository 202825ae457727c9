"""`dlint verify`: each fix run against the real training loop, and what came of it."""

from __future__ import annotations

import argparse

from dlint.cli.verify_arguments import add_arguments
from dlint.cli.verify_misplaced import misplaced
from dlint.verify.run.interrupts import INTERRUPTS

__all__ = ["add_arguments", "misplaced", "run"]


def run(namespace: argparse.Namespace) -> int:
    """Verify what was asked for. Returns the exit code. Raises UsageError.

    An interrupt that comes while modules are imported may be lost or wrapped on its way: what is
    imported lies in here for that.
    """
    with INTERRUPTS.listening():
        try:
            from dlint.cli.verify_run import verify

            code = verify(namespace)
        except Exception as error:
            if INTERRUPTS.came:
                raise KeyboardInterrupt from error
            raise
        if INTERRUPTS.came:
            raise KeyboardInterrupt
        return code
