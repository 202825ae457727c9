"""What this release promises stays: see `docs/compatibility.md`.

`UPDATE_GOLDEN=1 python -m pytest tests/golden` takes up what is new. What has changed or gone it
leaves: that is a decision, made by hand in the file and told in the changes under *breaking*.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import surfaces

HERE = Path(__file__).parent


def _lost(was: object, now: object, where: str) -> Iterator[str]:
    """What was there and is not, or is another now."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key, inner in was.items():
            if key in now:
                yield from _lost(inner, now[key], f"{where} > {key}")
            else:
                yield f"{where} > {key} is gone"
    elif isinstance(was, list) and isinstance(now, list):
        yield from (f"{where}: {value} is gone" for value in was if value not in now)
    elif was != now:
        yield f"{where} was {was}, and is {now}"


def _holds(name: str, now: object) -> None:
    """Compare with the file of this name; raises AssertionError."""
    path = HERE / f"{name}.json"
    was = json.loads(path.read_text("utf-8")) if path.exists() else {}
    lost = list(_lost(was, now, name))
    assert not lost, "\n".join([f"others may build on this ({path}):", *lost])
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert json.loads(path.read_text("utf-8")) == now, "something new: take it up, UPDATE_GOLDEN=1"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the examples, with a notebook and a comment that suppresses nothing."""
    shutil.copytree(surfaces.ROOT / "docs/examples", tmp_path / "docs/examples")
    (tmp_path / "odd.py").write_text("x = 1  # dlint: ignore[zero-workers]\n", "utf-8")
    source = "from torch.utils.data import DataLoader\nDataLoader([], timeout=5)\n"
    cell = {"cell_type": "code", "source": source, "outputs": [], "metadata": {}}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "book.ipynb").write_text(json.dumps(notebook), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def say(project: Path, capsys: pytest.CaptureFixture[str]) -> surfaces.Say:
    """Runs `dlint` there."""

    def say(*arguments: str) -> str:
        assert surfaces.main.main(list(arguments)) in (0, 1)
        return capsys.readouterr().out

    return say


def test_names_and_codes_of_rules_stay() -> None:
    _holds("rules", surfaces.rules())


def test_settings_stay() -> None:
    _holds("settings", surfaces.settings())


def test_flags_stay() -> None:
    _holds("flags", surfaces.flags())


def test_fields_stay(say: surfaces.Say) -> None:
    _holds("fields", surfaces.fields(say))


def test_exit_codes_stay(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _holds("exit-codes", surfaces.exit_codes(project, monkeypatch))


_LINE = re.compile(
    r"[^:]+(?::cell \d+)?:\d+:\d+: (?:error|warning|info): DLT\d{3} [a-z0-9-]+ (?:\[\*\] )?\S"
)


def test_lines_of_the_concise_format_stay(say: surfaces.Say) -> None:
    out = say("check", "--select", "ALL", "--output-format", "concise", "--quiet")
    assert out.count("\n") > 8
    assert all(_LINE.match(line) for line in out.splitlines())


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({"a": 1, "b": ["x", "y", "z"], "c": 2}, []),
        ({"b": ["x", "y"]}, ["f > a is gone"]),
        ({"a": 2, "b": ["y", "x"]}, ["f > a was 1, and is 2"]),
        ({"a": 1, "b": ["x"]}, ["f > b: y is gone"]),
        ({"a": 1, "b": "x"}, ["f > b was ['x', 'y'], and is x"]),
    ],
)
def test_what_is_lost_is_told(now: object, told: list[str]) -> None:
    assert list(_lost({"a": 1, "b": ["x", "y"]}, now, "f")) == told
