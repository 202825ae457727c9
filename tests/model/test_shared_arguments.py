"""Loaders that are given an argument by the expression that a loader to train on is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.shared_arguments import trained_alike

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from torch.utils.data import DataLoader

def run(model, config, flag, other):
    train = DataLoader([1], shuffle={first})
    {between}
    val = DataLoader([2], shuffle={second})
    for x in train:
        {step}
    for x in val:
        model(x)
"""


@pytest.mark.parametrize(
    ("first", "second", "between", "step", "expected"),
    [
        ("flag", "flag", "pass", "model(x).backward()", True),
        ("config.a.shuffle", "config.a.shuffle", "pass", "model(x).backward()", True),
        ("config['a']['b']", "config['a']['b']", "pass", "model(x).backward()", True),
        ("flag", "same", "same = flag", "model(x).backward()", True),
        ("config.a", "same", "same = config.a", "model(x).backward()", True),
        ("flag", "flag", "pass", "model(x)", False),
        ("flag", "other", "pass", "model(x).backward()", False),
        ("flag", "flag", "flag = other", "model(x).backward()", False),
        ("True", "True", "pass", "model(x).backward()", False),
        ("not flag", "not flag", "pass", "model(x).backward()", False),
        ("config.a", "config.b", "pass", "model(x).backward()", False),
        ("config.a", "other.a", "pass", "model(x).backward()", False),
        ("config['a']", "config['b']", "pass", "model(x).backward()", False),
        ("config[flag]", "config[flag]", "pass", "model(x).backward()", False),
        ("config.a", "config.a", "config.a = False", "model(x).backward()", False),
        ("config.a.b", "config.a.b", "config.a = other", "model(x).backward()", False),
        ("config.a", "config.a", "config.c = False", "model(x).backward()", True),
        ("config['a']", "config['a']", "config['a'] = False", "model(x).backward()", False),
        ("config['a']", "config['a']", "config[flag] = False", "model(x).backward()", False),
        ("config['a']", "config['a']", "config['c'] = False", "model(x).backward()", True),
    ],
)
def test_one_value_for_both(
    context: MakeContext, first: str, second: str, between: str, step: str, expected: bool
) -> None:
    text = TEXT.format(first=first, second=second, between=between, step=step)
    (train,), (val,) = context(text)[Loaders].by_call().values()
    assert trained_alike(val, "shuffle") is (train if expected else None)
    assert trained_alike(train, "shuffle") is None
