"""Which functions within functions nothing names."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.analyses.idle.unused_inner import UnusedInner
from dlint.findings.places import Place
from tests.conftest import MakeProgram

MAIN = """
def main(loader):
    x = 1
    {decorator}
    def train():
        {inside}
        return x
    def test():
        return 2
    {after}
    return test()
"""


def _unused(context: MakeProgram, folder: Path, text: str) -> set[str]:
    analysed = context(text)
    places = (Place(str(folder / "main.py"), at, at + 1) for at in range(len(text)))
    found = (analysed[UnusedInner].around(place) for place in places)
    return {scope.name for scope in found if scope is not None}


def _text(decorator: str = "", inside: str = "x", after: str = "") -> str:
    return MAIN.format(decorator=decorator, inside=inside, after=after)


@pytest.mark.parametrize("inside", ["x", "train()", "test()"])
def test_what_nothing_names(context: MakeProgram, tmp_path: Path, inside: str) -> None:
    assert _unused(context, tmp_path, _text(inside=inside)) == {"train"}


@pytest.mark.parametrize(
    "text",
    [
        _text(after="train()"),
        _text(after="loader.hook = train"),
        _text(after="f = lambda: train"),
        _text(after="def go():\n        return train\n    go()"),
        _text(after="locals()['train']()"),
        _text(after="eval('train()')"),
        _text(decorator="@loader.on"),
        _text(after="loader.run(lambda epoch, fn=train: fn(epoch))"),
        _text(after="loader.f_locals['train']()"),
        "def train(): ...\n",
        "class Trainer:\n    def train(self): ...\n",
    ],
)
def test_what_something_may_come_to(context: MakeProgram, tmp_path: Path, text: str) -> None:
    assert _unused(context, tmp_path, text) == set()
