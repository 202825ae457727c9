"""Findings drawn for judging."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.tools.__main__ import main
from tests.tools.sample import draw, shares_of

MakeCorpus = Callable[[Mapping[str, str]], Path]


def _finding(rule: str, repository: str, line: int) -> dict[str, Any]:
    return {"rule": rule, "repository": repository, "path": "a.py", "line": line}


def test_rare_rules_get_a_few_and_the_rest_is_in_proportion() -> None:
    assert shares_of({"rare": 3, "some": 40, "many": 160}, 100) == {
        "rare": 3,
        "some": 20,
        "many": 77,
    }


def test_no_more_than_there_is() -> None:
    assert shares_of({"rare": 3, "some": 4}, 100) == {"rare": 3, "some": 4}


def test_at_most_four_of_one_repository_and_rule() -> None:
    findings = [_finding("pin", repository, n) for repository in "ab" for n in range(50)]
    drawn = draw(findings, 100, random.Random(1))
    assert Counter(f["repository"] for f in drawn) == {"a": 4, "b": 4}


def test_the_seed_decides() -> None:
    findings = [_finding("pin", str(n % 20), n) for n in range(200)]
    first, second = (draw(findings, 30, random.Random(7)) for _ in range(2))
    assert first == second
    assert first != draw(findings, 30, random.Random(8))


def test_a_drawn_finding_comes_with_its_code(
    make_corpus: MakeCorpus, training: str, tmp_path: Path
) -> None:
    corpus = make_corpus({"a+one/train.py": training, "a+one/broken.py": "def (:\n"})
    findings, output = tmp_path / "findings.json", tmp_path / "sample.json"
    main(["corpus", str(corpus), "--output", str(findings)])
    assert main(["sample", str(findings), "--output", str(output)]) == 0
    (drawn,) = json.loads(output.read_text("utf-8"))
    assert drawn["repository"] == "a+one"
    assert [line for line in drawn["code"] if line.startswith(">")] == [
        ">    6     loader = DataLoader(dataset, 64, num_workers=4, persistent_workers=True)"
    ]
    assert ">    9             x, y = x.cuda(), y.cuda()" in drawn["related"][0]["code"]
    assert str(tmp_path) not in output.read_text("utf-8")


def test_a_file_that_is_no_corpus_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "findings.json"
    path.write_text("[]", "utf-8")
    assert main(["sample", str(path), "--output", str(tmp_path / "sample.json")]) == 2
