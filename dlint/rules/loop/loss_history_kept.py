"""loss-history-kept: losses that are added up or collected with their autograd graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import ReplaceExpression
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.model.graph_retention import histories
from dlint.model.step_histories import step_histories

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.graph_retention import History
    from dlint.model.step_histories import StepHistory


_NODES = "the nodes of all these graphs, and host memory grows with every batch"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Losses that training loops keep together with the graph of their step."""
    for history in histories(context):
        name = history.loss.name
        how = "adding it up" if history.is_sum else "collecting it"
        place = Place(history.scope.module.path, *history.loss.span)
        yield Finding(
            Severity.WARNING,
            f"`{name}` still refers to the autograd graph of its step, so {how} keeps "
            f"{_kept(history.backward)}; keep `{name}.detach()`",
            place,
            (Related(context.place_of(history.backward), "the gradient is taken here"),),
            _fix(history, place),
        )
    for step in step_histories(context):
        yield _of_step(step)


def _of_step(step: StepHistory) -> Finding:
    name = ex.dotted(step.loss)
    path = step.scope.module.path
    place = Place(path, *step.loss.span)
    fix = ReplaceExpression(place, f"{name}.detach()")
    return Finding(
        Severity.WARNING,
        f"`{name}` still refers to the autograd graph of its step, so collecting it keeps "
        f"{_NODES}; keep `{name}.detach()`",
        place,
        (Related(Place(path, *step.returned.span), f"{step.framework} takes its gradient"),),
        Fix(Applicability.SAFE, "Keep the value without its graph", (fix,)),
    )


def _fix(history: History, place: Place) -> Fix:
    """Detach what is kept; it is safe where the graph cannot be used a second time."""
    return Fix(
        Applicability.UNSAFE if _retains(history.backward) else Applicability.SAFE,
        "Keep the value without its graph",
        (ReplaceExpression(place, f"{history.loss.name}.detach()"),),
    )


def _kept(backward: ex.Call) -> str:
    """What stays in memory: `backward()` frees the activations, unless it is told not to."""
    if _retains(backward):
        return "the graphs of all steps with their activations, and memory grows with every batch"
    return _NODES


def _retains(backward: ex.Call) -> bool:
    kept = written(backward, 1, "retain_graph") or written(backward, 2, "create_graph")
    return kept is not None
