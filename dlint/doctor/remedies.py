"""The findings of `dlint check` in the order of what they can bring to a script that was run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dlint import rule_docs
from dlint.doctor.ceiling import Ceiling
from dlint.doctor.operations import COPIES, HOST, WAITING_FOR_DEVICE
from dlint.doctor.timeline import FIRST, STARTING, TAIL, TimeLine
from dlint.verify.plan.candidates import Candidate, NotTried, Spot
from dlint.verify.plan.claims import Observable, needs_accelerator, observable

LOADING = "loading"
_OF_THE_LOOP = "DLT8"
"""How the codes of rules about the loop begin."""
_SPEEDS = frozenset({Observable.STEP, Observable.EPOCH})


class Remedy(NamedTuple):
    """A finding, or what would mend it."""

    rule: str
    title: str
    spots: tuple[Spot, ...]
    acts_on: tuple[str, ...]
    """The parts of the time that it can make shorter; nothing where it is about something else."""
    gain: float | None
    """How many times as fast the loop would be without that; None where it is not about time."""
    command: str
    """What measures it."""
    mended: bool
    """Whether there is an edit for it; else the change must be given to the command."""


def remedies(
    tried: Sequence[Candidate],
    left: Sequence[NotTried],
    line: TimeLine | None,
    most: Ceiling | None,
    command: Callable[[str], str],
) -> list[Remedy]:
    """What could be done, what brings most first; `command` measures the fix of a rule."""
    found = [_of_candidate(c, line, most, command) for c in _once(tried)]
    found += [_of_finding(n, line, most, command) for n in left if _is_of_a_rule(n)]
    return sorted(found, key=lambda one: -(one.gain or 0.0))


def _once(tried: Sequence[Candidate]) -> list[Candidate]:
    """Each rule once: a command tries all that is worth trying for it."""
    return list({candidate.rule: candidate for candidate in reversed(tried)}.values())[::-1]


def _is_of_a_rule(left: NotTried) -> bool:
    return rule_docs.resolve(left.name) is not None


def _of_candidate(
    candidate: Candidate,
    line: TimeLine | None,
    most: Ceiling | None,
    command: Callable[[str], str],
) -> Remedy:
    parts = acts_on(candidate.rule, candidate.code, candidate.claim)
    gain = _gain(parts, line, most)
    rule, title = candidate.rule, candidate.title
    return Remedy(rule, title, candidate.spots, parts, gain, command(rule), mended=True)


def _of_finding(
    left: NotTried, line: TimeLine | None, most: Ceiling | None, command: Callable[[str], str]
) -> Remedy:
    meta = rule_docs.load(left.name).meta
    parts = acts_on(left.name, meta.code, meta.claim)
    gain, told = _gain(parts, line, most), left.spot.message
    return Remedy(left.name, told, (left.spot,), parts, gain, command(left.name), mended=False)


def acts_on(rule: str, code: str, claim: str) -> tuple[str, ...]:
    """The parts of the time that a rule is about."""
    what = observable(rule, claim)
    if claim == "none" or what not in _SPEEDS:
        return ()
    if what is Observable.EPOCH:
        return (STARTING, FIRST, TAIL)
    if needs_accelerator(rule, code):
        return (COPIES, WAITING_FOR_DEVICE)
    return (HOST, WAITING_FOR_DEVICE) if code.startswith(_OF_THE_LOOP) else (LOADING,)


def _gain(parts: Sequence[str], line: TimeLine | None, most: Ceiling | None) -> float | None:
    if not parts or line is None or most is None:
        return None
    if parts == (LOADING,):
        return most.gain
    return 1 / max(0.01, 1 - sum(line.shares[part] for part in parts))
