"""The decision rule, and how often it is wrong."""

from __future__ import annotations

import math
import random

import pytest

from dlint.verify.judge.statistics import Call, confidence_for, estimate, looks, t_quantile


@pytest.mark.parametrize(
    ("probability", "degrees", "value"),
    [(0.99, 3, 4.5407), (0.99, 11, 2.7181), (0.995, 5, 4.0321), (0.8, 11, 0.8755), (0.5, 4, 0.0)],
)
def test_quantiles_are_those_of_the_tables(probability: float, degrees: int, value: float) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize(
    ("ratios", "call"),
    [
        ([0.2, 0.21, 0.19, 0.2], Call.FASTER),
        ([-0.2, -0.21, -0.19, -0.2], Call.SLOWER),
        ([0.001, -0.001, 0.002, 0.0], Call.NO_EFFECT),
        ([0.3, -0.3, 0.2, -0.1], Call.UNDECIDED),
        ([0.02, 0.021, 0.019, 0.02], Call.NO_EFFECT),
    ],
)
def test_calls(ratios: list[float], call: Call) -> None:
    assert estimate(ratios, 0.98, 0.03).call is call


def test_a_small_but_certain_gain_is_none_worth_calling_one() -> None:
    found = estimate([0.02, 0.0201, 0.0199, 0.02], 0.98, 0.03)
    assert found.low > 1
    assert found.call is Call.NO_EFFECT


def test_what_could_have_been_found() -> None:
    ratios = [0.1 * (1 if n % 2 else -1) for n in range(12)]
    found = estimate(ratios, 0.98, 0.03)
    assert math.log(found.detectable) == pytest.approx(1.037 * found.spread, rel=0.01)


def test_looks() -> None:
    assert looks(9) == (4, 6, 8)


@pytest.mark.parametrize("spread", [0.02, 0.1, 0.3])
def test_identical_programs_are_seldom_called_different(spread: float) -> None:
    """Independent noise; the drift of real machines is in the benchmarks."""
    draw = random.Random(7)
    wrong = 0
    for _ in range(400):
        ratios = [draw.gauss(0, spread) for _ in range(12)]
        for look in looks(12):
            call = estimate(ratios[:look], confidence_for(1), 0.03).call
            if call is not Call.UNDECIDED:
                wrong += call is not Call.NO_EFFECT
                break
    assert wrong / 400 <= 0.03


def test_when_the_time_is_over_nothing_is_kept_for_later_looks() -> None:
    ratios = [0.14, 0.2, 0.22, 0.14]
    early, last = (estimate(ratios, 0.985, 0.03, last=last) for last in (False, True))
    assert (early.call, last.call) == (Call.UNDECIDED, Call.FASTER)
    assert early.confidence == pytest.approx(0.997)
    assert last.confidence == 0.985
    assert early.low < last.low < last.high < early.high
