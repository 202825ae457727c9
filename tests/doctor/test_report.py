"""What is told of a diagnosis: every figure is one of the JSON's, and that is of its schema."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dlint.doctor import report
from dlint.doctor.hazards import Hazard
from dlint.doctor.remedies import Remedy, acts_on, remedies
from dlint.doctor.report import words
from dlint.doctor.report.json import data
from dlint.verify.plan.candidates import NotTried, Spot
from tests.doctor import made
from tests.verify.test_browser import opened

SCHEMA = Path(__file__).parents[2] / "docs" / "doctor.schema.json"
ANGRY = "<script>alert(1)</script>"


def values() -> dict[str, Any]:
    """Those of a run that never was, with one of everything."""
    found = made.diagnosed()
    spot = Spot("/project/train.py", 7, "a finding")
    remedy = Remedy("zero-workers", ANGRY, (spot,), ("loading",), 2.5, "dlint verify x", True)
    found.remedies = [remedy, remedy._replace(gain=None, acts_on=(), mended=False)]
    found.hazards = [Hazard("None", f"a hazard {ANGRY}", ("/project/train.py", 7))]
    found.tight = ["too little"]
    found.cautions = ["a caution"]
    found.command = [sys.executable, __file__, "--epochs", "3", "--token", "secret value"]
    found.trial = "dlint verify train.py --set num_workers=6"
    found.tune = "dlint verify train.py --tune"
    found.notes = ["a note"]
    found.environment = {"cpu": "a processor", "torch": "2.13.0", "cuda_used": False}
    return data(found)


def test_the_json_is_of_its_schema() -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.validate(json.loads(report.load("json")(values())), schema)
    empty = made.diagnosed(made.run(made.record(train=None)))
    jsonschema.validate(json.loads(report.load("json")(data(empty))), schema)


class _Text(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, text: str) -> None:
        self.words.append(text)


def _told(found: Any) -> set[str]:
    """Every number of the values, in each way in which one is told."""
    if isinstance(found, dict):
        return set().union(*map(_told, found.values()), *map(_told, found))
    if isinstance(found, (list, tuple)):
        return set().union(*map(_told, found))
    if isinstance(found, str):
        return set(_NUMBER.findall(found))
    if found is None or isinstance(found, bool):
        return set()
    shown = (
        *(str(found), f"{found:.2f}", f"{found:.1f}", f"{found:.0f}", f"{found:.4g}"),
        *(f"{found:.0%}", words.seconds(found), words.size(found), str(round(found))),
    )
    return {number for text in shown for number in _NUMBER.findall(text)}


_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.mark.parametrize("output_format", ["text", "markdown", "html"])
def test_every_figure_is_of_the_json(output_format: str) -> None:
    found = values()
    text = report.load(output_format)(found)
    if output_format == "html":
        body = _Text(text.partition("<body>")[2])
        text = re.sub(r"\bp(50|95|99)\b", "", " ".join(body.words))
    text = re.sub(r"\bp(50|95|99)\b", "", text)
    shares = [row["batch"] / found["fetching"]["batch"] for row in _stages(found)]
    of_all = sum(row["batch"] for row in _stages(found))
    bars = [row["batch"] / of_all for row in _stages(found)]
    known = _told({**found, "worked out": [*shares, *bars, len(found["ranks"])]})
    assert set(_NUMBER.findall(text)) - known - {"1"} == set()


def _stages(found: dict[str, Any]) -> list[dict[str, float]]:
    return list(found["fetching"]["stages"].values())


@pytest.mark.parametrize("output_format", ["text", "markdown", "html"])
def test_everything_is_told(output_format: str) -> None:
    found = values()
    text = report.load(output_format)(found)
    plain = re.sub(r"\s+", " ", "".join(_Text(text).words) if output_format == "html" else text)
    for part in (
        found["answer"]["sentence"],
        words.ceiling(found) or "",
        "waiting for data",
        "starting workers",
        "Resize",
        "too little",
        "a caution",
        f"`{Path(sys.executable).name} {__file__} --epochs 3 --token …`, examined",
        "dlint verify train.py --set num_workers=6",
        "dlint verify train.py --tune",
        "a hazard",
        "at most 2.50x",
        "not about time",
        "dlint verify x --fix-file PATCH",
        "a note",
        "torch 2.13.0",
    ):
        assert re.sub(r"\s+", " ", part) in plain, part


def test_the_page_runs_nothing_and_loads_nothing() -> None:
    page = report.load("html")(values())
    found = _Text(page)
    assert not {"script", "link", "img", "iframe"} & set(found.tags)
    assert "http" not in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_a_run_without_figures_is_told_too() -> None:
    found = made.diagnosed(made.run(made.record(train=None)))
    found.failure = "the script fails: ValueError"
    for output_format in ("text", "markdown", "html"):
        text = report.load(output_format)(data(found))
        assert words.NOTHING in text
        assert "ValueError" in text


@pytest.mark.parametrize(
    ("rule", "code", "claim", "parts"),
    [
        ("zero-workers", "DLT108", "throughput", ("loading",)),
        ("missing-persistent-workers", "DLT106", "startup", ("starting", "first", "tail")),
        ("missing-pin-memory", "DLT101", "throughput", ("copies", "synchronisation")),
        ("missing-non-blocking", "DLT301", "throughput", ("copies", "synchronisation")),
        ("host-sync-in-loop", "DLT802", "throughput", ("host", "synchronisation")),
        ("missing-shuffle", "DLT111", "order", ()),
        ("loss-history-kept", "DLT803", "memory", ()),
    ],
)
def test_the_time_that_a_rule_is_about(
    rule: str, code: str, claim: str, parts: tuple[str, ...]
) -> None:
    assert acts_on(rule, code, claim) == parts


def test_what_brings_most_comes_first() -> None:
    found = made.diagnosed()
    assert found.line is not None
    assert found.ceiling is not None
    spot = Spot("train.py", 3, "a message")
    names = ("missing-shuffle", "missing-persistent-workers", "zero-workers", "a.patch")
    left = [NotTried(name, spot, "why") for name in names]
    given = remedies([], left, found.line, found.ceiling, lambda rule: f"verify {rule}")
    assert [one.rule for one in given] == [
        "zero-workers",
        "missing-persistent-workers",
        "missing-shuffle",
    ]
    starting = sum(found.line.shares[name] for name in ("starting", "first", "tail"))
    assert given[0].gain == found.ceiling.gain
    assert given[1].gain == pytest.approx(1 / (1 - starting))
    assert given[2].gain is None
    assert given[0].command == "verify zero-workers"


def test_units() -> None:
    told = [words.seconds(x) for x in (None, 0.0, 2.5, 0.0123, 0.00005)]
    assert told == ["–", "0 ms", "2.50 s", "12.3 ms", "50 µs"]
    assert [words.size(x) for x in (512, 3 * 2**20, 2**31)] == ["0.5 KiB", "3.0 MiB", "2.0 GiB"]


def test_columns_without_figures_are_left_out() -> None:
    rows = [("a", "1", "–", ""), ("b", "–", "–", "")]
    assert words.table(("stage", "mean", "p50", "p95"), rows) == [
        ("stage", "mean"),
        ("a", "1"),
        ("b", "–"),
    ]
    assert words.table(("stage",), []) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [1100, 400])
def test_the_page_in_a_browser(tmp_path: Path, width: int) -> None:
    page = tmp_path / "report.html"
    page.write_text(report.load("html")(values()), "utf-8")
    seen = opened(page, width)
    assert seen["console"] == []
    assert seen["requests"] == [page.resolve().as_uri()]
    assert all(svg["inside"] for svg in seen["svgs"])
    assert seen["overflow"] <= 0
    assert "The ceiling" in seen["words"]
