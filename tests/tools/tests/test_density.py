"""Findings counted by lines of training code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.tools.__main__ import main
from tests.tools.density import Density, report, training_lines

MakeCorpus = Callable[[Mapping[str, str]], Path]
LOADER = "from torch.utils.data import DataLoader\n\nloader = DataLoader(rows)\n"
STEP = "def step(loss):\n    loss.backward()\n\n\n"


def test_training_code_makes_loaders_or_takes_steps(make_corpus: MakeCorpus) -> None:
    folder = make_corpus(
        {
            "one/data.py": LOADER,
            "one/engine.py": STEP,
            "one/model.py": "x = 1\n" * 50,
            "one/tests/test_data.py": LOADER,
        }
    )
    assert training_lines(folder / "one") == 4


def test_the_distribution(make_corpus: MakeCorpus, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_corpus({"one/data.py": LOADER, "two/data.py": LOADER, "tiny/a.py": "x = 1\n"})
    finding = {"rule": "missing-pin-memory", "severity": "warning"}
    records = [
        {"repository": "one", "findings": [finding, {**finding, "severity": "info"}]},
        {"repository": "two", "findings": [{**finding, "rule": "unused-suppression"}]},
        {"repository": "tiny", "findings": []},
    ]
    path = folder.parent / "found.json"
    path.write_text(json.dumps({"corpus": str(folder), "repositories": records}))
    assert main(["density", str(path), "--least", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 repositories, 4 lines of training code\n")
    assert "| errors and warnings | 1 | 1 | 250.0 | 450.0 | 500.0 |" in out
    assert "| with *info* | 2 | 1 | 500.0 | 900.0 | 1000.0 |" in out
    assert "| one | 2 | 1 | 500.0 | missing-pin-memory 1 |" in out


def test_one_repository_is_its_own_distribution() -> None:
    alone = Density("a", 1000, Counter(x=2), Counter(x=3))
    assert "| errors and warnings | 2 | 0 | 2.0 | 2.0 | 2.0 |" in report([alone])


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[]")
    assert main(["density", str(path)]) == 2
