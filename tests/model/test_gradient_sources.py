"""What a program takes gradients of, by the calls that make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.model.loops.gradient_sources import is_of_trained_kind, is_trained_callee, terms_of

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


def _asked(context: AnalysisContext) -> ex.Call:
    scopes = [s for facts in context.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    return call


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask(one(x) / 2 + two(x).mean())", [("one", ()), ("two", ())]),
        ("out = net(x)\nask(out.loss)", [("net", ("loss",))]),
        ("out = net(x)\nask(out['loss'][0])", [("net", ("loss", 0))]),
        ("a, b = net(x)\nask(b)", [("net", (1,))]),
        ("y = one(x) if flag else two(x)\nask(y)", [("one", ()), ("two", ())]),
        ("ask(torch.softmax(net(x), -1).to('cpu').view(-1))", [("net", ())]),
        ("import torch.nn.functional as f\nask(f.relu(net(x)))", [("net", ())]),
        ("ask(net(x).to(other))", [("to", ())]),
        ("ask(scaler.scale(net(x)))", [("net", ())]),
        ("ask(x)", []),
        ("ask(net(x).data)", []),
        ("ask(net(x).data.cpu())", []),
    ],
)
def test_terms(
    context: MakeProgram, text: str, found: list[tuple[str, tuple[object, ...]]]
) -> None:
    analysed = context(f"import torch\n{text}\n")
    made = terms_of(analysed, _asked(analysed).arguments[0].value)
    assert sorted((one.call.name, one.part) for one in made) == found


KINDS = """
class Trainer:
    def __init__(self, net, measure):
        self.net, self.measure = net, measure

    def train(self, x):
        loss, _ = self.measure(self.net(x))
        loss.backward()

    def validate(self, x):
        {asked}


def fit(x, criterion):
    step(x, criterion)
    check(x, criterion)


def step(x, criterion):
    criterion(x).backward()


def check(x, criterion):
    {checked}
"""


@pytest.mark.parametrize(
    ("parts", "kind", "callee"),
    [
        ({"asked": "ask(self.measure(x)[0])"}, True, True),
        ({"asked": "ask(self.measure(x)[1])"}, False, True),
        ({"asked": "ask(self.net(x))"}, False, True),
        ({"asked": "ask(self.other(x))"}, False, False),
        ({"checked": "ask(criterion(x))"}, True, True),
        ({"checked": "ask(other(x))"}, False, False),
    ],
)
def test_kinds(context: MakeProgram, parts: dict[str, str], kind: bool, callee: bool) -> None:
    analysed = context(KINDS.format(**{"asked": "pass", "checked": "pass"} | parts))
    (made,) = terms_of(analysed, _asked(analysed).arguments[0].value)
    assert is_of_trained_kind(analysed, made) is kind
    assert is_trained_callee(analysed, made.call) is callee
