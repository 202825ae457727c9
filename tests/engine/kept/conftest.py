"""A project that is checked again and again, and what each run analysed and read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.answer import Answer
from dlint.engine.kept import files as files_module
from dlint.engine.parts import Part
from dlint.engine.request import Outcome, Request
from dlint.engine.rule_runs import RuleRuns
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

LOOP = """
import torch
from torch.utils.data import DataLoader
from {module} import rows

for x in DataLoader(rows, num_workers=2):
    x.cuda()
DataLoader(rows, batch_size=None, drop_last=True)
"""
FILES = {
    "a/train.py": LOOP.format(module="data_a"),
    "a/data_a.py": "rows = []\n",
    "b/train.py": LOOP.format(module="data_b"),
    "b/data_b.py": "rows = []\n",
    **{f"c{number}.py": "x = 1\n" for number in range(5)},
}
Run = Callable[..., Outcome]


class Seen:
    """What a run analysed and read."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.read: set[str] = set()


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    """Notes what is analysed and read; states of files are trusted soon."""
    seen, over, get, raw = Seen(), RuleRuns.over, Sources.get, Sources.raw

    def analysed(self: RuleRuns, part: Part) -> Answer:
        seen.parts.append(Path(part.seeds[0]).parent.name)
        return over(self, part)

    def read(self: Sources, path: str) -> Source:
        seen.read.add(Path(path).name)
        return get(self, path)

    def read_raw(self: Sources, path: str) -> bytes:
        seen.read.add(Path(path).name)
        return raw(self, path)

    monkeypatch.setattr(RuleRuns, "over", analysed)
    monkeypatch.setattr(Sources, "raw", read_raw)
    monkeypatch.setattr(Sources, "get", read)
    monkeypatch.setattr(files_module, "_COARSE", -(10**12))
    return seen


@pytest.fixture
def run(tmp_path: Path, seen: Seen) -> Run:
    """Checks the project, which is written first, as it stands."""
    project = tmp_path / "project"
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)

    def run(
        *reported: str,
        rules: frozenset[str] = frozenset(rule_docs.summaries()),
        sources: Sources | None = None,
        jobs: int = 1,
    ) -> Outcome:
        seen.parts, seen.read = [], set()
        files = sorted(str(path) for path in project.rglob("*.py"))
        wanted = frozenset(str(project / name) for name in reported) or frozenset(files)
        kept = tmp_path / "caches"
        request = Request(
            project, files, wanted, rules, cache_dir=kept, answers_dir=kept, jobs=jobs
        )
        return analyse(request, sources or Sources())

    return run
