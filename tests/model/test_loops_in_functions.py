"""A loop in a function of its own is told what it is told where it stands in its caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.findings.places import Place
from dlint.model.loading.engine_loaders import engine_loaders
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_only_evaluated
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.batch_retention import retentions
from dlint.model.loops.epochs import is_evaluation
from dlint.model.loops.iterator_ends import overreads
from dlint.model.loops.iterator_restarts import overruns, restarts
from dlint.model.loops.normalized_batches import norm_on_batches
from dlint.model.transfers.converted_batches import are_floats
from dlint.model.transfers.copy_races import overwrites
from dlint.model.worth.volume import volume_of

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader

"""


def _text(place: Place) -> str:
    """What stands at a place."""
    return Path(place.path).read_text("utf-8")[place.start : place.end]


READ = """
def read(loader, batches, model):
    for step in range(len(loader)):
        model(next(batches)).backward()

def train(data, model):
    loader = DataLoader(data)
    {before}
    for epoch in range(10):
        {inside}
        read(loader, {batches}, model)
"""


@pytest.mark.parametrize(
    ("before", "inside", "batches", "found"),
    [
        ("batches = iter(loader)", "pass", "batches", ["next(batches)"]),
        ("pass", "batches = iter(loader)", "batches", []),
        ("pass", "pass", "iter(loader)", []),
    ],
)
def test_an_iterator_that_each_round_hands_on(
    context: MakeContext, before: str, inside: str, batches: str, found: list[str]
) -> None:
    analysed = context(HEAD + READ.format(before=before, inside=inside, batches=batches))
    overrun = list(overruns(analysed))
    assert [_text(one.place) for one in overrun] == found
    assert [_text(one.outer_place) for one in overrun] == ["for epoch in range(10):"] * len(found)


def test_an_iterator_whose_end_a_caller_awaits(context: MakeContext) -> None:
    text = READ.format(before="it = iter(loader)", inside="pass", batches="it")
    tried = text.replace(
        "        read(loader, it, model)",
        "        try:\n            read(loader, it, model)\n        except StopIteration:\n"
        "            it = iter(loader)",
    )
    assert [*overruns(context(HEAD + text))]
    assert not [*overruns(context(HEAD + tried))]


COPY = """
def run(data, buffer, model):
    for x in DataLoader(data):
        buffer.copy_(x)
        model(buffer.cuda(non_blocking=True)).backward()

def train(data, model):
    run(data, {given}, model)
{further}
"""


def test_a_buffer_that_is_handed_in(context: MakeContext) -> None:
    pinned = "torch.empty(8, pin_memory=True)"
    text = HEAD + COPY.format(given=pinned, further="")
    assert [_text(one.allocation) for one in overwrites(context(text))] == [pinned]
    plain = HEAD + COPY.format(given="torch.empty(8)", further="")
    assert not list(overwrites(context(plain)))
    other = COPY.format(
        given=pinned, further="\ndef other(data, model, b):\n    run(data, b, model)\n"
    )
    assert not list(overwrites(context(HEAD + other)))


KEEP = """
def collect(data, kept):
    for x, y in DataLoader(data, num_workers=2):
        kept.append(y)

def main(data):
    labels = []
    collect(data, labels)
    return torch.{join}(labels)
"""


def test_a_list_that_its_caller_joins(context: MakeContext) -> None:
    text = HEAD + KEEP.format(join="cat")
    assert [kept.copied for kept in retentions(context(text))] == ["y.clone()"]
    assert not list(retentions(context(HEAD + KEEP.format(join="nothing_of_torch"))))


VIEWS = """
def arrays(data):
    for x in DataLoader(data, num_workers=2{more}):
        {yielded}

def main(data):
    kept = []
    for array in arrays(data):
        kept.append({each})
    return np.concatenate(kept)
"""
KEPT_VIEWS = [
    ("yield x.numpy()", "array", "", 1),
    ("yield x.flatten(0, 1).detach().numpy()", "array", "", 1),
    ("yield x.numpy()", "array.copy()", "", 0),
    ("yield x.numpy().copy()", "array", "", 0),
    ("yield x.double().numpy()", "array", "", 0),
    ("yield x.numpy() if len(x) else None", "array", "", 0),
    ("yield x.numpy(); yield x.numpy().mean(0)", "array", "", 0),
    ("yield x.numpy(); break", "array", "", 0),
    ("yield x.numpy()", "array", ", pin_memory=True", 0),
]


@pytest.mark.parametrize(("yielded", "each", "more", "count"), KEPT_VIEWS)
def test_views_that_a_generator_yields(
    context: MakeContext, yielded: str, each: str, more: str, count: int
) -> None:
    text = f"import numpy as np\n{HEAD}" + VIEWS.format(yielded=yielded, each=each, more=more)
    assert len(list(retentions(context(text)))) == count


NORM = """
def run(loader, model):
    for x in loader:
        model(x.cuda()).sum().backward()

def train(data):
    loader = DataLoader(data, batch_size=8)
    model = nn.Sequential(nn.Flatten(), nn.BatchNorm1d(4)).cuda()
    {mode}
    run(loader, model)
"""


