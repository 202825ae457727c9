"""What a call gives to an argument, as it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.written import constant_text, is_handed_on

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]


@pytest.mark.parametrize(
    ("given", "text", "handed_on"),
    [
        ("timeout=3", "3", False),
        ("timeout='fork'", '"fork"', False),
        ("timeout='a b'", "'a b'", False),
        ("timeout=WAIT", "WAIT", True),
        ("timeout=own", None, True),
        ("batch_size=3", None, False),
    ],
)
def test_what_is_written(
    context: MakeContext, given: str, text: str | None, handed_on: bool
) -> None:
    made = context(
        "from torch.utils.data import DataLoader\n"
        "def make(dataset, own):\n    WAIT = 9\n"
        f"    return DataLoader(dataset, {given})\n"
    )
    ((loader,),) = made[Loaders].by_call().values()
    assert constant_text(loader, "timeout") == text
    assert is_handed_on(loader, "timeout") is handed_on
