"""What binds scripts that were built so that one thing does, and the hazards in them."""

from __future__ import annotations

import pytest

from tests.doctor.conftest import Examined
from tests.doctor.programs import PROGRAMS

_SLOW = {
    "a worker that grows",
    "batches that fill shared memory",
    "a few slow batches",
    "batches that are hard to hand over",
    "copies of batches",
    "ranks that read the same, of unequal lengths",
    "ranks in step, of which one is slow",
    "a stream that is divided",
    "workers that transform",
    "workers that collate",
    "a script that ends",
}
"""Those that are left to a thorough run."""

_SLACK = 4
"""How many times longer a sleep of milliseconds may last on a busy machine than it was asked to."""
MARKED = [
    pytest.param(name, marks=pytest.mark.slow) if name in _SLOW else name for name in PROGRAMS
]


@pytest.mark.parametrize("program", MARKED)
def test_a_script_is_told_what_it_is(diagnoses: Examined, program: str) -> None:
    truth, found = PROGRAMS[program], diagnoses[program]
    assert {hazard.kind for hazard in found.hazards} == truth.hazards
    assert any(truth.tells in hazard.text for hazard in found.hazards) or not truth.tells
    assert any(truth.tight in told for told in found.tight) or not truth.tight, found.tight
    if truth.kind is None:
        return
    assert found.bound is not None, found.failure
    assert (found.bound.kind, found.bound.stage) == (truth.kind, truth.stage), found.bound
    assert truth.says in found.bound.sentence
    if truth.needed is not None:
        assert found.fetching is not None
        assert found.ceiling is not None
        least, most = truth.needed
        needed = found.fetching.needed(found.ceiling.free_step)
        assert least <= needed <= _SLACK * most, found.bound
