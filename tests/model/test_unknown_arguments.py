"""Keywords that torch's DataLoader does not take, and what they are likely to mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

MADE = """
import {where}
from functools import partial

class Own({loader}):
    def __init__(self, dataset, split, **options):
        super().__init__(dataset, **options)

def make(dataset, **options):
    return {call}
"""


def _unknown(context: MakeProgram, call: str, where: str) -> list[tuple[str, str | None]]:
    loader = f"{where}.DataLoader"
    program = context(MADE.format(where=where, loader=loader, call=call.replace("DL", loader)))
    (group,) = program[Loaders].by_call().values()
    return [(unknown.name, unknown.meant) for unknown in group[0].unknown]


@pytest.mark.parametrize("where", ["torch.utils.data", "torch.utils.data.dataloader"])
@pytest.mark.parametrize(
    ("given", "unknown"),
    [
        ("dataset, shufle=True", ("shufle", "shuffle")),
        ("dataset, num_worker=4", ("num_worker", "num_workers")),
        ("dataset, workers=4", ("workers", "num_workers")),
        ("dataset, loader_pin_memory=True", ("loader_pin_memory", "pin_memory")),
        ("dataset, my_batch_sampler=None", ("my_batch_sampler", "batch_sampler")),
        ("dataset, shuffle=True, shufle=True", ("shufle", None)),
        ("dataset, 8, batchsize=8", ("batchsize", None)),
        ("dataset, **{'drop_last': True, 'shufle': True}", ("shufle", "shuffle")),
        ("dataset, **{'shuffle': True}, shufle=True", ("shufle", None)),
        ("dataset, device='cuda', **options", ("device", None)),
    ],
)
def test_a_keyword_that_torch_does_not_take(
    context: MakeProgram, where: str, given: str, unknown: tuple[str, str | None]
) -> None:
    assert _unknown(context, f"DL({given})", where) == [unknown]


@pytest.mark.parametrize(
    ("call", "where"),
    [
        ("DL(dataset, pin_memory_device='cuda', in_order=False)", "torch.utils.data"),
        ("DL(dataset, **{'drop_last': True}, **options)", "torch.utils.data"),
        ("DL({'shufle': dataset}, batch_size=4)", "torch.utils.data"),
        ("Own(dataset, split='train')", "torch.utils.data"),
        ("DL(dataset, follow_batch=['x'])", "torch_geometric.loader"),
        ("DL(dataset, buffer_size=4)", "monai.data"),
    ],
)
def test_what_a_loader_takes(context: MakeProgram, call: str, where: str) -> None:
    assert _unknown(context, call, where) == []


def test_an_argument_that_was_meant_is_unknown(context: MakeProgram) -> None:
    call = "torch.utils.data.DataLoader(dataset, shufle=True)"
    program = context(MADE.format(where="torch.utils.data", loader="object", call=call))
    (group,) = program[Loaders].by_call().values()
    assert all(alternative.is_unknown for alternative in group[0].argument("shuffle"))
    assert all(alternative.is_absent for alternative in group[0].argument("drop_last"))
