"""How often the memory of a run is looked at."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dlint.verify.run import live


@pytest.mark.parametrize(("cost", "most", "least"), [(0.1, 4, 2), (0.001, 25, 12)])
def test_samples_that_take_long_are_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cost: float, most: int, least: int
) -> None:
    clock = SimpleNamespace(now=100.0, samples=0)

    def pause(seconds: float) -> None:
        clock.now += seconds

    def sample(members: Any, now: float) -> None:
        clock.samples += 1
        clock.now += cost

    monkeypatch.setattr(live.time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(live.time, "sleep", pause)
    one: Any = SimpleNamespace(
        ended=lambda: clock.now > 106,
        out=tmp_path,
        began=100.0,
        family=SimpleNamespace(members=lambda thorough: []),
        memory=SimpleNamespace(sample=sample),
    )
    assert live.watch([one], live.Limits(60.0, 60.0), True) == [None]
    assert least <= clock.samples <= most
