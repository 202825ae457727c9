"""What a verification says."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dlint.verify.judge.compare import Equivalence
from dlint.verify.judge.statistics import Estimate
from dlint.verify.judge.tuned import Tuning
from dlint.verify.measure.pairs import Measured
from dlint.verify.plan.candidates import Candidate, NotTried
from dlint.verify.run.runner import Run


class Verdict(StrEnum):
    """What a fix was found to do."""

    CONFIRMED = "confirmed"
    NO_EFFECT = "no-effect"
    INCONCLUSIVE = "inconclusive"
    SLOWER = "slower"
    CHANGES_RESULTS = "changes-results"
    FIXES_CRASH = "mends-crash"
    FIXES_FAULT = "mends-fault"
    NEEDS_GPU = "needs-gpu"
    FAILED = "failed"


WORTH_KEEPING = frozenset({Verdict.CONFIRMED, Verdict.FIXES_CRASH, Verdict.FIXES_FAULT})
"""Verdicts after which `--apply` writes a fix."""


class Mode(StrEnum):
    """How a fix was tried."""

    ALONE = "alone"
    TOGETHER = "together"
    """With all the others."""
    WITHOUT = "without"
    """All that are kept, against all of them but this one."""


@dataclass(slots=True)
class Result:
    """What became of a candidate, or of several together."""

    candidates: tuple[Candidate, ...]
    mode: Mode
    verdict: Verdict
    why: str = ""
    equivalence: Equivalence | None = None
    measured: Measured | None = None
    estimate: Estimate | None = None
    """Of what the fix was judged by; None where no pairs were run."""
    details: dict[str, Any] = field(default_factory=dict)
    """Further things that were seen, by name."""
    looks: tuple[Run, Run] | None = None
    """The runs, without and with it, in which memory was sampled beside what the batches hold."""
    stderr: str = ""
    """The end of what a failed run wrote."""
    diff: str = ""
    """What was tried, as a unified diff; empty for settings, which need no edit."""

    @property
    def name(self) -> str:
        """The rules that it is about."""
        return " + ".join(candidate.name for candidate in self.candidates)


@dataclass(slots=True)
class Outcome:
    """Everything that a verification found."""

    program: str
    command: list[str]
    results: list[Result] = field(default_factory=list)
    not_tried: list[NotTried] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Said to the user beside the results."""
    environment: dict[str, Any] = field(default_factory=dict)
    method: dict[str, Any] = field(default_factory=dict)
    floor: float | None = None
    """The spread of neighbouring runs of the same variant, as a log ratio."""
    runs: int = 0
    seconds: float = 0.0
    when: str = ""
    """The time at which it ended."""
    tuning: Tuning | None = None
    """What settings were tried, where that was asked for."""

    def of(self, mode: Mode) -> list[Result]:
        """The results of one mode."""
        return [result for result in self.results if result.mode is mode]
