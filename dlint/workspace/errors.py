"""Errors that end a run, one for each exit code the user must be able to tell apart."""

from __future__ import annotations


class UsageError(Exception):
    """dlint was asked something it cannot do (exit code 2); the message says what and why."""


class DlintCrash(Exception):  # noqa: N818
    """dlint itself failed (exit code 3).

    `path` is the file that it was looking at and `rule` the rule that it ran, as far as is known.
    """

    def __init__(self, path: str | None, rule: str | None = None) -> None:
        super().__init__(path, rule)
        self.path = path
        self.rule = rule
