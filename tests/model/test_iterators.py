"""Iterators of loaders: kept by `cycle`, made again, asked for twice, and made once for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.findings.places import Place
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.one_shot_streams import epochs_on_one_object, one_shot
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.cycles import cycles
from dlint.model.loops.iterator_restarts import restarts
from dlint.model.loops.shared_iterators import clashes, may_begin_twice

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import torch
from itertools import cycle
from torch.utils.data import DataLoader, IterableDataset

"""


def _text(place: Place | None) -> str:
    """What stands at a place."""
    assert place is not None
    return Path(place.path).read_text("utf-8")[place.start : place.end]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("loader", True),
        ("iter(loader)", True),
        ("list(loader)", False),
        ("[1, 2]", False),
    ],
)
def test_loaders_that_are_cycled(context: MakeContext, given: str, kept: bool) -> None:
    text = f"{HEAD}loader = DataLoader([1])\nfor x in cycle({given}):\n    print(x)\n"
    found = list(cycles(context(text)))
    assert [_text(one.place) for one in found] == [f"cycle({given})"] * kept
    assert [_text(loader.place) for one in found for loader in one.loaders] == (
        ["DataLoader([1])"] * kept
    )


NESTED = """
def run(data, flag):
    loader = DataLoader(data, num_workers=2, persistent_workers={persistent})
    other = DataLoader(data, num_workers=2)
    for x in {outer}:
        for y in {inner}:
            print(x, y)
"""


TAKEN = """
def run(data, model, steps):
    loader = DataLoader(data, num_workers=2)
    batches = iter(loader)
    {begin}
    for step in range(steps):
        try:
            x = next(batches)
        except StopIteration:
            batches = iter(loader)
            x = next(batches)
        model(x)
        if step % 100 == 0:
            {inside}

def score(model, batches):
    for x in batches:
        model(x)
"""


@pytest.mark.parametrize(
    ("begin", "inside", "twice"),
    [
        ("pass", "pass", False),
        ("pass", "score(model, loader)", True),
        ("pass", "model(next(iter(loader)))", True),
        ("score(model, loader)", "pass", False),
        ("pass", "score(model, DataLoader(data))", False),
        ("score(model, loader)", "score(model, DataLoader(data))", False),
    ],
)
def test_an_iteration_that_begins_inside_another(
    context: MakeContext, begin: str, inside: str, twice: bool
) -> None:
    program = context(HEAD + TAKEN.format(begin=begin, inside=inside))
    loaders = [one for made in program[Loaders].by_call().values() for one in made]
    assert may_begin_twice(loaders[0]) is twice


READ = """
class Batches:
    def __init__(self, loader):
        self.loader = loader
        self.batches = iter(loader)

    def __next__(self):
        try:
            return next(self.batches)
        except StopIteration:
            self.batches = iter(self.loader)
            return next(self.batches)

def run(data, model, steps):
    loader = DataLoader(data, num_workers=2)
    batches = Batches(loader)
    for step in range(steps):
        x = next(batches)
        {inside}
"""


@pytest.mark.parametrize(
    ("inside", "twice"),
    [
        ("model(x)", False),
        ("model(x, next(iter(loader)))", True),
        ("model(x, next(Batches(loader)))", True),
        ("sum(model(y) for y in loader)", True),
    ],
)
def test_an_object_that_hands_a_loop_its_batches(
    context: MakeContext, inside: str, twice: bool
) -> None:
    program = context(HEAD + READ.format(inside=inside))
    ((loader,),) = program[Loaders].by_call().values()
    assert may_begin_twice(loader) is twice


@pytest.mark.parametrize(
    ("persistent", "outer", "inner", "found"),
    [
        (True, "loader", "loader", [("for y in loader", "for x in loader")]),
        (False, "loader", "loader", []),
        (True, "loader", "other", []),
        (True, "loader", "(loader if flag else other)", []),
        (True, "zip(loader, loader)", "[1]", [("loader", "loader")]),
    ],
)
def test_one_iterator_asked_for_twice(
    context: MakeContext, persistent: bool, outer: str, inner: str, found: list[tuple[str, str]]
) -> None:
    text = HEAD + NESTED.format(persistent=persistent, outer=outer, inner=inner)
    clashing = list(clashes(context(text)))
    told = [(_text(c.inner).rstrip(":"), _text(c.outer).rstrip(":")) for c in clashing]
    assert told == found
    assert all(c.is_zipped is ("zip" in outer) for c in clashing)


RESTARTED = """
def run(data, model, loss, optimizer):
    loader = DataLoader(data)
    for step in range(1000):
        {around}x = next(iter(loader))
        loss(model(x)).backward()
        optimizer.step()
"""


@pytest.mark.parametrize(("around", "learns"), [("", True), ("with torch.no_grad(): ", False)])
def test_an_iterator_for_each_step(context: MakeContext, around: str, learns: bool) -> None:
    """A batch that is only looked at teaches nothing, whatever else the loop does."""
    text = HEAD + RESTARTED.format(around=around)
    (found,) = restarts(context(text))
    assert _text(found.loop_place).startswith("for step in range(1000)")
    assert _text(found.place) in ("next(iter(loader))", "iter(loader)")
    assert found.learns is learns


STREAM = """
class Lines(IterableDataset):
    def __init__(self, path):
        self.rows = {made}
    def __iter__(self):
        {reset}
        yield from self.rows

def run(path):
    loader = DataLoader(Lines(path), num_workers={workers})
    for epoch in range(3):
        for x in loader:
            print(x)
"""


@pytest.mark.parametrize(
    ("made", "reset", "once"),
    [
        ("open(path)", "pass", True),
        ("(line for line in path)", "pass", True),
        ("list(path)", "pass", False),
        ("open(path)", "self.rows = open(0)", False),
    ],
)
def test_streams_that_can_be_run_through_once(
    context: MakeContext, made: str, reset: str, once: bool
) -> None:
    text = HEAD + STREAM.format(made=made, reset=reset, workers=0)
    (dataset,) = context(text)[dataset_classes]
    found = one_shot(dataset)
    assert (found is not None) is once
    if found is not None:
        assert found.attribute == "rows"
        assert _text(found.source) == "self.rows"


@pytest.mark.parametrize(("workers", "again"), [(0, True), (2, False)])
def test_epochs_on_one_object(context: MakeContext, workers: int, again: bool) -> None:
    """Workers that end with the epoch are given the object anew."""
    text = HEAD + STREAM.format(made="open(path)", reset="pass", workers=workers)
    (dataset,) = context(text)[dataset_classes]
    (loader,) = dataset.loaders
    epoch = epochs_on_one_object(loader)
    assert (epoch is not None) is again
