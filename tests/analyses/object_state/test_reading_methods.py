"""Methods that change nothing of what they are called on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext
from dlint.analyses.object_state.reading_methods import leaves_object_alone

TEXT = """
import random
from torch.utils.data import DataLoader, Dataset

class Order:
    def __init__(self, count, rows=None):
        self.count = count

class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows
    def set_phase(self, phase):
        self.phase = phase
    def asked(self, other=None):
        {body}

class More(Rows):
    def asked(self, other=None):
        self.more = other

rows = {made}
rows.asked()
"""
READING = {
    "a loader": "return DataLoader(self, batch_size=8)",
    "settings in a dict": "options = dict(batch_size=8); return DataLoader(self, **options)",
    "a length": "return len(self.rows)",
    "a sampler of its own": "return DataLoader(self, batch_sampler=Order(len(self), 8))",
    "an attribute": "return self.rows[0]",
}
CHANGING = {
    "a write": "self.seen = True",
    "a write into a list": "self.rows[0] = 0",
    "a method of its own": "self.set_phase(1)",
    "a method of what it holds": "self.rows.append(1)",
    "a shuffle": "random.shuffle(self.rows)",
    "an attribute by its name": "setattr(self, 'seen', True)",
    "an object that is given it": "return Order(1, self)",
    "an object that is given what it holds": "return Order(1, self.rows)",
    "what goes by another name": "rows = self.rows; rows += [1]",
    "what it takes away": "del self.rows[-1]",
    "a name of the module": "global EPOCH; EPOCH = 1",
    "who knows what": "other(self)",
    "a function inside": "return lambda: self.rows.clear()",
}


@pytest.mark.parametrize("body", READING.values(), ids=READING)
def test_what_only_reads(context: Callable[[str], AnalysisContext], body: str) -> None:
    assert _is_left_alone(context(TEXT.format(body=body, made="Rows([])")))


@pytest.mark.parametrize("body", CHANGING.values(), ids=CHANGING)
def test_what_may_change_it(context: Callable[[str], AnalysisContext], body: str) -> None:
    assert not _is_left_alone(context(TEXT.format(body=body, made="Rows([])")))


@pytest.mark.parametrize("made", ["More([])", "unknown()", "Rows([]) if unknown() else More([])"])
def test_of_other_objects(context: Callable[[str], AnalysisContext], made: str) -> None:
    assert not _is_left_alone(context(TEXT.format(body="return len(self.rows)", made=made)))


def _is_left_alone(analysed: AnalysisContext) -> bool:
    (call,) = calls_anywhere(analysed, "asked")
    return leaves_object_alone(analysed, call)
