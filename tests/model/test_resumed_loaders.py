"""Checkpoints inside an epoch that the program takes up again."""

from __future__ import annotations

import pytest

from dlint.model.loading.loaders import Loaders
from dlint.model.loading.resumed_loaders import resumed_saves
from tests.analyses.control.programs import MakeProgram

_TEXT = """
import torch
from torchdata.stateful_dataloader import StatefulDataLoader


def run(data, net, opt, parts):
    {loads}
    for step, x in enumerate(StatefulDataLoader(data)):
        net(x).backward()
        opt.step()
        if step % 100 == 0:
            torch.save({saved}, "last.pt")
"""
_READ = "state = torch.load('last.pt'); "
_STATES = "{name: part.state_dict() for name, part in parts.items()}"


@pytest.mark.parametrize(
    ("loads", "saved", "found"),
    [
        (_READ + "net.load_state_dict(state); opt.load_state_dict(state)", _STATES, True),
        (_READ + "[p.load_state_dict(state[n]) for n, p in parts.items()]", _STATES, True),
        (_READ + "[part.load_state_dict(state) for part in parts]", _STATES, True),
        ("[part.load_state_dict({}) for part in parts]", _STATES, False),
        (_READ + "net.load_state_dict(state)", _STATES, False),
        (_READ + "[p.load_state_dict(state[n]) for n, p in parts.items()]", "{}", False),
    ],
)
def test_checkpoints_that_are_taken_up(
    context: MakeProgram, loads: str, saved: str, found: bool
) -> None:
    groups = context(_TEXT.format(loads=loads, saved=saved))[Loaders].by_call().values()
    (loader,) = [loader for group in groups for loader in group]
    assert bool(list(resumed_saves(loader))) is found
