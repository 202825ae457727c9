"""Errors that end a run, one for each exit code the user must be able to tell apart."""

from __future__ import annotations


class UsageError(Exception):
    """dlint was asked something it cannot do (exit code 2); the message says what and why."""


class DlintCrash(Exception):  # noqa: N818
    """dlint itself failed (exit code 3) while it analysed the file at `path`."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path