@pytest.mark.parametrize(("mode", "found"), [("pass", True), ("model.eval()", False)])
def test_a_model_that_is_handed_in(context: MakeContext, mode: str, found: bool) -> None:
    analysed = context(HEAD + NORM.format(mode=mode))
    (loop,) = analysed[batch_loops]
    loader = analysed[Loaders].of(next(iter(loop.loaders)))
    norm = norm_on_batches(loader, loop)
    assert (norm is not None) is found


FLOATS = """
from torchvision import datasets, transforms

def run(data, model):
    for x, y in DataLoader(data):
        model(x)

def main():
    run(datasets.ImageFolder("x", transforms.Compose([transforms.{step}()])), print)
"""


@pytest.mark.parametrize("step", ["ToTensor", "PILToTensor"])
def test_transforms_where_the_data_set_is_made(context: MakeContext, step: str) -> None:
    analysed = context(HEAD + FLOATS.format(step=step))
    (loop,) = analysed[batch_loops]
    (made,) = loop.loaders
    assert are_floats(analysed[Loaders].of(made)) is (step == "ToTensor")


NAMED = """
def {inner}(data, model):
    for x in DataLoader(data):
        model(x)

def evaluate(data, model):
    {inner}(data, model)

def {outer}(data, model):
    {inner}(data, model)

evaluate([], print)
{outer}([], print)
"""


@pytest.mark.parametrize(
    ("inner", "outer", "evaluates"),
    [
        ("run", "validate", True),
        ("run", "go", False),
        ("train_probe", "validate", False),
        ("test", "go", True),
    ],
)
def test_functions_that_only_evaluations_come_to(
    context: MakeContext, inner: str, outer: str, evaluates: bool
) -> None:
    (loop,) = context(HEAD + NAMED.format(inner=inner, outer=outer))[batch_loops]
    assert is_evaluation(loop) is evaluates
    assert loop.evaluates is evaluates


ENGINE = """
import deepspeed

def run(loader, engine):
    for x in loader:
        engine.backward(engine(x))

def train(data, model):
    engine, _, loader, _ = deepspeed.initialize(model=model, training_data=data)
    for epoch in range(3):
        run({given}, engine)
"""


@pytest.mark.parametrize(("given", "found"), [("loader", 1), ("data", 0)])
def test_an_engines_loader_that_is_handed_on(context: MakeContext, given: str, found: int) -> None:
    engines = list(engine_loaders(context(ENGINE.format(given=given))))
    assert [_text(one.batches.place) for one in engines] == ["for x in loader:"] * found
    assert [_text(one.epochs.place) for one in engines] == ["for epoch in range(3):"] * found


COUNTED = """
def read(total, batches, model):
    for step in range(total):
        model(next(batches)).backward()

def train(data, model):
    loader = DataLoader(data)
    total = {times} * len(loader)
    go(total, iter(loader), model)

def go(total, batches, model):
    read(total, batches, model)
"""


@pytest.mark.parametrize(("times", "found"), [(5, ["next(batches)"]), (1, [])])
def test_a_number_of_steps_that_is_handed_in(
    context: MakeContext, times: int, found: list[str]
) -> None:
    analysed = context(HEAD + COUNTED.format(times=times))
    assert [_text(one.place) for one in overreads(analysed)] == found


LENGTH = """
def read(steps, batches, model):
    for step in range(steps):
        model(next(batches)).backward()

def train(data, model):
    loader = DataLoader(data)
    batches = iter(loader)
    for epoch in range(10):
        steps = {steps}
        read(steps, batches, model)
"""


@pytest.mark.parametrize(("steps", "found"), [("len(loader)", 1), ("model.steps", 0)])
def test_a_length_that_is_handed_in(context: MakeContext, steps: str, found: int) -> None:
    assert len([*overruns(context(HEAD + LENGTH.format(steps=steps)))]) == found


LOOK = """
def main():
    loader = DataLoader([1])
    print(next(iter(loader)))
    with torch.no_grad():
        for x in loader:
            print(x)
{start}
"""


@pytest.mark.parametrize(("start", "evaluates"), [("main()", True), ("main()\nmain()", False)])
def test_a_look_of_what_runs_once(context: MakeContext, start: str, evaluates: bool) -> None:
    analysed = context(HEAD + LOOK.format(start=start))
    ((loader,),) = analysed[Loaders].by_call().values()
    assert is_only_evaluated(loader) is evaluates


TIMED = """
import time

def ask(model, loader):
    for i in range(10):
        model(next(iter(loader)))

def measure(data, model):
    loader = DataLoader(data, num_workers=4)
    begun = {clock}
    ask(model, loader)
"""


@pytest.mark.parametrize(("clock", "found"), [("time.time()", 0), ("0", 1)])
def test_a_caller_that_takes_the_time(context: MakeContext, clock: str, found: int) -> None:
    assert len([*restarts(context(HEAD + TIMED.format(clock=clock)))]) == found


SPLIT = """
from torch.utils.data import random_split

def run(part):
    return DataLoader(part, batch_size=128)

def main(data):
    first, second = random_split(data, [len(data) - {size}, {size}])
    return run(second)
"""


@pytest.mark.parametrize(("size", "fills"), [(1024, True), (1000, False)])
def test_the_length_of_a_part_that_is_handed_in(
    context: MakeContext, size: int, fills: bool
) -> None:
    ((loader,),) = context(HEAD + SPLIT.format(size=size))[Loaders].by_call().values()
    assert volume_of(loader).fills_batches is fills
