"""The run over a folder of repositories."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.tools.__main__ import main

MakeCorpus = Callable[[Mapping[str, str]], Path]


def test_findings_are_kept_by_repository(
    make_corpus: MakeCorpus, training: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = make_corpus({"a+one/src/train.py": training, "b+two/plain.py": "x = 1\n"})
    output = tmp_path / "findings.json"
    assert main(["corpus", str(corpus), "--output", str(output), "--processes", "1"]) == 0
    one, two = json.loads(output.read_text("utf-8"))["repositories"]
    assert (one["repository"], two["repository"]) == ("a+one", "b+two")
    assert one["files"] == 1
    (finding,) = [f for f in one["findings"] if f["rule"] == "missing-pin-memory"]
    assert (finding["path"], finding["line"]) == ("src/train.py", 6)
    assert [related["line"] for related in finding["related"]] == [9, 9]
    assert two["findings"] == []
    assert "2 repositories, 2 files, 0 with a problem" in capsys.readouterr().out


def test_a_repository_without_python_is_noted(
    make_corpus: MakeCorpus, training: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = make_corpus({"a+one/train.py": training, "b+two/README": "no Python here\n"})
    assert main(["corpus", str(corpus), "--output", str(tmp_path / "findings.json")]) == 0
    assert "note on b+two: No Python files or notebooks found" in capsys.readouterr().out


def test_a_repository_that_takes_too_long_is_a_problem(
    make_corpus: MakeCorpus, training: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = make_corpus({"a+one/train.py": training})
    output = tmp_path / "findings.json"
    assert main(["corpus", str(corpus), "--output", str(output), "--limit", "0"]) == 1
    (record,) = json.loads(output.read_text("utf-8"))["repositories"]
    assert record["problem"] == "not done after 0 s"
    assert "problem in a+one:\nnot done after 0 s" in capsys.readouterr().out


def test_select_leaves_other_rules_out(
    make_corpus: MakeCorpus, training: str, tmp_path: Path
) -> None:
    corpus = make_corpus({"a+one/train.py": training})
    output = tmp_path / "findings.json"
    main(["corpus", str(corpus), "--output", str(output), "--select", "missing-set-epoch"])
    assert json.loads(output.read_text("utf-8"))["repositories"][0]["findings"] == []


def test_a_folder_without_repositories_is_refused(tmp_path: Path) -> None:
    output = str(tmp_path / "findings.json")
    assert main(["corpus", str(tmp_path), "--output", output]) == 2
    assert main(["corpus", str(tmp_path / "none"), "--output", output]) == 2
