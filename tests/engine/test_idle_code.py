"""Findings in code that nothing uses: what is weighed, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dlint.analyses.idle.idleness import IdleCode
from dlint.engine.request import Outcome
from dlint.findings.diagnostic import Diagnostic

Analyse = Callable[..., Outcome]
BOTH = """
from torch.utils.data import DataLoader, RandomSampler

def make(rows):
    return DataLoader(rows, sampler=RandomSampler(rows), shuffle=True)
"""


def test_findings_that_nobody_is_told_are_not_weighed(
    check: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    weighed = []
    of_one = IdleCode.weighed

    def noted(idle: IdleCode, found: Diagnostic, **asked: bool) -> Diagnostic:
        weighed.append(Path(found.place.path).name)
        return of_one(idle, found, **asked)

    monkeypatch.setattr(IdleCode, "weighed", noted)
    files = {"main.py": f"import other\n{BOTH}", "other.py": BOTH}
    alone = {found.place for found in check(files, "main.py").diagnostics}
    assert set(weighed) == {"main.py"}
    whole = {found.place for found in check(files).diagnostics}
    assert set(weighed) == {"main.py", "other.py"}
    assert alone == {place for place in whole if place.path.endswith("main.py")}


HALF_USED = """
from torch.utils.data import DataLoader
def used(data):
    return DataLoader(data, worker_init_fn=print)
def unused(data):
    faulty = DataLoader(data, batch_size=-1)
    return DataLoader(data, worker_init_fn=print)
if __name__ == "__main__":
    print(used([]))
"""


def test_of_what_nothing_uses_faults_are_information_and_information_is_not_told(
    check: Analyse,
) -> None:
    found = check({"main.py": HALF_USED}).diagnostics
    lines = [HALF_USED.count("\n", 0, d.place.start) for d in found]
    assert [(line, d.severity.value) for line, d in zip(lines, found, strict=True)] == [
        (3, "info"),
        (5, "info"),
    ]
