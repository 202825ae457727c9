"""`dlint explain`: what stands at a line, and what each rule makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dlint.cli.main import main

DATA = """from torch.utils.data import DataLoader


def make(dataset, workers, pin=False):
    return DataLoader(dataset, 64, num_workers=workers, pin_memory=pin)
"""
TRAIN = """from data import make


def train(dataset, model):
    loader = make(dataset, 4)
    for epoch in range(10):
        for x in loader:
            model(x.cuda()).backward()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A factory and the loop that it serves."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["torch>=2"]\n')
    (tmp_path / "data.py").write_text(DATA)
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def _text(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["explain", *argv]) == 0
    return capsys.readouterr().out


def _data(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    return json.loads(_text(capsys, *argv, "--output-format", "json"))


def _rule(data: Any, name: str) -> Any:
    return next(rule for rule in data["rules"] if rule["name"] == name)


def test_a_sampler_has_the_defaults_of_samplers(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "data.py").write_text(
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "def make(dataset):\n"
        "    sampler = DistributedSampler(dataset)\n"
        "    return DataLoader(dataset, sampler=sampler)\n"
    )
    text = _text(capsys, "data.py:3")
    assert "shuffle    not given: True" in text
    assert "seed       not given: 0" in text
    assert "num_replicas" not in text


def test_a_loader(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = _text(capsys, "data.py:5")
    assert "torch 2.0 or newer, by pyproject.toml:3" in text
    assert "data.py:5:12: loader  DataLoader(dataset, 64," in text
    assert "num_workers         4 (train.py:5:28)" in text
    assert "pin_memory          False by the default of parameter `pin` (data.py:4:32)" in text
    assert "`dataset` is a parameter of `train`, which nothing in the project calls" in text
    assert "train.py:7:9: it is iterated here" in text
    assert "reported  missing-persistent-workers (DLT106): warning at data.py:5:12:" in text
    assert "silent    zero-workers (DLT108): there are certainly no workers: no" in text
    assert "other rules asked nothing about what stands here" in text


def test_a_column_does_not_matter(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _text(capsys, "data.py:5:12") == _text(capsys, str(project / "data.py") + ":5")


def test_a_loop_and_a_copy(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop, copy = _data(capsys, "train.py:7"), _data(capsys, "train.py:8")
    assert [seen["kind"] for seen in loop["objects"]] == ["loop"]
    assert [seen["kind"] for seen in copy["objects"]] == ["copy"]
    assert copy["objects"][0]["facts"] == ["to: cuda", "it waits"]
    assert _rule(loop, "missing-persistent-workers")["verdict"] == "reported"


def test_why_a_finding_is_not_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "missing-persistent-workers"
    assert _rule(_data(capsys, "data.py:5"), name)["reason"] is None
    ignored = _rule(_data(capsys, "data.py:5", "--ignore", name), name)
    assert (ignored["verdict"], ignored["reason"]) == ("hidden", "not selected")
    (project / "data.py").write_text(DATA.replace("pin)\n", f"pin)  # dlint: ignore[{name}]\n"))
    assert _rule(_data(capsys, "data.py:5"), name)["reason"] == "suppressed by a comment"


def test_data_for_programs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = _data(capsys, "data.py:5")
    (workers,) = data["objects"][0]["arguments"]["num_workers"]
    assert (workers["value"], workers["known"]) == ("4", True)
    assert (Path(workers["filename"]).name, workers["location"]["row"]) == ("train.py", 5)
    (dataset,) = data["objects"][0]["arguments"]["dataset"]
    assert dataset["why_unknown"]["location"]["row"] == 4


def test_a_whole_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = _data(capsys, "train.py")
    assert [seen["kind"] for seen in data["objects"]] == ["loop", "copy"]
    assert data["rules"] == []


def test_a_line_without_anything(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = _text(capsys, "train.py:1")
    assert "no loader, sampler, loop over batches or copy of a batch is seen here" in text
    assert "train.py:7:9: loop  for x in loader:" in text


def test_a_file_that_nothing_comes_to(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "other.py").write_text("x = 1\n")
    assert "nothing that loads data comes to this file" in _text(capsys, "other.py:1")


def test_code_that_does_not_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "data.py").write_text("from train import gone\n" + DATA)
    text = _text(capsys, "data.py:6")
    assert "this module cannot be imported, so nothing is reported in it: `train` has no" in text


def test_a_loader_of_several_calls_is_listed_once(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(f"{TRAIN}\n\nfor y in make([1], 2):\n    print(y)\n")
    assert len(_data(capsys, "data.py:1")["elsewhere"]) == 2
    assert _text(capsys, "data.py:1").count("data.py:5:12: loader") == 1


def test_a_place_is_told_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(
        "from torch.utils.data import DataLoader\nloader = DataLoader(a @ b)\n"
    )
    (line,) = (one for one in _text(capsys, "a.py:2").splitlines() if "  dataset " in one)
    assert "not known" in line
    assert line.count("a.py:2:") == 1


def test_what_there_is_not(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "gone.py:3"]) == 2
    assert "no such file: gone.py" in capsys.readouterr().err


def test_a_cell_of_a_notebook(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": s}
        for s in (
            "from torch.utils.data import DataLoader\n",
            "for x in DataLoader(rows):\n    x.cuda()\n",
        )
    ]
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "a.ipynb").write_text(json.dumps(content))
    data = _data(capsys, "a.ipynb:cell 2:1")
    assert [(seen["kind"], seen["cell"]) for seen in data["objects"]] == [
        ("loop", 2),
        ("loader", 2),
    ]
