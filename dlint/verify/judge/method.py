"""How a verification measured, as its reports tell it."""

from __future__ import annotations

from typing import Any

from dlint.verify.judge.results import Mode, Outcome
from dlint.verify.judge.statistics import confidence_for
from dlint.verify.options import Options

_DESIGNS = {
    "pairs": "fresh processes, pairs in ABBA order",
    "duet": "fresh processes, both at once where there is room, turns in ABBA order",
}


def method(options: Options, outcome: Outcome) -> dict[str, Any]:
    """How it was measured; the confidence is that of the single fixes."""
    used = [r.estimate.confidence for r in outcome.of(Mode.ALONE) if r.estimate is not None]
    return {
        "design": _DESIGNS[options.design],
        "confidence": max(used, default=options.confidence or confidence_for(1)),
        "pairs": options.pairs,
        "window": options.window._asdict(),
        "keep_going": options.keep_going,
        "effect": options.effect,
        "budget": options.budget,
        "statistic": "ratio of summed seconds; confidence sequence of a t mixture over pairs",
    }
