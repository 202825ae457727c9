"""Random transforms, and the origins of data sets."""

from __future__ import annotations

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.samples.random_transforms import drawing
from dlint.semantics.calls.call_contexts import CallContext
from tests.analyses.control.programs import MakeProgram

HEAD = """
import copy
import random
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, random_split
from torchvision import transforms as T
"""


def _asked(analysed: AnalysisContext) -> list[tuple[ex.Expression, CallContext]]:
    """What calls of `ask(…)` are given, in order."""
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    calls = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    return [(a.value, analysed.solver.root(c.scope)) for c in calls for a in c.arguments]


@pytest.mark.parametrize(
    ("text", "random"),
    [
        ("ask(T.Compose([T.ToTensor(), T.RandomCrop(4)]))", True),
        ("ask(T.Compose([T.ToTensor(), T.CenterCrop(4)]))", False),
        ("ask(T.RandomHorizontalFlip(p=1.0))", False),
        ("ask(T.RandomHorizontalFlip(0))", False),
        ("ask(T.RandomRotation(5))", True),
        ("ask(T.ColorJitter())", False),
        ("ask(nn.Sequential(T.RandomCrop(4), T.ToTensor()))", True),
        ("ask(T.Lambda(lambda x: x + torch.randn(3)))", True),
        ("steps = [T.ToTensor()]\nsteps.append(T.RandomCrop(4))\nask(T.Compose(steps))", True),
        ("steps = [T.RandomCrop(4)] + [T.ToTensor()]\nask(T.Compose(steps))", True),
        ("def f(x):\n    return x if random.random() < 1 else -x\nask(f)", True),
        ("def f(x):\n    random.seed(1)\n    return x * random.random()\nask(f)", False),
        ("def f(x, y):\n    return x * random.random() if y else x\nask(f)", False),
        ("def f(t):\n    return T.RandomCrop(4) if t else T.ToTensor()\nask(f(True))", True),
        ("def f(t):\n    return T.RandomCrop(4) if t else T.ToTensor()\nask(f(False))", False),
        ("def f(t):\n    if t:\n        return T.RandomCrop(4)\n    return 1\nask(f(True))", True),
        (
            "def f(t):\n    if t:\n        return T.RandomCrop(4)\n    return 1\nask(f(input()))",
            False,
        ),
        ("both = {'a': T.RandomCrop(4), 'b': T.ToTensor()}\nask(both['a'])", True),
        ("both = {'a': T.RandomCrop(4), 'b': T.ToTensor()}\nask(both['b'])", False),
    ],
)
def test_what_certainly_draws(context: MakeProgram, text: str, random: bool) -> None:
    analysed = context({"main.py": HEAD + text + "\n"})
    (asked,) = _asked(analysed)
    assert (drawing(analysed, *asked) is not None) is random


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a, b = random_split(make(), [1, 2])\nask(a.dataset, b.dataset)", True),
        ("d = make()\nask(Subset(d, [0]).dataset, d)", True),
        ("d = make()\nask(DataLoader(d).dataset, d)", True),
        ("ask(make(), make())", False),
    ],
)
def test_one_data_set(context: MakeProgram, text: str, same: bool) -> None:
    made = "from torchvision.datasets import MNIST as make\n"
    analysed = context({"main.py": HEAD + made + text + "\n"})
    first, second = (analysed[DatasetOrigins].of(*asked) for asked in _asked(analysed))
    assert first is not None
    assert (first == second) is same


def test_a_copy_is_not_followed(context: MakeProgram) -> None:
    text = "from torchvision.datasets import MNIST\nd = MNIST('x')\nask(copy.deepcopy(d), d)\n"
    analysed = context({"main.py": HEAD + text})
    first, second = (analysed[DatasetOrigins].of(*asked) for asked in _asked(analysed))
    assert first != second
