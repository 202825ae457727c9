"""The program that is measured, and the command that starts it."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from dlint.verify.plan.secrecy import shown
from dlint.workspace.errors import UsageError

__all__ = ["TargetScript", "shown"]


class TargetScript(NamedTuple):
    """A training script or module with its arguments, as the user starts it."""

    script: Path
    """The file that runs as `__main__`."""
    module: str | None = None
    """Its name, where it is started by `python -m`."""
    arguments: tuple[str, ...] = ()
    launcher: str | None = None
    """A command such as `torchrun --nproc-per-node 2`; `{script}` and `{args}` in it stand for
    the script and its arguments, which otherwise come last."""
    given: str = ""
    """The script as the user wrote it, which it finds in `sys.argv[0]`."""
    python: str = sys.executable
    """The interpreter that runs it."""

    def command(self) -> list[str]:
        """The words of the command. Raises UsageError for a launcher that is not there."""
        target = ["-m", self.module] if self.module is not None else [self._given()]
        if self.launcher is None:
            return [self.python, *target, *self.arguments]
        words = shlex.split(self.launcher)
        if not words:
            raise UsageError("`--launcher` is empty")
        words[0] = _found(words[0], self.python)
        if not any("{script}" in word for word in words):
            return [*words, *target, *self.arguments]
        filled: list[str] = []
        for word in words:
            filled += _filled(word, {"{script}": target, "{args}": list(self.arguments)})
        return filled

    def _given(self) -> str:
        return self.given or str(self.script)

    @property
    def name(self) -> str:
        """How the program is called in reports."""
        return self.module or self._given()


def _filled(word: str, values: Mapping[str, list[str]]) -> list[str]:
    """A word of the launcher with its names filled in; those within a word, such as the one behind
    `bash -c`, become one shell text."""
    if word in values:
        return values[word]
    for name, value in values.items():
        word = word.replace(name, shlex.join(value))
    return [word]


def _found(word: str, python: str) -> str:
    """The launcher's path: commands beside the script's Python come before those of the system."""
    if word == "python":
        return python
    beside = str(Path(python).parent)
    path = shutil.which(word, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
    if path is None:
        raise UsageError(f"there is no launcher `{word}`")
    return path
