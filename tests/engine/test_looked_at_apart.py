"""Modules of a program that is too much as a whole, shared among processes: the same is said."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.analyses import context
from dlint.analyses.context import AnalysisContext
from dlint.analyses.outlook import Outlook
from dlint.engine import lowering_ahead, lowering_beside
from dlint.engine.analyse import analyse
from dlint.engine.answer import Answer
from dlint.engine.parts import Part
from dlint.engine.request import Request
from dlint.engine.rule_runs import RuleRuns
from dlint.semantics.project import Project
from dlint.semantics.values.solver import BUDGET
from dlint.workspace.reading import Sources
from tests.engine.outcomes import told

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
COUNT = 6
SCRIPT = """
from torch.utils.data import DataLoader
from data import rows{number}

rows = [{number}]
for x in DataLoader(rows, num_workers=2):
    x.cuda()
for x in DataLoader(rows{number}, num_workers=2):
    x.cuda()
"""


class Bounded(AnalysisContext):
    """One in which too much flows where the program has several scripts."""

    def __init__(self, project: Project, seeds: Sequence[str], budget: int = BUDGET) -> None:
        super().__init__(project, seeds, budget)
        self.solver.exhausted = len(seeds) > 1


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """Scripts that share a module, of which too much flows together."""
    monkeypatch.setattr(lowering_ahead, "_WORTH", 0)
    monkeypatch.setattr(lowering_beside, "_WORTH", 0)
    monkeypatch.setattr(context, "AnalysisContext", Bounded)
    root = tmp_path / "project"
    root.mkdir()
    for number in range(COUNT):
        (root / f"train{number}.py").write_text(SCRIPT.format(number=number))
    (root / "data.py").write_text("".join(f"rows{n} = [{n}]\n" for n in range(COUNT)))
    files = sorted(map(str, root.glob("*.py")))
    return Request(root, files, frozenset(files), frozenset(rule_docs.summaries()), jobs=2)


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file that holds what was looked at apart by processes, each with the process."""
    noted, over = tmp_path / "apart", RuleRuns.over_apart

    def seen(self: RuleRuns, part: Part) -> Answer:
        with noted.open("a") as file:
            file.write(f"{Path(part.seeds[0]).name} {os.getpid()}\n")
        return over(self, part)

    noted.touch()
    monkeypatch.setattr(RuleRuns, "over_apart", seen)
    return noted


def test_modules_are_looked_at_by_several_processes(request_of: Request, apart: Path) -> None:
    beside = analyse(request_of, Sources())
    lines = [line.split() for line in apart.read_text().splitlines()]
    assert sorted(name for name, _ in lines) == [f"train{number}.py" for number in range(COUNT)]
    assert str(os.getpid()) not in {pid for _, pid in lines}
    apart.write_text("")
    alone = analyse(request_of._replace(jobs=1), Sources())
    assert told(beside) == told(alone)
    assert context.APART in alone.warnings
    assert len({d.place.path for d in alone.diagnostics}) == COUNT
    assert not apart.read_text()


def test_what_several_modules_lead_to_is_told_once(
    request_of: Request, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = told(analyse(request_of, Sources()))
    over, scripts = RuleRuns.over_apart, tuple(request_of.files)

    def of_all(self: RuleRuns, part: Part) -> Answer:
        return over(self, part._replace(seeds=scripts))

    monkeypatch.setattr(RuleRuns, "over_apart", of_all)
    assert told(analyse(request_of, Sources())) == said
    assert len(apart.read_text().splitlines()) == 2 * COUNT


def test_so_is_what_one_process_looks_at_twice(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = request_of._replace(jobs=1)
    said = analyse(alone, Sources()).diagnostics
    once = context.contexts_apart

    def twice(project: Project, seeds: Sequence[str], notes: list[str]) -> Iterator[object]:
        yield from once(project, (*seeds, *seeds), notes)

    monkeypatch.setattr(context, "analysis_contexts", twice)
    assert analyse(alone, Sources()).diagnostics == said


def test_what_a_process_cannot_end_is_done_here(
    request_of: Request, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, pid = RuleRuns.over_apart, os.getpid()

    def killed(self: RuleRuns, part: Part) -> Answer:
        if os.getpid() != pid and part.seeds[0].endswith("train3.py"):
            os._exit(9)
        return over(self, part)

    said = told(analyse(request_of._replace(jobs=1), Sources()))
    monkeypatch.setattr(RuleRuns, "over_apart", killed)
    assert told(analyse(request_of, Sources())) == said
    assert apart.read_text()


def test_modules_that_are_not_at_hand_stay_with_the_process_that_lowered_them(
    request_of: Request, apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = told(analyse(request_of._replace(jobs=1), Sources()))
    monkeypatch.setattr(lowering_ahead, "_WORTH", 1_000_000)
    assert told(analyse(request_of, Sources())) == said
    assert not apart.read_text()


def test_a_program_that_would_be_too_much_is_looked_at_apart(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "AnalysisContext", AnalysisContext)
    assert context.APART not in analyse(request_of._replace(jobs=1), Sources()).warnings
    monkeypatch.setattr(Outlook, "is_hopeless", lambda _, steps, waiting: steps > 0 < waiting)
    given_up = analyse(request_of._replace(jobs=1), Sources())
    assert context.APART in given_up.warnings
    assert len({d.place.path for d in given_up.diagnostics}) == COUNT
