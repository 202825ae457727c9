"""`dlint verify`: each fix run against the real training loop, and what came of it."""

from __future__ import annotations

import argparse

from dlint.cli.listening import listening
from dlint.cli.verify_arguments import add_arguments
from dlint.cli.verify_misplaced import misplaced

__all__ = ["add_arguments", "misplaced", "run"]


def run(namespace: argparse.Namespace) -> int:
    """Verify what was asked for. Returns the exit code. Raises UsageError."""

    def verified() -> int:
        from dlint.cli.verify_run import verify

        return verify(namespace)

    return listening(verified)
