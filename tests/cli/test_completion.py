"""Completion as a user has it: a real shell on a terminal, and the tabulator key."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dlint.cli import completion
from dlint.cli.main import COMMANDS

_SET_UP = {
    "bash": 'source ./_dlint; dlint() { echo "<$*>"; }',
    "zsh": 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; dlint() { echo "<$*>" }',
    "fish": 'source ./_dlint; function dlint; echo "<$argv>"; end',
}
"""The script is read as its user is told to, and the command says what it was given."""
_START = {"bash": ["--norc", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config", "-i"]}


class _Shell:
    """A shell on a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._descriptor, keys.encode())

    def wait_for(self, text: str) -> str:
        """What it printed until the text is there."""
        seen = b""
        while text.encode() not in seen:
            if not select.select([self._descriptor], [], [], 60)[0]:
                raise AssertionError(f"no {text!r} in {seen!r}")
            seen += os.read(self._descriptor, 65536)
        return seen.decode(errors="replace")


@contextmanager
def _terminal(shell: str, folder: Path) -> Iterator[_Shell]:
    """The shell in a folder, with nothing of the user's."""
    ours, theirs = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "PS1": ""}
    process = subprocess.Popen(
        [shell, *_START[shell]],
        cwd=folder,
        env=environment,
        preexec_fn=lambda: os.login_tty(theirs),
        pass_fds=[theirs],
    )
    os.close(theirs)
    try:
        yield _Shell(ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_a_shell_completes(run: Any, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    (tmp_path / "_dlint").write_text(run("completion", shell).out, "utf-8")
    (tmp_path / "script.py").touch()
    with _terminal(shell, tmp_path) as terminal:
        terminal.type(f"{_SET_UP[shell]}\necho rea''dy\n")
        terminal.wait_for("ready")
        for typed, completed in (
            ("chec\t--output-format js\t", "check --output-format json"),
            ("check --select missing-pin\t", "check --select missing-pin-memory"),
            ("rule DLT91\t", "rule DLT911"),
            ("config per-\t", "config per-file-ignores"),
            ("verify scr\t", "verify script.py"),
        ):
            terminal.type(f"dlint {typed}\n")
            assert f"<{completed}" in terminal.wait_for(">")


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_each_command_and_option_is_offered(run: Any, shell: str) -> None:
    script = run("completion", shell).out
    assert all(name in script for name in (*COMMANDS, "unsafe-fixes", "startup-limit"))
    assert "keep-loggers" in script
    assert "in-place" in script
    assert "--scratch" not in script
