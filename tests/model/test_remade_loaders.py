"""Loaders that each epoch makes anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.remade_loaders import is_made_alike, is_made_in, outlasts
from dlint.model.loops.epochs import repeating_loops

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from torch.utils.data import DataLoader

def train(data, size, epochs):
    {before}
    for epoch in range(epochs):
        {inside}
        for x in {loader}:
            print(x)
"""


NESTED = """
from torch.utils.data import DataLoader

def run(data, size):
    for x in DataLoader(data, size):
        print(x)

def epoch_of(data, number):
    run(data, {size})

def train(data, epochs):
    for epoch in range(epochs):
        epoch_of(data, epoch)
"""


@pytest.mark.parametrize(("size", "alike"), [("8", True), ("number", False)])
def test_what_a_function_makes_that_an_epoch_comes_to(
    context: MakeContext, size: str, alike: bool
) -> None:
    ((found,),) = context(NESTED.format(size=size))[Loaders].by_call().values()
    (epoch,) = repeating_loops(found)
    assert is_made_in(found, epoch)
    assert is_made_alike(found, epoch) is alike


BUILT = """
from torch.utils.data import DataLoader

def loader_of(data, size):
    return DataLoader(data, size)

def epoch_of(data, number):
    for x in loader_of(data, {size}):
        print(x)

def train(data, epochs):
    for epoch in range(epochs):
        epoch_of(data, epoch)
"""


@pytest.mark.parametrize(("size", "alike"), [("8", True), ("number", False)])
def test_a_builder_that_a_function_of_an_epoch_calls(
    context: MakeContext, size: str, alike: bool
) -> None:
    (made,) = context(BUILT.format(size=size))[Loaders].by_call().values()
    ((found, epoch),) = ((loader, epoch) for loader in made for epoch in repeating_loops(loader))
    assert is_made_in(found, epoch)
    assert is_made_alike(found, epoch) is alike


@pytest.mark.parametrize(
    ("before", "inside", "loader", "made", "alike"),
    [
        ("pass", "pass", "DataLoader(data, size)", True, True),
        ("made = DataLoader(data, size)", "pass", "made", False, True),
        ("pass", "size = epoch", "DataLoader(data, size)", True, False),
        ("pass", "part = data", "DataLoader(part, size)", True, True),
        ("pass", "part = data[epoch]", "DataLoader(part, size)", True, False),
        ("pass", "pass", "DataLoader(draw(data), size)", True, False),
        ("pass", "pass", "DataLoader(data, int(size))", True, True),
    ],
)
def test_what_an_epoch_makes(
    context: MakeContext, before: str, inside: str, loader: str, made: bool, alike: bool
) -> None:
    text = TEXT.format(before=before, inside=inside, loader=loader)
    ((found,),) = context(text)[Loaders].by_call().values()
    (epoch,) = repeating_loops(found)
    assert is_made_in(found, epoch) is made
    if made:
        assert is_made_alike(found, epoch) is alike


TWICE = """loader = DataLoader(self.data)
        for n in range(9):
            for x in loader: yield x"""
PASSES = """
from torch.utils.data import DataLoader

class Batches:
    def __init__(self, data):
        self.data = data
        self.kept = DataLoader(data)

    def {head}
        {body}

def train(batches, epochs):
    for epoch in range(epochs):
        for x in batches{call}:
            print(x)

train(Batches([1, 2]), 3)
"""


@pytest.mark.parametrize(
    ("head", "body", "call", "lasting"),
    [
        ("given(self):", "yield from DataLoader(self.data)", ".given()", {False}),
        (
            "given(self):",
            "loader = DataLoader(self.data)\n        for x in loader: yield x",
            ".given()",
            {False},
        ),
        ("__iter__(self):", "return iter(DataLoader(self.data))", "", {False}),
        ("given(self):", "yield from self.kept", ".given()", {True}),
        (
            "given(self):",
            TWICE,
            ".given()",
            {True, False},
        ),
    ],
)
def test_what_outlasts_a_pass(
    context: MakeContext, head: str, body: str, call: str, lasting: set[bool]
) -> None:
    program = context(PASSES.format(head=head, body=body, call=call))
    loaders = [x for group in program[Loaders].by_call().values() for x in group]
    assert {outlasts(x, epoch) for x in loaders for epoch in repeating_loops(x)} == lasting


OF_FILES = """
import random
from torch.utils.data import DataLoader, Dataset

class Lines(Dataset):
    def __init__(self, path):
        with open(path) as f:
            self.lines = f.read().splitlines()
        {drawn}

    def __getitem__(self, index):
        return self.lines[index]

    def __len__(self):
        return len(self.lines)

def loader_of(path, workers=4):
    return DataLoader({data}, batch_size=8, num_workers=workers)

def train(paths):
    for epoch in range(9):
        for lines in loader_of({given}):
            print(lines)
        {changed}

train(["a.txt"])
"""


@pytest.mark.parametrize(
    ("data", "drawn", "given", "changed", "alike"),
    [
        ("Lines(path)", "pass", "'a.txt'", "pass", True),
        ("Lines(path)", "pass", "paths", "pass", True),
        ("Lines(path)", "pass", "paths", "paths.append('b.txt')", False),
        ("Lines(path)", "pass", "'a.txt', epoch", "pass", False),
        ("Lines(path)", "self.lines.sort()", "'a.txt'", "pass", True),
        ("Lines(path)", "random.shuffle(self.lines)", "'a.txt'", "pass", False),
        ("read(path)", "pass", "'a.txt'", "pass", False),
    ],
)
def test_a_data_set_that_is_made_of_the_same_is_the_same(
    context: MakeContext, data: str, drawn: str, given: str, changed: str, alike: bool
) -> None:
    program = OF_FILES.format(data=data, drawn=drawn, given=given, changed=changed)
    (group,) = context(program)[Loaders].by_call().values()
    found = {is_made_alike(one, epoch) for one in group for epoch in repeating_loops(one)}
    assert found == {alike}
