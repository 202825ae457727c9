from __future__ import annotations

import pytest

from dlint.library_facts.start_methods import Circumstances, Launch, StartMethod, methods

FORK, FORKSERVER, SPAWN = StartMethod.FORK, StartMethod.FORKSERVER, StartMethod.SPAWN


@pytest.mark.parametrize(
    ("circumstances", "expected"),
    [
        (Circumstances(), {FORK}),
        (Circumstances(oldest=(3, 9), newest=(3, 13)), {FORK}),
        (Circumstances(oldest=(3, 9)), {FORK, FORKSERVER}),
        (Circumstances(oldest=(3, 14)), {FORKSERVER}),
        (Circumstances(launch=Launch.ALWAYS), {SPAWN}),
        (Circumstances(launch=Launch.SOMETIMES), {FORK, SPAWN}),
        (Circumstances(chosen=frozenset({SPAWN}), always=True), {SPAWN}),
        (Circumstances(chosen=frozenset({SPAWN})), {FORK, SPAWN}),
        (Circumstances(context=frozenset({FORKSERVER}), launch=Launch.ALWAYS), {FORKSERVER}),
        (Circumstances(context=frozenset({FORK}), oldest=(3, 14)), {FORK}),
    ],
)
def test_methods_follow_from_what_a_program_says(
    circumstances: Circumstances, expected: set[StartMethod]
) -> None:
    assert methods(circumstances) == expected
