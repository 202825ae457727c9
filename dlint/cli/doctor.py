"""`dlint doctor`: one run of a training script, and what binds it."""

from __future__ import annotations

import argparse

from dlint.cli.doctor_arguments import add_arguments
from dlint.cli.listening import listening
from dlint.cli.verify_misplaced import misplaced

__all__ = ["add_arguments", "misplaced", "run"]


def run(namespace: argparse.Namespace) -> int:
    """Examine what was asked for. Returns the exit code. Raises UsageError."""

    def examined() -> int:
        from dlint.cli.doctor_run import doctor

        return doctor(namespace)

    return listening(examined)
