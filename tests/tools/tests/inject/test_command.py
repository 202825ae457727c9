"""The run over a corpus and its table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.__main__ import main
from tests.tools.inject.table import table

MakeRepository = Callable[..., Path]

SAMPLED = """
    from torch.utils.data import DataLoader, RandomSampler

    def load(ds):
        return DataLoader(ds, sampler=RandomSampler(ds))
"""


def test_faults_are_tried_in_memory(
    repository: MakeRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = repository(main=SAMPLED)
    before = (corpus / "a+one" / "main.py").read_bytes()
    output = tmp_path / "table.json"
    command = ["inject", str(corpus), "--kinds", "shuffle", "--output", str(output)]
    assert main(command) == 0
    (record,) = json.loads(output.read_text("utf-8"))
    count = record["counts"]["shuffle"]
    assert (count["considered"], count["must_be_reported"], count["tried"]) == (1, 1, 1)
    assert count["reported"] == 1
    assert "100.0%" in capsys.readouterr().out
    assert (corpus / "a+one" / "main.py").read_bytes() == before


def test_a_slow_repository_is_left_out_by_name(
    repository: MakeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = repository(main=SAMPLED)
    assert main(["inject", str(corpus), "--kinds", "shuffle", "--slow", "0"]) == 0
    assert "left out, slower than 0 s: a+one" in capsys.readouterr().out


def test_an_unknown_kind_is_refused(repository: MakeRepository) -> None:
    assert main(["inject", str(repository(main=SAMPLED)), "--kinds", "shufle"]) == 2


def _count(tried: int, reported: int, loud: int, missed: list[str]) -> dict[str, object]:
    numbers = {"considered": 9, "must_be_reported": 8, "tried": tried, "reported": reported}
    return {**numbers, "loud": loud, "missed": missed}


def test_the_share_leaves_loud_originals_out() -> None:
    counts = {"shuffle": _count(5, 3, 1, ["a.py:3 (because)"])}
    record = {"repository": "a+one", "problem": None, "seconds": 1.0, "counts": counts}
    rows = table([record], ["shuffle"], 20).splitlines()
    assert rows[1].split() == ["shuffle", "1", "9", "8", "5", "3", "1", "75.0%"]
    assert "missed shuffle: a+one/a.py:3 (because)" in rows
