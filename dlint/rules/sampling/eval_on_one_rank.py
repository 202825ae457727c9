"""eval-on-one-rank: validation on one rank, by a model whose forward pass needs all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.library_facts import collective_forward as known
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.ranks.distributed import Distributed
from dlint.model.ranks.lonely_evaluations import (
    Lonely,
    LonelyWait,
    has_buffers,
    has_no_buffers,
    lonely_runs,
    lonely_waits,
    sends_buffers,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


_ADVICE = {
    True: "evaluate with the module inside (`model.module`), or on all ranks",
    False: "evaluate on all ranks",
}


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loops without gradient steps that one rank runs, through a wrapped model."""
    is_possible = context[Distributed].is_possible
    reported: set[Place] = set()
    for loop in context[batch_loops]:
        for wait in lonely_waits(context, loop):
            if wait.place not in reported:
                reported.add(wait.place)
                yield _of_wait(context, wait)
        for lonely in lonely_runs(context, loop) if is_possible else ():
            finding = _finding(context, lonely)
            if finding is not None and lonely.place not in reported:
                reported.add(lonely.place)
                yield finding


def _of_wait(context: AnalysisContext, wait: LonelyWait) -> Finding:
    name = wait.call.name
    message = (
        f"one rank alone runs this evaluation, and `{name}` in it returns when all ranks have "
        "called it: it waits for ranks that do something else; evaluate on all ranks, or leave "
        f"`{name}` out"
    )
    related = (
        Related(wait.test, "only one rank passes this test"),
        Related(context.place_of(wait.call), f"`{name}` is called here"),
    )
    return Finding(Severity.WARNING, message, wait.place, related)


def _finding(context: AnalysisContext, lonely: Lonely) -> Finding | None:
    severity = Severity.WARNING if lonely.is_certain else Severity.INFO
    if lonely.name in known.SHARDING:
        why = "gathers its parameters from all ranks"
    elif lonely.name in known.SYNCING and sends_buffers(context, lonely.wrap):
        why = "sends the buffers of the model to all ranks"
        if has_no_buffers(context, lonely.wrap):
            return None
        if not has_buffers(context, lonely.wrap):
            why, severity = f"{why}, if it has any", Severity.INFO
    else:
        return None
    related = (
        Related(lonely.test, "only one rank passes this test"),
        Related(context.place_of(lonely.wrap), "the model is wrapped here"),
    )
    message = (
        f"one rank alone runs this evaluation, and the forward pass of `{lonely.name}` {why}: it "
        f"waits for ranks that do something else; {_ADVICE[lonely.name in known.SYNCING]}"
    )
    return Finding(severity, message, lonely.place, related)
