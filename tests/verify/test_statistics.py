"""The decision rule, how often it is wrong, and whether intervals hold the truth."""

from __future__ import annotations

import math
import random

import pytest

from dlint.verify.judge.sequence import Scatter, evidence, reach
from dlint.verify.judge.statistics import (
    CONFIDENCE,
    Decision,
    Estimate,
    Pair,
    Start,
    estimate,
    foreseen,
)
from tests.verify.truth import PROGRAMS, Clock, Machine, Program, apart, constant, duet, stalling

_EFFECT = 0.03


def _pairs(*ratios: float) -> list[Pair]:
    """Pairs of one block with these log ratios."""
    return [Pair((math.exp(ratio),), (1.0,)) for ratio in ratios]


@pytest.mark.parametrize(
    ("ratios", "call"),
    [
        ([0.2, 0.21, 0.19, 0.2, 0.2], Decision.FASTER),
        ([-0.2, -0.21, -0.19, -0.2, -0.2], Decision.SLOWER),
        ([0.001, -0.001, 0.002, 0.0, 0.001], Decision.NO_EFFECT),
        ([0.3, -0.3, 0.2, -0.1], Decision.UNDECIDED),
        ([0.02, 0.021, 0.019, 0.02, 0.02], Decision.NO_EFFECT),
        ([0.7, 0.69], Decision.FASTER),
        ([0.1, 0.11], Decision.UNDECIDED),
    ],
)
def test_calls(ratios: list[float], call: Decision) -> None:
    assert estimate(_pairs(*ratios), CONFIDENCE, _EFFECT).call is call


def test_a_small_but_certain_gain_is_none_worth_calling_one() -> None:
    found = estimate(_pairs(*[0.02, 0.0201, 0.0199, 0.02] * 3), CONFIDENCE, _EFFECT)
    assert found.low > 1
    assert found.call is Decision.NO_EFFECT


def test_one_pair_is_an_estimate_without_a_call() -> None:
    found = estimate(_pairs(0.25), CONFIDENCE, _EFFECT)
    assert found.speedup == pytest.approx(math.exp(0.25))
    assert found.call is Decision.UNDECIDED
    assert found.low < 1 < found.high


def test_stalls_count_as_seconds_and_not_as_logarithms() -> None:
    calm, stalled = (0.5,) * 7, (8.5,)
    found = estimate([Pair(calm + stalled, (0.5,) * 8)] * 3, CONFIDENCE, _EFFECT)
    assert found.speedup == pytest.approx((7 * 0.5 + 8.5) / 4)


def test_blocks_tell_of_stalls_that_pairs_hide() -> None:
    """Windows that begin at the same place hold the same stalls: the pairs agree, by accident."""
    calm, stalling_ = Pair((1.0,) * 8, (0.7,) * 8), Pair((0.8,) * 7 + (2.4,), (0.7,) * 8)
    assert calm.ratio == pytest.approx(stalling_.ratio)
    widths = [math.log(e.high / e.low) for e in (_of([calm] * 4), _of([stalling_] * 4))]
    assert widths[1] > 5 * widths[0]


def _of(pairs: list[Pair], start: Start | None = None) -> Estimate:
    return estimate(pairs, CONFIDENCE, _EFFECT, start)


def test_blocks_that_depend_on_each_other_are_asked_in_longer_ones() -> None:
    mixed = Pair((1.2, 0.8) * 8, (1.0,) * 16)
    in_a_row = Pair((1.2, 1.2, 1.2, 1.2, 0.8, 0.8, 0.8, 0.8) * 2, (1.0,) * 16)
    widths = [math.log(e.high / e.low) for e in (_of([mixed] * 4), _of([in_a_row] * 4))]
    assert widths[1] > 1.4 * widths[0]


def test_days_are_weighed_by_their_own_noise() -> None:
    noisy = [pair._replace(day=0) for pair in _pairs(0.6, -0.3, 0.8, -0.2, 0.5, 0.0)]
    quiet = [pair._replace(day=1) for pair in _pairs(0.10, 0.11, 0.09, 0.10, 0.10, 0.11)]
    both, alone = _of([*noisy, *quiet]), _of(noisy)
    assert abs(math.log(both.speedup) - 0.1) < abs(math.log(alone.speedup) - 0.1) / 2
    assert both.high / both.low < alone.high / alone.low


def test_a_day_on_which_everything_was_slow_counts_no_more_for_that() -> None:
    fast = [pair._replace(day=0) for pair in _pairs(0.3, 0.31, 0.29)]
    slow = [Pair((30.0 * p.before[0],), (30.0,), 1) for p in _pairs(0.1, 0.11, 0.09)]
    found = _of([*fast, *slow])
    assert math.log(found.speedup) == pytest.approx(0.2, abs=0.02)


