"""The files of one large program are lowered by several processes; what is said is the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine import lowering_ahead
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.frontends.modules import Modules
from dlint.workspace.reading import Sources
from tests.engine.outcomes import told

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
SCRIPT = """
from torch.utils.data import DataLoader
from data import rows{number}

for x in DataLoader(rows{number}, num_workers=2):
    x.cuda()
"""
COUNT = 12


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """One program of many scripts, which may be kept."""
    monkeypatch.setattr(lowering_ahead, "_WORTH", 0)
    root = tmp_path / "project"
    root.mkdir()
    for number in range(COUNT):
        (root / f"train{number}.py").write_text(SCRIPT.format(number=number))
    (root / "data.py").write_text("".join(f"rows{n} = [{n}]\n" for n in range(COUNT)))
    (root / "broken.py").write_text("from torch.utils.data import DataLoader\nimport data\nx = = 1")
    files = sorted(map(str, root.glob("*.py")))
    rules = frozenset(rule_docs.summaries())
    return Request(root, files, frozenset(files), rules, cache_dir=tmp_path / "kept", jobs=2)


def _by(noted: Path) -> list[tuple[str, bool]]:
    """What was lowered, and whether this process did it."""
    lines = (line.split() for line in noted.read_text().splitlines())
    return [(name, int(pid) == os.getpid()) for name, pid in lines]


def test_files_are_lowered_once_and_by_others(request_of: Request, lowered: Path) -> None:
    beside = analyse(request_of, Sources())
    done = _by(lowered)
    scripts = [name for name, _ in done if name.startswith("train")]
    assert sorted(scripts) == sorted(f"train{number}.py" for number in range(COUNT))
    assert not any(is_own for name, is_own in done if name.startswith("train"))
    lowered.write_text("")
    alone = analyse(request_of._replace(jobs=1, cache_dir=None), Sources())
    assert told(beside) == told(alone)
    assert len({d.place.path for d in alone.diagnostics}) == COUNT + 1
    assert all(is_own for _, is_own in _by(lowered))


def test_what_is_kept_is_not_lowered_again(request_of: Request, lowered: Path) -> None:
    first = analyse(request_of, Sources())
    lowered.write_text("")
    assert told(analyse(request_of, Sources())) == told(first)
    assert {name for name, _ in _by(lowered)} <= {"broken.py"}


@pytest.mark.parametrize("folder", [None, "file/kept"])
def test_where_nothing_is_kept_processes_hand_on_what_they_lowered(
    request_of: Request, lowered: Path, tmp_path: Path, folder: str | None
) -> None:
    (tmp_path / "file").touch()
    nowhere = None if folder is None else tmp_path / folder
    beside = analyse(request_of._replace(cache_dir=nowhere), Sources())
    done = _by(lowered)
    assert sorted(name for name, _ in done) == sorted(
        ["broken.py", "broken.py", "data.py", *(f"train{n}.py" for n in range(COUNT))]
    )
    assert {name for name, is_own in done if is_own} == {"broken.py", "data.py"}
    assert told(beside) == told(analyse(request_of._replace(jobs=1), Sources()))


def test_for_little_no_process_is_started(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> Iterator[None]:
        raise AssertionError("a process was started")

    monkeypatch.setattr(lowering_ahead, "side_by_side", none)
    monkeypatch.setattr(lowering_ahead, "_WORTH", 300_000)
    assert told(analyse(request_of, Sources()))


def test_a_process_that_is_killed_leaves_its_work_to_this_one(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = told(analyse(request_of._replace(cache_dir=None, jobs=1), Sources()))
    ahead, pid = Modules.ahead, os.getpid()

    def killed(self: Modules, path: str) -> bytes | None:
        if os.getpid() != pid:
            os._exit(9)
        return ahead(self, path)

    monkeypatch.setattr(Modules, "ahead", killed)
    assert told(analyse(request_of, Sources())) == said
