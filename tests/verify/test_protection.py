"""What is said of the user's files before a run, and asked."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import pytest

from dlint.cli.main import main
from dlint.cli.verify_protection import Protection, protected
from dlint.verify.plan.target_script import TargetScript
from dlint.workspace.errors import UsageError

SCRIPT = "import torch\nprint('no loader')\n"


class Terminal(io.StringIO):
    """Somebody who answers."""

    def isatty(self) -> bool:
        """They do."""
        return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--view", "overlay"], "thrown away with each run (overlayfs)"),
        (["--scratch"], "thrown away"),
        (["--view", "landlock"], "the kernel refuses it (Landlock)"),
        (["--view", "redirect"], "programs that the script starts, reach these: "),
        (["--in-place"], "it writes where it always does: "),
    ],
)
def test_the_plan_tells_the_protection(
    folder: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "train.py", "--dry-run", "--self-test", *words]) == 0
    out = capsys.readouterr().out
    if words[0] != "--view" or words[1] == "redirect" or "(overlayfs)" in out:
        assert "files: " in out
        assert said in out
    if "reach these" in out or "--in-place" in words:
        assert str(Path.home()) in out


def test_what_cannot_be_kept_from_harm_is_not_run_without_being_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "train.py").write_text("open('ran', 'w')\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert main(["verify", "train.py", "--self-test", "--view", "redirect", "-q"]) == 2
    said = capsys.readouterr().err
    assert str(folder) in said
    assert "`--in-place` runs it all the same" in said
    assert not (folder / "ran").exists()


def _protected(folder: Path, in_place: bool = False) -> Protection:
    given = argparse.Namespace(in_place=in_place, view="redirect")
    return protected(given, TargetScript(folder / "train.py"), folder, folder)


@pytest.mark.parametrize(("answer", "runs"), [("y\n", True), ("n\n", False), ("", False)])
def test_who_sits_at_a_terminal_is_asked(
    folder: Path, answer: str, runs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", question)
    if runs:
        view = _protected(folder).view
        assert view is not None
        assert (view.kind, view.scratch) == ("redirect", folder)
    else:
        with pytest.raises(UsageError, match="not run"):
            _protected(folder)
    assert question.getvalue().endswith("Run it all the same? [y/N] ")


def test_in_place_there_is_no_view(folder: Path) -> None:
    assert _protected(folder, in_place=True).view is None