def test_starts_that_were_seen_far_apart_widen_the_first_intervals() -> None:
    pairs = _pairs(0.7, 0.69)
    assert _of(pairs).call is Decision.FASTER
    assert _of(pairs, Start(0.4, 6)).call is Decision.UNDECIDED


def test_a_doubt_widens_the_interval() -> None:
    pairs = _pairs(0.2, 0.21, 0.19, 0.2, 0.2)
    found = estimate(pairs, CONFIDENCE, _EFFECT, doubt=0.3)
    assert found.low < 1 < found.high
    assert math.log(found.high) - 0.2 >= 0.3


def test_what_could_have_been_found_shrinks_with_pairs() -> None:
    few, many = (
        _of(_pairs(*[0.1 * (1 if n % 2 else -1) for n in range(k)])).detectable for k in (6, 24)
    )
    assert few > many > 1.03


def test_what_can_be_told_is_foreseen() -> None:
    """By as much as pairs come to that scatter so."""
    draw = random.Random(5)
    for count, noise in ((4, 0.05), (8, 0.02), (8, 0.1)):
        told = foreseen(count, noise, CONFIDENCE, _EFFECT)
        found = [_of(_pairs(*(draw.gauss(0, noise) for _ in range(count)))) for _ in range(200)]
        middle = sorted(known.detectable for known in found)[100]
        assert math.log(told) == pytest.approx(math.log(middle), rel=0.25)
    assert foreseen(24, 0.001, CONFIDENCE, _EFFECT) == pytest.approx(1.03, abs=0.05)


def test_evidence_is_a_fair_bet() -> None:
    """What is staked against the truth comes back once on average, whatever the noise."""
    draw, total, count = random.Random(3), 0.0, 6000
    for _ in range(count):
        ratios = [draw.gauss(0, 0.2) for _ in range(5)]
        mean = sum(ratios) / 5
        variance = sum((r - mean) ** 2 for r in ratios) / 4
        scatter = Scatter(variance, 4, start=1e-9, weight=1e-9)
        total += min(50.0, evidence(abs(mean), 5, scatter))
    assert total / count <= 1.1


def test_the_interval_ends_where_the_evidence_is_enough() -> None:
    scatter = Scatter(0.01, 5)
    far = reach(6, scatter, 0.05)
    assert evidence(far, 6, scatter) == pytest.approx(20, rel=1e-6)
    assert reach(1, Scatter(0.0, 0, weight=0.5), 1e-9) == math.inf


def _stopped(program: Program, draw: random.Random, how: object = duet, most: int = 12) -> Estimate:
    """The estimate at the pair at which a verification ends."""
    clock, pairs = Clock(program.machine, draw), []
    for number in range(most):
        pairs.append((duet if how is duet else apart)(program, clock, draw, number))
        found = _of(pairs)
        if len(pairs) >= (2 if how is duet else 3) and found.call is not Decision.UNDECIDED:
            break
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_intervals_hold_the_truth(name: str) -> None:
    """Also where one stops as soon as something is clear. The long version is in the benchmarks."""
    program, held = PROGRAMS[name], 0
    for number in range(40):
        found = _stopped(program, random.Random(f"{name}{number}"), (duet, apart)[number % 2])
        held += found.low <= program.truth <= found.high
    assert held >= 38


@pytest.mark.parametrize("process", [0.01, 0.05, 0.15])
def test_identical_programs_are_seldom_called_different(process: float) -> None:
    machine = Machine(drift=0.1, bursts=1 / 100, process=process)
    program = Program(constant(0.01), constant(0.01), 1.0, machine)
    draw, wrong = random.Random(7), 0
    for number in range(120):
        call = _stopped(program, draw, (duet, apart)[number % 2]).call
        wrong += call in {Decision.FASTER, Decision.SLOWER}
    assert wrong / 120 <= 0.03


def test_large_effects_are_seen_soon() -> None:
    program = Program(constant(0.02), constant(0.01), 2.0, Machine(process=0.03))
    draw = random.Random(1)
    for how, most in ((duet, 2), (apart, 3)):
        found = [_stopped(program, draw, how) for _ in range(40)]
        assert all(f.call is Decision.FASTER for f in found)
        assert max(f.pairs for f in found) <= most


def test_stalls_of_a_confirmed_fix_are_in_its_interval() -> None:
    """A stall of 0.4 s every 40 steps, gone with the fix: worth 1.8 times."""
    program = Program(stalling(0.0125, 40, 0.4), constant(0.0125), 1.8)
    found = [_stopped(program, random.Random(n)) for n in range(20)]
    assert all(f.call is Decision.FASTER for f in found)
    assert all(f.low <= 1.8 <= f.high for f in found)
