"""On which of its loaders a loop takes no gradient step."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_only_evaluated
from dlint.model.loops.phases import loops_of, spared_keys
from tests.analyses.control.programs import MakeProgram

KEYS = """
from torch.utils.data import DataLoader
from tqdm import tqdm

TRAIN = "train"


def fit(first, second, model, criterion, opt):
    loaders = {{"train": DataLoader(first), "val": DataLoader(second)}}
    for epoch in range(10):
        for phase in [TRAIN, "val"]:
            is_train = phase == TRAIN
            model.train(is_train)
            for x, y in tqdm(loaders[phase]):
                opt.zero_grad()
                loss = criterion(model(x), y)
{learn}
"""

CALLS = """
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, first, second, model, opt):
        self.first, self.second = DataLoader(first), DataLoader(second)
        self.model, self.opt = model, opt

    def step(self, x, {flag}):
        loss = self.model(x).sum()
        if learning:
            loss.backward()

    def epoch(self, loader, {flag}):
        for x in loader:
{learn}

    def fit(self, epochs):
        for _ in range(epochs):
            self.epoch(self.first, {on})
            self.epoch(self.second{off})
"""


def _evaluated(context: MakeProgram, program: str) -> list[bool]:
    """For each loader, whether it is only evaluated."""
    groups = context(program)[Loaders].by_call()
    return [is_only_evaluated(loader) for loaders in groups.values() for loader in loaders]


@pytest.mark.parametrize(
    "learn",
    [
        "if phase == 'train':\n    loss.backward()",
        "if phase == TRAIN:\n    loss.backward()",
        "if is_train and x:\n    loss.backward()",
        "if phase != 'train':\n    continue\nloss.backward()",
        "if not is_train:\n    print(loss)\nelse:\n    loss.backward()",
    ],
)
def test_a_loader_under_the_key_of_another_phase(context: MakeProgram, learn: str) -> None:
    program = KEYS.format(learn="\n".join(" " * 16 + line for line in learn.split("\n")))
    assert _evaluated(context, program) == [False, True]


HANDED = """
from torch.utils.data import DataLoader


def run(loaders, phase, model):
    for x in loaders[phase]:
        loss = model(x)
        if phase == "train":
            loss.backward()


def fit(first, second, model, phases):
    loaders = {{"train": DataLoader(first), "val": DataLoader(second)}}
    for _ in range(10):
        {calls}
"""


@pytest.mark.parametrize(
    ("calls", "evaluated"),
    [
        ("for phase in ['train', 'val']: run(loaders, phase, model)", [False, True]),
        ("for phase in ['val', 'train']: run(loaders, model=model, phase=phase)", [False, True]),
        ("run(loaders, 'train', model); run(loaders, 'val', model)", [False, True]),
        ("for phase in phases: run(loaders, phase, model)", [False, False]),
        ("run(loaders, 'val', model); run(loaders, *phases)", [False, False]),
    ],
)
def test_a_function_that_is_handed_the_phase(
    context: MakeProgram, calls: str, evaluated: list[bool]
) -> None:
    assert _evaluated(context, HANDED.format(calls=calls)) == evaluated


@pytest.mark.parametrize(
    "learn",
    [
        "loss.backward()",
        "if epoch > 2:\n    loss.backward()",
        "if phase in ('train', 'val'):\n    loss.backward()",
        "if phase == opt.phase:\n    loss.backward()",
        "if phase == 'train':\n    loss.backward()\nloss.backward()",
    ],
)
def test_a_gradient_that_may_be_of_either(context: MakeProgram, learn: str) -> None:
    program = KEYS.format(learn="\n".join(" " * 16 + line for line in learn.split("\n")))
    assert _evaluated(context, program) == [False, False]


@pytest.mark.parametrize(
    ("flag", "on", "off", "learn"),
    [
        ("learning", "True", ", False", "loss = self.model(x)\nif learning:\n    loss.backward()"),
        ("learning", "True", ", False", "self.step(x, learning)"),
        ("learning=None", "self.opt", "", "if learning is not None:\n    self.model(x).backward()"),
        (
            "learning=None",
            "self.opt",
            "",
            "is_on = learning is not None\nif is_on:\n    self.model(x).backward()",
        ),
    ],
)
def test_a_loader_of_a_call_that_learns_nothing(
    context: MakeProgram, flag: str, on: str, off: str, learn: str
) -> None:
    body = "\n".join(" " * 12 + line for line in learn.split("\n"))
    program = CALLS.format(flag=flag, on=on, off=off, learn=body)
    assert _evaluated(context, program) == [False, True]


def test_a_call_that_may_learn(context: MakeProgram) -> None:
    body = " " * 12 + "self.step(x, learning)"
    program = CALLS.format(flag="learning", on="True", off=", self.opt", learn=body)
    assert _evaluated(context, program) == [False, False]


def test_one_loader_under_both_keys_is_trained_on(context: MakeProgram) -> None:
    program = KEYS.format(learn=" " * 16 + "if is_train:\n                    loss.backward()")
    both = '{x: DataLoader(first) for x in ("train", "val")}'
    shared = program.replace('{"train": DataLoader(first), "val": DataLoader(second)}', both)
    assert _evaluated(context, shared) == [False]


def test_the_key_tells_the_phase_of_loaders_that_the_module_holds(context: MakeProgram) -> None:
    program = """
from torch.utils.data import DataLoader

loaders = {"train": DataLoader(first), "val": DataLoader(second)}


def fit(model):
    for phase in ["train", "val"]:
        for x in loaders[phase]:
            loss = model(x)
            if phase == "train":
                loss.backward()


fit(net)
"""
    assert _evaluated(context, program) == [False, True]


def test_a_loop_is_seen_with_the_loaders_of_its_phase(context: MakeProgram) -> None:
    program = KEYS.format(learn=" " * 16 + "if is_train:\n                    loss.backward()")
    made = context(program)
    for loaders in made[Loaders].by_call().values():
        (loop,) = loops_of(made, loaders[0].made)
        assert list(loop.loaders) == [loaders[0].made]


ITEMS = """
from torch.utils.data import DataLoader

def make(data):
    return DataLoader(data, shuffle=True)

def fit(first, second, model, names, others):
    loaders = {made}
    {more}
    for phase, loader in loaders.items():
        for i, (x, y) in enumerate(loader):
            loss = model(x, y)
            if phase == "train":
                loss.backward()

fit(a, b, net, ("train", "val"), {{"val": 1}})
"""
SHOWN = '{"train": make(first), "val": make(second)}'


@pytest.mark.parametrize(
    ("made", "more", "is_known"),
    [
        (SHOWN, "pass", True),
        ("dict(train=make(first), val=make(second))", "pass", True),
        ("{k: make(first[k]) for k in names}", "pass", True),
        ("{}", "for name in names: loaders[name] = make(name)", True),
        ("{k: make(first[k]) for k in model.names}", "pass", False),
        ("{'train': make(first), **others}", "pass", False),
        (SHOWN, "loaders.update(others)", False),
    ],
)
def test_the_names_of_what_a_loop_takes_from_a_dict(
    context: MakeProgram, made: str, more: str, is_known: bool
) -> None:
    analysed = context(ITEMS.format(made=made, more=more))
    found = [loader for group in analysed[Loaders].by_call().values() for loader in group]
    assert found
    spares = [spared_keys(analysed, loop, x.made) == ("val",) for x in found for loop in x.loops]
    assert (any(spares) or any(map(is_only_evaluated, found))) is is_known
