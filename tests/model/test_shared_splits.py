"""Data sets of which one part trains and another is only evaluated, by one call for all phases."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.model.data.shared_splits import shared_data
from tests.analyses.control.programs import MakeProgram

_HEAD = """
import torch
from torch.utils.data import DataLoader, Subset, random_split
from torchvision.datasets import CIFAR10, ImageFolder

PHASES = ("train", "val")
WAYS = {"train": None, "val": None}


def one(phase, way):
    return DataLoader(random_split(CIFAR10("c", transform=way), [9, 1])[0])


def whole_of(phase):
    return CIFAR10("c", transform=WAYS[phase])


def made(table):
"""
_LOOPS = """

def main(model, table):
    loaders = made(table)
    for phase in PHASES:
        for x, y in loaders[phase]:
            loss = model(x)
            if phase == "train":
                loss.backward()
"""
_SPLIT = "    parts = random_split(CIFAR10('c'), [9, 1])\n"
_WHOLE = "    data = CIFAR10('c')\n"
_ZIPPED = "    return {p: DataLoader(part) for p, part in zip(PHASES, parts)}"


def _said(context: MakeProgram, made: str, loops: str = _LOOPS) -> list[str]:
    """The text at the place of each data set of which both parts are one loader's."""
    found = shared_data(context(_HEAD + made + loops))
    assert all(data.trains is data.evaluates for data in found)
    places = [data.place for data in found]
    return [Path(p.path).read_text("utf-8")[p.start : p.end] for p in places]


@pytest.mark.parametrize(
    ("made", "place"),
    [
        (_SPLIT + _ZIPPED, "random_split(CIFAR10('c'), [9, 1])"),
        (
            _SPLIT
            + "    sets = dict(zip(PHASES, parts))\n"
            + "    return {p: DataLoader(sets[p]) for p in PHASES}",
            "random_split(CIFAR10('c'), [9, 1])",
        ),
        (
            _WHOLE + "    return {p: DataLoader(Subset(data, table[p])) for p in PHASES}",
            "Subset(data, table[p])",
        ),
        (
            _WHOLE
            + "    sets = {'train': Subset(data, table[0]), 'val': Subset(data, table[1])}\n"
            + "    return {p: DataLoader(sets[p]) for p in PHASES}",
            "DataLoader(sets[p])",
        ),
    ],
)
def test_loaders_for_all_phases_share_a_data_set(
    context: MakeProgram, made: str, place: str
) -> None:
    assert _said(context, made) == [place]


@pytest.mark.parametrize(
    "made",
    [
        "    return {p: DataLoader(ImageFolder(p)) for p in PHASES}",
        "    return {p: DataLoader(Subset(CIFAR10(p), table[p])) for p in PHASES}",
        "    return {p: DataLoader(Subset(whole_of(p), table[p])) for p in PHASES}",
        "    return {p: one(p, table[p]) for p in PHASES}",
        "    parts = random_split(CIFAR10('c'), [9, 1])[0], ImageFolder('d')\n" + _ZIPPED,
        "    parts = [random_split(CIFAR10(p), [9, 1])[0] for p in PHASES]\n" + _ZIPPED,
    ],
)
def test_data_sets_of_their_own_are_told_apart(context: MakeProgram, made: str) -> None:
    assert not _said(context, made)


def test_loaders_that_train_in_all_phases_share_nothing(context: MakeProgram) -> None:
    learns = _LOOPS.replace('phase == "train"', "table")
    assert not _said(context, _SPLIT + _ZIPPED, learns)


_APART = """
def divided():
    return dict(zip(PHASES, random_split(CIFAR10("c"), [9, 1])))


def first():
    return divided()


def made(parts):
    return {p: DataLoader(part) for p, part in parts.items()}


def main(model, table):
    loaders = made(PARTS)
"""


@pytest.mark.parametrize(
    ("parts", "shares"),
    [
        ("first()", True),
        ("divided()", False),  # by two calls, of `first` too
        ("{p: first()[p] for p in PHASES}", False),
    ],
)
def test_parts_of_another_function_are_of_one_data_set_if_it_is_entered_once(
    context: MakeProgram, parts: str, shares: bool
) -> None:
    head = _HEAD.replace("def made(table):", "")
    loops = _LOOPS.partition("made(table)")[2]
    said = shared_data(context(head + _APART.replace("PARTS", parts) + loops))
    assert bool(said) is shares
