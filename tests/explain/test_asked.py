"""What a rule asked about an object, and why it went on without a word."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.explain.asked import Asked, ask
from dlint.model.loading.loader import Loader
from dlint.model.loading.loaders import Loaders
from dlint.rules.registry import load

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
from torch.utils.data import DataLoader

def train(dataset, model, size):
    for x in DataLoader(dataset, batch_size=size, num_workers={workers}, pin_memory={pinned}):
        model(x.cuda()).backward()
"""


def _asked(
    context: MakeProgram, rule: str, workers: str = "4", pinned: str = "True"
) -> tuple[list[object], Asked]:
    analysed = context(PROGRAM.format(workers=workers, pinned=pinned))
    (group,) = analysed[Loaders].by_call().values()
    loader = group[0]
    assert isinstance(loader, Loader)
    return ask(lambda: list(load(rule)(analysed)), [loader, *loader.loops, *loader.transfers])


@pytest.mark.parametrize(
    ("rule", "question", "is_so"),
    [
        ("missing-pin-memory", "`pin_memory` is certainly off on every path", False),
        ("zero-workers", "there are certainly no workers", False),
    ],
)
def test_the_question_that_decided(
    context: MakeProgram, rule: str, question: str, is_so: bool
) -> None:
    found, asked = _asked(context, rule)
    assert not found
    assert asked.at_all
    assert asked.last == (question, is_so)


def test_each_rule_asks_anew(context: MakeProgram) -> None:
    analysed = context(PROGRAM.format(workers="4", pinned="True"))
    (loader,) = next(iter(analysed[Loaders].by_call().values()))
    first, again = (ask(lambda: list(load("zero-workers")(analysed)), [loader]) for _ in range(2))
    assert first == again


def test_arguments_are_told(context: MakeProgram) -> None:
    _, asked = _asked(context, "oversized-prefetch")
    assert {"num_workers", "batch_size"} <= {*asked.arguments}


def test_a_rule_may_ask_nothing(context: MakeProgram) -> None:
    _, asked = _asked(context, "seed-in-epoch-loop", workers="0")
    assert asked.last is None or asked.at_all
    _, apart = _asked(context, "late-sharing-strategy")
    assert not apart.at_all


def test_a_finding_is_handed_on(context: MakeProgram) -> None:
    found, asked = _asked(context, "missing-pin-memory", pinned="False")
    assert len(found) == 1
    assert asked.at_all
