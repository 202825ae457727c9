"""What is told of tuning: every figure is one of the JSON's, and that is of its schema."""

from __future__ import annotations

import json as json_text
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dlint.doctor.tuning.tuner import Tuner
from dlint.verify.judge.results import Outcome, Verdict
from dlint.verify.judge.tuned import Fate, Tried
from dlint.verify.plan.overrides import from_settings
from dlint.verify.report import html, json, markdown, text
from tests.doctor import made
from tests.doctor.test_report import _NUMBER, SCHEMA, _stages, _Text, _told
from tests.verify.made import matches_schema
from tests.verify.test_browser import opened
from tests.verify.test_report import Page
from tests.verify.test_report import outcome as verified

RENDER = {"text": text.render, "markdown": markdown.render, "html": html.render}
ANGRY = "<script>alert(1)</script>"


def tuned() -> Outcome:
    """One of everything."""
    found = verified()
    found.results = found.results[:1]
    chooser = Tuner(made.diagnosed(), 4 * 2**30)
    own = {"num_workers": 2, "prefetch_factor": 2, "persistent_workers": False}
    better = {**own, "num_workers": 6, "persistent_workers": True}
    memory = 500 * 2**20
    chooser.tuning.tried = [
        Tried(own, 0.04321, memory, Fate.PRESENT),
        Tried(better, 0.0123, 2 * memory, Fate.WON),
        Tried({**better, "num_workers": 4}, 0.0177, memory, Fate.LOST, "num_workers=6", 1.437),
        Tried({**better, "num_workers": 3}, 0.0188, memory, Fate.LOST, "num_workers=6"),
        Tried(better, 0.0123, memory, Fate.FAILED, why=f"it says {ANGRY}"),
        Tried(better, 0.0123, 9 * memory, Fate.TOO_LARGE, why="it does not fit"),
    ]
    chosen = from_settings((("num_workers", 6), ("persistent_workers", True)))
    found.results[0].candidates = (
        found.results[0].candidates[0]._replace(settings=chosen.settings),
    )
    chooser.tuning.ideas = ["an idea"]
    chooser.tuning.written = ["written: train.py:7"]
    chooser.conclude(found)
    return found


def test_the_json_is_of_its_schema() -> None:
    document = json_text.loads(json.render(tuned()))
    matches_schema(document)
    assert document["tune"]["tried"][2]["ratio"] == 1.437
    schema = json_text.loads(SCHEMA.read_text("utf-8"))
    jsonschema.validate(document["tune"]["examined"], schema)
    assert json_text.loads(json.render(verified()))["tune"] is None


@pytest.mark.parametrize("output_format", RENDER)
def test_every_figure_is_of_the_json(output_format: str) -> None:
    found = tuned()
    told = RENDER[output_format](found)
    if output_format == "html":
        told = " ".join(_Text(told.partition("<body>")[2]).words)
    begin = told.index("bound by")
    end = told.index("against the present setting" if output_format == "html" else "rule <script")
    own = re.sub(r"\bp(50|95|99)\b", "", told[begin:end])
    document = json.data(found)["tune"]
    stages = [row["batch"] for row in _stages(document["examined"])]
    memory = [round(row["memory"] / 2**20) for row in document["tried"]]
    times = [f"{1000 * row['seconds']:.3g}" for row in document["tried"]]
    known = _told({**document, "worked out": [stages, memory, *times]})
    assert set(_NUMBER.findall(own)) - known == set()


@pytest.mark.parametrize("output_format", RENDER)
def test_everything_is_told(output_format: str) -> None:
    found = tuned()
    told = RENDER[output_format](found)
    words = "".join(_Text(told).words) if output_format == "html" else told
    plain = re.sub(r"\s+", " ", words)
    assert found.tuning is not None
    for part in (
        found.tuning.answer,
        found.tuning.ceiling,
        "the present one",
        "the best; compared with the present one",
        "1.44x of num_workers=6",
        "no time to meet num_workers=6, which promises as much",
        f"failed: it says {ANGRY}",
        "too large: it does not fit",
        "1000 MiB",
        "43.2 ms",
        "recommended for the loader at /project/train.py:7: num_workers=6, persistent_workers=True",
        "an idea",
        "written: train.py:7",
    ):
        assert re.sub(r"\s+", " ", part) in plain, part


@pytest.mark.parametrize("output_format", RENDER)
def test_why_a_setting_stays_is_told(output_format: str) -> None:
    found = tuned()
    assert found.tuning is not None
    found.tuning.recommended = None
    found.results[0].verdict = Verdict.NO_EFFECT
    Tuner.conclude(_Concluding(found), found)  # type: ignore[arg-type]
    told = re.sub(r"\s+", " ", RENDER[output_format](found))
    assert "keeps its settings" in told
    assert "is not faster by as much as would matter" in told


class _Concluding:
    def __init__(self, found: Outcome) -> None:
        self.tuning = found.tuning


def test_ceiling_and_time_line_come_first() -> None:
    page = html.render(tuned())
    assert Page(page)
    assert not {"script", "link", "img"} & set(_Text(page).tags)
    order = ["recommended for", "The ceiling", "Where the time goes", ">Settings<", "The best, "]
    places = [page.index(part) for part in order]
    assert places == sorted(places)
    assert "@media print" in page
    assert "prefers-color-scheme: dark" in page


@pytest.mark.slow
@pytest.mark.parametrize("width", [1100, 400])
def test_the_page_in_a_browser(tmp_path: Path, width: int) -> None:
    page = tmp_path / "report.html"
    page.write_text(html.render(tuned()), "utf-8")
    seen: Any = opened(page, width)
    assert seen["console"] == []
    assert seen["overflow"] <= 0
    assert all(svg["inside"] for svg in seen["svgs"])
    assert "The ceiling" in seen["words"]
