"""What a loader says of its arguments, over all alternatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loader import Loader
from dlint.model.loaders import Loaders

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from torch.utils.data import DataLoader

def make(dataset, own, pinned=False):
    return DataLoader(dataset, {arguments})
"""


def _loader(context: MakeContext, arguments: str) -> Loader:
    ((loader,),) = context(TEXT.format(arguments=arguments))[Loaders].by_call().values()
    return loader


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {"is_off"}),
        ("sampler=None", {"is_off"}),
        ("sampler=False", {"gives", "is_off", "may_get"}),
        ("sampler=True", {"gives", "is_on", "may_get"}),
        ("sampler=own", {"gives", "may_get"}),
        ("sampler=None if own else True", {"gives", "may_get"}),
        ("sampler=pinned", {"gives", "is_off", "may_get"}),
    ],
)
def test_over_all_alternatives(context: MakeContext, arguments: str, expected: set[str]) -> None:
    loader = _loader(context, arguments)
    asked = ("gives", "is_on", "is_off", "may_get")
    assert {name for name in asked if getattr(loader, name)("sampler")} == expected
