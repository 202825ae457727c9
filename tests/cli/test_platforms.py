"""What is otherwise on Windows: held open files, closed pipes, consoles, shells, small stacks."""

from __future__ import annotations

import errno
import io
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dlint.cli import colour
from dlint.cli.main import main
from dlint.engine.room import with_room
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.findings.places import Place
from dlint.fixes import replacing
from dlint.fixes.write import WriteError, write_all
from dlint.reports import measure
from dlint.reports.view import View
from dlint.workspace.reading import Sources, read
from dlint.workspace.source import Source


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that asks for the platform is told that it is Windows."""
    monkeypatch.setattr(sys, "platform", "win32")


class _Held:
    """`Path.replace` while another program holds `a.py` open for some attempts."""

    def __init__(self, attempts: int, real: Any) -> None:
        self.left, self._real = attempts, real

    def __call__(self, path: Path, target: Path) -> Any:
        if self.left and target.name == "a.py":
            self.left -= 1
            raise PermissionError(13, "Access is denied")
        return self._real(path, target)


def _hold(monkeypatch: pytest.MonkeyPatch, attempts: int) -> _Held:
    held = _Held(attempts, Path.replace)
    monkeypatch.setattr(Path, "replace", lambda path, target: held(path, target))
    monkeypatch.setattr(replacing.time, "sleep", lambda seconds: None)
    return held


@pytest.mark.usefixtures("windows")
def test_a_file_that_is_held_for_a_moment_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\r\n")
    source = read(str(path))
    _hold(monkeypatch, 3)
    write_all([(source, "x = 2\r\n")])
    assert path.read_bytes() == b"x = 2\r\n"


@pytest.mark.usefixtures("windows")
def test_a_file_that_stays_held_is_told_and_nothing_is_left_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    source = read(str(path))
    _hold(monkeypatch, 99)
    with pytest.raises(WriteError, match=r"cannot write .*a\.py: Access is denied"):
        write_all([(source, "x = 2\n")])
    assert [p.name for p in tmp_path.iterdir()] == ["a.py"]
    assert path.read_text() == "x = 1\n"


def test_elsewhere_there_is_one_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    source = read(str(path))
    held = _hold(monkeypatch, 99)
    with pytest.raises(WriteError):
        write_all([(source, "x = 2\n")])
    assert held.left == 98


def test_a_closed_pipe_is_no_crash_on_windows(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr("dlint.cli.check.run", failing)
    monkeypatch.setattr("dlint.cli.main._discard_output", lambda: None)
    assert run("check").code == 3
    monkeypatch.setattr(sys, "platform", "win32")
    assert run("check").code == 141


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(("is_console", "takes"), [(1, 1), (1, 0), (0, 1)])
def test_colours_are_asked_for_from_a_console(
    monkeypatch: pytest.MonkeyPatch, is_console: int, takes: int
) -> None:
    asked: list[tuple[int, int]] = []

    def set_mode(handle: int, mode: int) -> int:
        asked.append((handle, mode))
        return takes

    kernel = SimpleNamespace(
        GetStdHandle=lambda number: number,
        GetConsoleMode=lambda handle, mode: is_console,
        SetConsoleMode=set_mode,
    )
    monkeypatch.setattr("ctypes.windll", SimpleNamespace(kernel32=kernel), raising=False)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert colour.wanted("auto", _Terminal()) is bool(is_console and takes)
    assert asked == ([(-11, 4)] if is_console else [])


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("name", ["train.py", "my scripts/train.py"])
def test_commands_are_quoted_as_its_shells_read_them(name: str) -> None:
    path = f"/p/{name}"
    place = Place(path, 0, 1)
    found = Diagnostic("DLT108", "zero-workers", Severity.WARNING, "", place, scripts=(path,))
    view = View(Sources({path: Source(path, "x")}), Path("/p"), frozenset())
    shown = f'"{name}"' if " " in name else name
    assert measure.commands(view, found) == [f"dlint verify {shown} --select zero-workers"]


@pytest.mark.usefixtures("windows")
def test_deep_work_has_a_thread_with_room() -> None:
    before = threading.stack_size()
    assert with_room(lambda: threading.current_thread() is threading.main_thread()) is False
    assert threading.stack_size() == before
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 / 0)
    with pytest.raises(TimeoutError, match="own"):
        with_room(_late)


def _late() -> None:
    raise TimeoutError("own")


def test_elsewhere_it_has_none() -> None:
    assert with_room(lambda: threading.current_thread() is threading.main_thread())


def test_newlines_stay_as_they_are(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        b"from torch.utils.data import DataLoader, RandomSampler\r\n\r\n\r\n"
        b"def make(rows):\r\n"
        b"    return DataLoader(rows, sampler=RandomSampler(rows), shuffle=True)\r\n"
    )
    (project / "a.py").write_bytes(text)
    assert main(["check", "--fix", "-q", "--no-cache", "--select", "DLT201", "a.py"]) == 0
    assert (project / "a.py").read_bytes() == text.replace(b", shuffle=True", b"")


@pytest.mark.usefixtures("windows")
def test_a_check_runs_from_end_to_end(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(
        "from torch.utils.data import DataLoader, RandomSampler\n\n"
        "def make(rows):\n    return DataLoader(rows, sampler=RandomSampler(rows), shuffle=True)\n"
    )
    assert main(["check", "-q", "--output-format", "concise", "a.py"]) == 1
    assert capsys.readouterr().out.startswith("a.py:4:12: error: DLT201 shuffle-with-sampler")
