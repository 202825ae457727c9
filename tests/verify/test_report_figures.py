"""Every figure of the page is one of the JSON report, and so is what its pictures draw."""

from __future__ import annotations

import json as json_text
import math
import re
from dataclasses import replace
from typing import Any

import pytest

from dlint.findings.diagnostic import Applicability
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.judge.seen import interval
from dlint.verify.judge.statistics import Pair, estimate
from dlint.verify.measure.pairs import Measured, Sample
from dlint.verify.plan.candidates import Candidate, Spot
from dlint.verify.plan.claims import Observable
from dlint.verify.report import html, json
from dlint.verify.run.runner import Run
from tests.verify.made import run
from tests.verify.test_report import Page

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TICK = re.compile(r"[\d.]+(?:e[-+]\d+)?(?:x| ms| s| MiB| GiB)?")
_RATIOS = (0.6931, 0.7419, 0.6627, 0.7108)
_STEPS = (0.0213, 0.0107)


def _run(step: float, waits: float) -> Run:
    """Steps of one length, some of which is waited; memory that goes up and down."""
    made = run(step=step)
    (record,) = made.records
    (own,) = record.loaders
    given = tuple(moment + waits for moment in own.entered)
    update = {"loaders": (own.model_copy(update={"given": given}),)}
    made = replace(made, records=[record.model_copy(update=update)])
    made.memory.trace[:] = [(0.1, 103 << 20), (0.57, 129 << 20), (1.3, 117 << 20)]
    return made


def _outcome() -> Outcome:
    spot = Spot("train.py", 37, "a message")
    tried = Candidate(
        "rule", "DLT1", "memory", Observable.MEMORY, Applicability.SAFE, "title", (spot,)
    )
    runs = [[_run(step, step / 3) for _ in _RATIOS] for step in _STEPS]
    sides = [Sample([step] * 4, made) for step, made in zip(_STEPS, runs, strict=True)]
    pairs = [Pair((0.01 * math.exp(ratio),), (0.01,)) for ratio in _RATIOS]
    found = estimate(pairs, 0.95, 0.03)
    order = [("A", 0.0213), ("B", 0.0107), ("B", 0.0107), ("A", 0.0213)]
    measured = Measured(pairs, (), sides[0], sides[1], order, found)
    worth = {"before": 2.63, "after": 1.91, "how": "measured", "steps": 53}
    sides_told = [
        {"wait_share": 0.37, "wait_shares": [0.37], "wait_rank": 0, "step_seconds": _STEPS[0]},
        {"wait_share": 0.11, "wait_shares": [0.11], "wait_rank": 0, "step_seconds": _STEPS[1]},
    ]
    details: dict[str, Any] = {
        "observable": "seconds an epoch",
        "step": {**interval(found), "speedup": 1.87},
        "epoch": {**interval(found), "speedup": 1.43, **worth},
        "before": {**sides_told[0], "boundary_seconds": 0.71, "gpu_bytes": 301 << 20},
        "after": {**sides_told[1], "boundary_seconds": 0.43, "gpu_bytes": 411 << 20},
    }
    paying = Result((tried,), Mode.ALONE, Verdict.CONFIRMED, "", None, measured, found, details)
    return Outcome(
        "train.py",
        ["python", "train.py"],
        [paying],
        environment={"cpu": "of 17 cores", "torch": "2.13.0", "load": 1.37},
        method={"pairs": 24, "confidence": 0.95},
        floor=0.0123,
        runs=19,
        seconds=83.4,
        when="2026-11-23T01:02:03+00:00",
    )


def _told(found: Any) -> set[str]:
    """Every number of the values, in each way in which one is told."""
    if isinstance(found, dict):
        return set().union(*map(_told, found.values()), *map(_told, found))
    if isinstance(found, list):
        return set().union(*map(_told, found))
    if isinstance(found, str):
        return set(_NUMBER.findall(found))
    if found is None or isinstance(found, bool):
        return set()
    ways = ("", ".2f", ".0f", ".1f", ".3g", ".0%", ".1%")
    scaled = (found, 1000 * found, 100 * found, found / 2**20)
    shown = [format(value, way) for value in scaled for way in ways]
    return {number for text in shown for number in _NUMBER.findall(text)}


@pytest.fixture(name="made")
def _made() -> Outcome:
    return _outcome()


@pytest.fixture(name="document")
def _document(made: Outcome) -> Any:
    return json_text.loads(json.render(made))


def _pictures(made: Outcome) -> list[str]:
    return re.findall(r"<svg.*?</svg>", html.render(made))


