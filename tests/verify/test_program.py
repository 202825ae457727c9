"""The command that starts a program, and where its temporary files are."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run.guard import Guard


@pytest.mark.parametrize(
    ("launcher", "words"),
    [
        ("python -u", [sys.executable, "-u", "train.py", "--x", "a b"]),
        ("python {script} -- {args}", [sys.executable, "train.py", "--", "--x", "a b"]),
        ("python -c 'run {script} {args}'", [sys.executable, "-c", "run train.py --x 'a b'"]),
        ("python --file={script}", [sys.executable, "--file=train.py"]),
    ],
)
def test_templates_of_launchers(launcher: str, words: list[str]) -> None:
    program = TargetScript(Path("train.py"), None, ("--x", "a b"), launcher, "train.py")
    assert program.command() == words


@pytest.mark.parametrize("length", [10, 60])
def test_sockets_of_a_program_have_room_for_their_paths(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tempfile.mkdtemp(prefix="x" * length, dir="/tmp")
    monkeypatch.setattr(tempfile, "tempdir", folder)
    try:
        with Guard() as guard:
            assert len(str(guard.folder)) < 55
            assert guard.folder.is_relative_to(folder) is (length == 10)
    finally:
        Path(folder).rmdir()
