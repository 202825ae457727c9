"""The page with pictures: it opens from disk, loads nothing, and can be read without scripts."""

from __future__ import annotations

import json as json_text
import math
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dlint.findings.diagnostic import Applicability
from dlint.verify.judge.results import Mode, Outcome, Result, Verdict
from dlint.verify.judge.statistics import Pair, estimate
from dlint.verify.measure.pairs import Measured, Sample
from dlint.verify.measure.traces import DeviceTime
from dlint.verify.plan.candidates import Candidate, NotTried, Spot
from dlint.verify.plan.claims import Observable
from dlint.verify.report import html, json, markdown, pictures, words
from dlint.verify.run.runner import Run
from tests.verify.made import matches_schema, run

_VOID = {"meta", "rect", "line", "circle", "polyline"}
_EVIL = '<script src="http://x/y.js">alert(1)</script>&"'


class Page(HTMLParser):
    """What a page holds; fails on a tag that is not closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def _run(step: float) -> Run:
    made = run(step=step)
    made.memory.trace[:] = [(0.1, 100 << 20), (0.5, 120 << 20), (1.0, 110 << 20)]
    return made


def outcome() -> Outcome:
    """A fix that pays, and one that fails; with words that would harm a careless page."""
    spot = Spot(f"/p/{_EVIL}.py", 3, _EVIL)
    tried = Candidate(
        f"rule {_EVIL}", "DLT1", "throughput", Observable.STEP, Applicability.SAFE, _EVIL, (spot,)
    )
    sides = [Sample([s] * 4, [_run(s) for _ in range(4)]) for s in (0.02, 0.01)]
    ratios = [0.69, 0.7, 0.68, 0.69]
    pairs = [Pair((0.01 * math.exp(ratio),), (0.01,)) for ratio in ratios]
    order = [("A", 0.02), ("B", 0.01), ("B", 0.01), ("A", 0.02)]
    found = estimate(pairs, 0.95, 0.03)
    measured = Measured(pairs, (), sides[0], sides[1], order, found)
    paying = Result((tried,), Mode.ALONE, Verdict.CONFIRMED, _EVIL, None, measured, found)
    failed = Result((tried,), Mode.ALONE, Verdict.FAILED, "so", stderr=_EVIL)
    return Outcome(
        program=_EVIL,
        command=["python", _EVIL],
        results=[paying, failed],
        not_tried=[NotTried(_EVIL, spot, _EVIL)],
        notes=[_EVIL],
        environment={"cpu": _EVIL, "torch": "2.13.0"},
        method={"pairs": 24, "keep_going": False},
    )


def test_the_page(tmp_path: Path) -> None:
    text = html.render(outcome())
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {"src", "href", "action", "srcset"} & names
    assert not [name for name in names if name.startswith("on")]
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert not re.search(r"url\(|@import|@font-face", style)
    assert 'http-equiv="refresh"' not in text
    assert page.tags.count("svg") == 3
    assert page.tags.count("h2") == 5


def test_everything_can_be_read_without_scripts() -> None:
    words = " ".join(Page(html.render(outcome())).words)
    for shown in ("confirmed", "failed", "1.99x", "4", "/p/", "Not tried", "2.13.0", _EVIL):
        assert shown in words
    for caption in ("speedup of each pair", "time of a step", "waiting for data"):
        assert caption in words


def test_the_page_tells_the_method() -> None:
    page = Page(html.render(outcome()))
    words = " ".join(page.words)
    assert "pairs 24" in words
    assert "keep going no" in words


def test_the_schema_holds_for_what_is_printed() -> None:
    told = outcome()
    device = DeviceTime(1.0, 0.5, {"pinned": 1}, 0, 0.0, 0.0)
    shown = {**device._asdict(), "idle": device.idle, "overlap": device.overlap}
    told.results[0].details = {"observable": "x", "before": {"device": shown}}
    matches_schema(json_text.loads(json.render(told)))
    empty = Outcome("train.py", ["python", "train.py"])
    matches_schema(json_text.loads(json.render(empty)))


def test_what_the_device_did_is_part_of_the_step() -> None:
    told = outcome()
    device = {"seconds": 1.0, "busy": 0.25, "copying": 0.5, "idle": 0.75, "overlap": 0.2}
    sides = {side: {"device": {**device, "copies": {"pinned": 1}}} for side in ("before", "after")}
    told.results[0].details = {**sides}
    words = " ".join(Page(html.render(told)).words)
    assert "GPU: copies 50% of the time, kernels 25%, no kernel 75%" in words.replace("  ", " ")


def test_what_is_pasted_names_places_and_ends_of_errors() -> None:
    told = outcome()
    told.not_tried = [NotTried("rule", Spot(str(Path.cwd() / "a.py"), 3, ""), "so")]
    told.results[1].candidates = (told.results[1].candidates[0]._replace(name="x | y"),)
    text = markdown.render(told)
    assert "- rule (a.py:3) was not tried: so" in text
    assert f"**rule {_EVIL}**: /p/{_EVIL}.py:3; " in text
    assert f"  ~~~\n  {_EVIL}\n  ~~~" in text
    assert "| x \\| y | alone | failed |" in text


def test_what_a_fix_is_worth_beside_the_others() -> None:
    result = outcome().results[0]
    result.mode = Mode.WITHOUT
    said = {}
    for verdict in (Verdict.CONFIRMED, Verdict.NO_EFFECT, Verdict.SLOWER, Verdict.INCONCLUSIVE):
        result.verdict = verdict
        said[verdict] = next(remark for remark in words.remarks(result) if "beside" in remark)
    assert len(set(said.values())) == 4
    assert said[Verdict.SLOWER] == "beside the others it costs time"


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (47.3, [0, 20, 40, 60]),
        (100.0, [0, 50, 100]),
        (0.0031, [0, 0.001, 0.002, 0.003, 0.004]),
        (1.0, [0, 0.5, 1.0]),
    ],
)
def test_axes_have_round_numbers(most: float, ticks: list[float]) -> None:
    assert pictures.round_ticks(most) == pytest.approx(ticks)


def test_ratios_have_round_numbers() -> None:
    assert pictures.ratio_ticks(math.log(0.9), math.log(2.2))[:2] == [1, 2]
    near = pictures.ratio_ticks(math.log(0.99), math.log(1.02))
    assert {1.0, 1.01} <= {round(tick, 6) for tick in near}
    assert all(0.99 <= tick <= 1.02 for tick in near)


def test_a_few_long_steps_do_not_hide_the_others() -> None:
    """They are counted in the last bar, and that is said."""
    sides = {"steps": [0.010] * 97 + [4.0] * 2, "waits": [], "memory": []}
    page = Page(pictures.steps({"samples": {"before": sides, "after": sides}}))
    assert "4 longer ones are in the last bar" in " ".join(page.words)
    assert "10 ms" in page.words
    calm = {**sides, "steps": [0.010] * 99}
    told = " ".join(Page(pictures.steps({"samples": {"before": calm, "after": calm}})).words)
    assert "longer" not in told


def test_what_was_tried_is_shown_as_a_diff() -> None:
    made = outcome()
    made.results[0].diff = f"--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-x\n+y  # {_EVIL}\n"
    page = Page(html.render(made))
    assert ("class", "added") in page.attributes
    assert f"+y  # {_EVIL}" in page.words
    assert f"  +y  # {_EVIL}" in markdown.render(made).splitlines()
    assert "  ~~~diff" in markdown.render(made).splitlines()
    made.results[0].diff = "+~~~\n" * 2
    assert "  ~~~~~diff" in markdown.render(made).splitlines(), "no line ends it"
    made.results[0].diff = "+y\n" * 9000
    assert "+y" not in markdown.render(made), "a comment has no room for that"


def test_reports_name_the_arguments_and_keep_secrets() -> None:
    made = outcome()
    made.command = [sys.executable, __file__, "--epochs", "3", "--wandb-key", "s3cret"]
    for told in (html.render(made), words.scope(made), json.render(made)):
        assert "s3cret" not in told
    named = f"{Path(sys.executable).name} {__file__} --epochs 3 --wandb-key \u2026"
    assert words.scope(made).startswith(f"`{named}`, measured on ")
    assert f"<code>{named}</code>" in html.render(made)


def test_the_confidence_is_told_as_it_was_used() -> None:
    made = outcome()
    assert "intervals of 95 % at any time" in words.scope(made)
    (first, *_) = made.results
    assert first.estimate is not None
    other = replace(first, estimate=first.estimate._replace(confidence=0.975))
    made.results.append(other)
    assert "intervals of 95 % or 97.5 % at any time" in words.scope(made)


def test_pictures_say_what_they_show() -> None:
    page = Page(html.render(outcome()))
    labels = [value for name, value in page.attributes if name == "aria-label"]
    assert len(labels) == page.tags.count("svg")
    assert all(labels)


def test_memory_is_drawn_where_it_is_judged() -> None:
    made = outcome()
    (first, *_) = made.results
    (tried,) = first.candidates
    first.candidates = (tried._replace(observable=Observable.MEMORY),)
    assert "memory of all" in " ".join(Page(html.render(made)).words)


def test_every_pair_is_told_and_what_a_step_and_an_epoch_are_worth() -> None:
    made = outcome()
    result = made.results[0]
    numbers = {"speedup": 2.0, "low": 1.8, "high": 2.2}
    result.details |= {"observable": "seconds an epoch", "step": numbers}
    epoch = {"speedup": 1.38, "low": 1.2, "high": 1.5, "how": "measured", "steps": 50}
    result.details["epoch"] = {**epoch, "before": 2.6, "after": 1.9}
    first, second, *rest = words.remarks(result)
    assert first == "an epoch 2.6 \u2192 1.9 s, 1.38x (1.20..1.50), measured, of 50 steps"
    assert second == "a step 2.00x (1.80..2.20)"
    seconds = {"before": {"step_seconds": 0.02}, "after": {"step_seconds": 0.01}}
    result.details |= seconds
    assert "a step 20 \u2192 10 ms, 2.00x (1.80..2.20)" in words.remarks(result)
    assert "pairs: 1.99x, 2.01x, 1.97x, 1.99x" in rest
