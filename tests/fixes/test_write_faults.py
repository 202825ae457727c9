"""A write that fails or is killed at any step leaves all files or none, and nothing beside them."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dlint.fixes.undoing import recover
from dlint.fixes.write import WriteError, write_all
from dlint.workspace.reading import read
from dlint.workspace.source import Source

STEPS = (
    *("open", "write", "fsync", "close", "mkdir", "replace", "rename", "link", "unlink"),
    *("chmod", "chown", "utime", "setxattr", "removexattr"),
)
"""What changes something on disk, or tells that it cannot."""
OLD = {"a.py": "a = 1\n", "b.py": "b = 1\n", "sub/c.py": "c = 1\n"}
NEW = {"a.py": "a = 2\n", "b.py": "b = 2\n", "sub/c.py": "c = 2\n", "new.json": "{}\n"}
_KILLED = 77

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="forks"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]


def faulty(step: int, fault: Callable[[], None], is_after: bool) -> Callable[[], int]:
    """Let the given step on the disk fail, from 0 on. Returns what counts the steps taken."""
    taken = 0

    def patched(name: str, real: Callable[..., object]) -> Callable[..., object]:
        is_late = is_after or name == "close"  # which closes, whatever it says

        def call(*given: object, **named: object) -> object:
            nonlocal taken
            taken += 1
            if taken - 1 == step and not is_late:
                fault()
            result = real(*given, **named)
            if taken - 1 == step and is_late:
                fault()
            return result

        return call

    for name in STEPS:
        setattr(os, name, patched(name, getattr(os, name)))
    return lambda: taken


def killed(action: Callable[[], object], step: int, is_after: bool) -> bool:
    """Whether an action, in a process of its own, came to this step and was killed there."""
    child = os.fork()
    if child == 0:
        try:
            faulty(step, lambda: os._exit(_KILLED), is_after)
            action()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == _KILLED


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    restore(folder)
    return folder


def restore(folder: Path) -> None:
    """The project as it was before."""
    (folder / "sub").mkdir(parents=True, exist_ok=True)
    for name, text in OLD.items():
        (folder / name).write_text(text)
    (folder / "new.json").unlink(missing_ok=True)


def change(folder: Path) -> None:
    given = [(read(str(folder / name)), NEW[name]) for name in OLD]
    write_all([*given, (Source(str(folder / "new.json"), ""), NEW["new.json"])])


def state(folder: Path) -> dict[str, str]:
    """All files of the project, hidden ones too."""
    return {p.relative_to(folder).as_posix(): p.read_text() for p in files(folder)}


def files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def notes(folder: Path) -> list[str]:
    return sorted(p.name for p in files(folder.parent / "state"))


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
def test_a_kill_at_any_step_is_undone_or_done_by_the_next_run(
    project: Path, is_after: bool
) -> None:
    seen = []
    step = 0
    while killed(lambda: change(project), step, is_after):
        said = list(recover([project]))
        left = state(project)
        assert left in (OLD, NEW), (step, left)
        assert notes(project) in ([], ["lock"]), step
        assert not any("warning" in text for text in said), said
        seen.append(left == NEW)
        restore(project)
        step += 1
    assert step > 60
    assert seen == sorted(seen), "once it is done it stays so"
    assert (seen[0], seen[-1]) == (False, True)


def test_a_kill_while_a_kill_is_undone(project: Path) -> None:
    total = 0
    for step in range(0, 200, 2):
        for again in range(200):
            was_killed = killed(lambda: change(project), step, is_after=False)
            halted = killed(lambda: list(recover([project])), again, is_after=True)
            list(recover([project]))
            assert state(project) in (OLD, NEW), (step, again)
            assert notes(project) in ([], ["lock"]), (step, again)
            restore(project)
            total += was_killed and halted
            if not was_killed or not halted:
                break
    assert total > 50


def failing(folder: Path, step: int, number: int) -> tuple[str | None, bool]:
    """What a write says whose given step fails, and whether it came to that step."""

    def fail() -> None:
        raise OSError(number, os.strerror(number))

    with pytest.MonkeyPatch.context() as patch:
        for name in STEPS:
            patch.setattr(os, name, getattr(os, name))  # put back when the context ends
        taken = faulty(step, fail, is_after=False)
        try:
            change(folder)
        except WriteError as error:
            return str(error), True
        return None, taken() > step


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_failure_at_any_step_leaves_all_or_nothing(project: Path, number: int) -> None:
    step = 0
    while True:
        said, has_failed = failing(project, step, number)
        if not has_failed:
            break
        expected = NEW if said is None else OLD
        if said is not None:
            assert os.strerror(number) in said or "no folder to note" in said
        visible = {name: text for name, text in state(project).items() if name in NEW}
        assert visible == expected, step
        list(recover([project]))
        assert state(project) == expected, step
        assert notes(project) in ([], ["lock"]), step
        restore(project)
        step += 1
    assert step > 60
