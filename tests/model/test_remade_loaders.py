"""Loaders that each epoch makes anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.epochs import repeating_loops
from dlint.model.loaders import Loaders
from dlint.model.remade_loaders import is_made_alike, is_made_in

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
