"""Programs analysed by several processes: the same is told, in the same order."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine import answering, processes
from dlint.engine.analyse import analyse
from dlint.engine.processes import collect_many, side_by_side
from dlint.engine.request import Outcome, Progress, Request
from dlint.engine.roles import Roles
from dlint.engine.rule_runs import RuleRuns
from dlint.workspace.reading import Sources

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
PART = """
from torch.utils.data import DataLoader

loader = DataLoader(rows, {argument})
for x in loader:
    x.cuda()
"""
ARGUMENTS = ("num_workers=2", "prefetch_factor=2", "sampler=s, shuffle=True", "batch_size=0", "8")


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """Programs that have nothing to do with each other, and a file that is none."""
    monkeypatch.setattr(answering, "_WORTH", 0)
    for number, argument in enumerate(ARGUMENTS):
        (tmp_path / f"a{number}").mkdir()
        (tmp_path / f"a{number}/train.py").write_text(PART.format(argument=argument))
    (tmp_path / "a0/broken.py").write_text("import torch\nx = = 1\n")
    (tmp_path / "a0/use.py").write_text("import broken, train\n")
    files = sorted(str(path) for path in tmp_path.rglob("*.py"))
    return Request(tmp_path, files, frozenset(files), frozenset(rule_docs.summaries()), jobs=3)


def _told(outcome: Outcome) -> list[object]:
    crashes = [(crash.rule, repr(crash.__cause__)) for crash in outcome.crashes]
    return [outcome.diagnostics, outcome.notes, outcome.warnings, crashes]


def test_the_same_is_told_in_the_same_order(request_of: Request) -> None:
    counts = Progress()
    beside = analyse(request_of._replace(progress=counts), Sources())
    alone = analyse(request_of._replace(jobs=1), Sources())
    assert _told(beside) == _told(alone)
    assert {Path(d.place.path).parent.name for d in alone.diagnostics} >= {"a0", "a1", "a2", "a3"}
    assert (counts.programs, counts.modules >= 5) == (5, True)


def test_files_count_while_others_read_them(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, seen = Progress(), []
    checked = answering.Answering._checked

    def noted(self: answering.Answering, *given: object) -> object:
        seen.append(counts.modules)
        return checked(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(answering.Answering, "_checked", noted)
    analyse(request_of._replace(progress=counts), Sources())
    assert 0 < seen[0] <= seen[-1] <= counts.modules


def test_the_work_is_done_by_others(
    request_of: Request, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    over, own = RuleRuns.over, tmp_path / "own"

    def noted(self: RuleRuns, part: answering.Part) -> object:
        if os.getpid() == pid:
            own.touch()
        return over(self, part)

    pid = os.getpid()
    monkeypatch.setattr(RuleRuns, "over", noted)
    analyse(request_of, Sources())
    assert not own.exists()
    analyse(request_of._replace(jobs=1), Sources())
    assert own.exists()


def test_what_a_rule_or_a_process_cannot_end_is_done_here(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = _told(analyse(request_of._replace(jobs=1), Sources()))
    over, pid = RuleRuns.over, os.getpid()

    def killed(self: RuleRuns, part: answering.Part) -> object:
        if os.getpid() != pid and part.seeds[0].endswith("a2/train.py"):
            os._exit(9)
        return over(self, part)

    monkeypatch.setattr(RuleRuns, "over", killed)
    assert _told(analyse(request_of, Sources())) == alone
    monkeypatch.undo()
    monkeypatch.setattr(answering, "_WORTH", 0)
    monkeypatch.setattr("dlint.engine.rule_runs._in_versions", lambda *_: 1 / 0)
    crashed = _told(analyse(request_of, Sources()))
    assert crashed == _told(analyse(request_of._replace(jobs=1), Sources()))
    assert crashed[-1]


def test_little_is_done_here(request_of: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> Iterator[None]:
        raise AssertionError("a process was started")

    monkeypatch.setattr(answering, "_WORTH", 100_000)
    monkeypatch.setattr(answering, "side_by_side", none)
    assert analyse(request_of, Sources()).diagnostics


def test_results_come_in_the_order_of_the_pieces() -> None:
    def work(number: int) -> int:
        return 10 // (number - 2)

    assert list(side_by_side(work, 5, 2)) == [-5, -10, None, 10, 5]


def test_more_pieces_than_turns_are_all_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_TURNS", 3)
    assert list(side_by_side(lambda number: number * number, 8, 2)) == [n * n for n in range(8)]


def test_a_process_that_is_killed_takes_no_other_piece_along() -> None:
    def work(number: int) -> int:
        if number == 1:
            os._exit(9)
        return number

    assert list(side_by_side(work, 6, 2)) == [0, None, 2, 3, 4, 5]


def test_a_process_ends_as_soon_as_nothing_is_left_for_it(tmp_path: Path) -> None:
    def work(number: int) -> int:
        if number:
            return os.getpid()
        while not (tmp_path / "done").exists():
            time.sleep(0.01)
        return 0

    def meanwhile() -> None:
        until = time.monotonic() + 60
        while len(multiprocessing.active_children()) > 1 and time.monotonic() < until:
            time.sleep(0.01)
        left.append(len(multiprocessing.active_children()))
        (tmp_path / "done").touch()

    left: list[int] = []
    assert len(list(side_by_side(work, 3, 2, meanwhile))) == 3
    assert left == [1]


def test_a_run_that_is_given_up_leaves_no_process() -> None:
    results = side_by_side(lambda number: time.sleep(600 * number), 3, 2)
    assert next(results) is None
    results.close()
    assert not multiprocessing.active_children()


def test_files_are_looked_at_while_others_find_the_answers(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, is_broken = list[bool](), Roles.is_broken

    def noted(self: Roles, path: str) -> bool:
        looked.append(bool(multiprocessing.active_children()))
        return is_broken(self, path)

    monkeypatch.setattr(Roles, "is_broken", noted)
    analyse(request_of, Sources())
    assert looked[: len(request_of.reported)] == [True] * len(request_of.reported)


@pytest.mark.parametrize(("few", "times"), [(0, len(ARGUMENTS)), (20, 1)])
def test_what_a_part_leaves_is_collected_before_a_large_one_when_it_is_much(
    request_of: Request, monkeypatch: pytest.MonkeyPatch, few: int, times: int
) -> None:
    collected: list[int] = []
    monkeypatch.setattr("dlint.engine.answering._FEW", few)
    monkeypatch.setattr("gc.get_count", lambda: (3_000_000, 0, 0))
    monkeypatch.setattr("gc.collect", lambda: collected.append(1))
    analyse(request_of._replace(jobs=1), Sources())
    assert len(collected) == times


KILLED = """
import os, time
from dlint.engine.processes import collect_many, side_by_side


def work(number):
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(600)


list(side_by_side(work, 2, 2))
"""


def test_the_processes_of_a_killed_run_end() -> None:
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        try:
            forked = [int(run.stdout.readline()) for _ in range(2)]
        finally:
            run.kill()
    until = time.monotonic() + 60
    while any(_runs(pid) for pid in forked):
        assert time.monotonic() < until
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_only_much_that_was_let_go_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[None] = []
    monkeypatch.setattr("gc.collect", lambda: collected.append(None))
    for count, expected in ((1_000, 0), (2_000_000, 1)):
        monkeypatch.setattr("gc.get_count", lambda count=count: (count, 0, 0))
        collect_many()
        assert len(collected) == expected
