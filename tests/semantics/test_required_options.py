"""Options that a command line must give never hold the None of those that it may leave out."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from tests.analyses.control.programs import MakeProgram

TEXT = """
import argparse
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
{option}
args = parser.parse_args()
loader = DataLoader([], batch_size=args.size)
"""


@pytest.mark.parametrize(
    ("option", "asked_for"),
    [
        ("parser.add_argument('--size', type=int, required=True)", True),
        ("parser.add_argument('size', type=int)", True),
        ("parser.add_argument('--size', type=int)", False),
        ("parser.add_argument('--size', type=int, required=False)", False),
        ("parser.add_argument('size', type=int, nargs='?')", False),
        ("parser.add_argument('--size', type=int, nargs='?', required=True)", True),
    ],
)
def test_an_option_without_a_default(context: MakeProgram, option: str, asked_for: bool) -> None:
    ((loader,),) = context(TEXT.format(option=option))[Loaders].by_call().values()
    (size,) = loader.argument("batch_size")
    assert size.is_unknown is asked_for
    assert size.is_none is not asked_for
    assert (size.assumed is None) is asked_for


def test_a_default_beside_it_is_what_it_may_hold(context: MakeProgram) -> None:
    option = "parser.add_argument('--size', type=int, required=True, default=8)"
    ((loader,),) = context(TEXT.format(option=option))[Loaders].by_call().values()
    (size,) = loader.argument("batch_size")
    assert size.integer == 8