def test_every_figure_of_the_page_is_of_the_json(made: Outcome, document: Any) -> None:
    (fix,) = document["fixes"]
    samples = fix["samples"]
    sides = [samples[side] for side in ("before", "after")]
    means = [sum(side[k]) / len(side["steps"]) for side in sides for k in ("steps", "waits")]
    ratios = [math.exp(ratio) for ratio in samples["log_ratios"]]
    body = Page(re.sub(r"<style>.*?</style>", "", html.render(made), flags=re.S))
    said = " ".join(word for word in body.words if not _TICK.fullmatch(word.strip()))
    cells = {word.strip() for word in body.words if re.fullmatch(r"[\d.]+x?", word.strip())}
    known = _told({**document, "worked out": [*means, *ratios]})
    assert set(_NUMBER.findall(said)) - known == set()
    assert {f"{fix['speedup']:.2f}x", str(fix["pairs"])} <= cells
    for figure in ("1.43x", "1.87x", "2.63", "1.91", "53", "37%", "11%", "301", "411", "1.2%"):
        assert figure in said


def test_pairs_are_drawn_where_their_ratios_lie(made: Outcome, document: Any) -> None:
    (fix,) = document["fixes"]
    drawn = [float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', _pictures(made)[0])]
    (one,) = re.findall(r'y1="([\d.]+)" x2="[\d.]+" y2="[\d.]+" class="rule"', _pictures(made)[0])
    ratios = fix["samples"]["log_ratios"]
    each = [(float(one) - y) / ratio for y, ratio in zip(drawn, ratios, strict=True)]
    assert each == pytest.approx([each[0]] * len(ratios), rel=0.01), "one scale, from 1x on"
    band = re.search(
        r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" class="band"', _pictures(made)[0]
    )
    assert band is not None
    top, height = map(float, band.groups())
    bounds = [(float(one) - y) / each[0] for y in (top + height, top)]
    assert bounds == pytest.approx([math.log(fix["low"]), math.log(fix["high"])], abs=0.02)


def test_steps_are_drawn_as_often_as_they_took_so_long(made: Outcome, document: Any) -> None:
    (fix,) = document["fixes"]
    picture = _pictures(made)[1]
    (last,) = re.findall(r'text-anchor="end">([\d.]+) ms<', picture)
    for side in ("before", "after"):
        found = re.findall(rf'<rect x="([\d.]+)" .*? height="([\d.]+)" class="{side}"', picture)
        heights = [float(height) for _, height in found]
        steps = [1000 * seconds for seconds in fix["samples"][side]["steps"]]
        most = max(range(len(heights)), key=heights.__getitem__)
        width = float(last) / len(heights)
        held = sum(most * width <= step < (most + 1) * width for step in steps)
        assert held / len(steps) == pytest.approx(heights[most] / sum(heights), abs=0.01)


def test_waiting_is_drawn_as_its_part_of_a_step(made: Outcome, document: Any) -> None:
    (fix,) = document["fixes"]
    rows = re.findall(r'width="([\d.]+)" height="28.0" class="(wait|work)"', _pictures(made)[2])
    widths = [(float(width), kind) for width, kind in rows]
    assert [kind for _, kind in widths] == ["wait", "work"] * 2
    sides = [fix["samples"][side] for side in ("before", "after")]
    for side, (wait, _), (work, _) in zip(sides, widths[::2], widths[1::2], strict=True):
        share = sum(side["waits"]) / sum(side["steps"])
        assert wait / (wait + work) == pytest.approx(share, abs=0.01)
    whole = [sum(width for width, _ in widths[n : n + 2]) for n in (0, 2)]
    means = [sum(side["steps"]) / len(side["steps"]) for side in sides]
    assert whole[1] / whole[0] == pytest.approx(means[1] / means[0], rel=0.01)


def test_memory_is_drawn_as_it_was_sampled(made: Outcome, document: Any) -> None:
    (fix,) = document["fixes"]
    lines = re.findall(
        r'<polyline points="([^"]+)" class="(before|after)-line"', _pictures(made)[3]
    )
    assert [side for _, side in lines] == ["before", "after"]
    for points, side in lines:
        drawn = [tuple(map(float, point.split(","))) for point in points.split()]
        trace = fix["samples"][side]["memory"]
        assert len(drawn) == len(trace)
        for axis, number in ((0, 0), (1, 1)):
            one, two, three = (point[axis] for point in drawn)
            first, second, third = (row[number] for row in trace)
            part = (second - first) / (third - first)
            assert (two - one) / (three - one) == pytest.approx(part, abs=0.03)
