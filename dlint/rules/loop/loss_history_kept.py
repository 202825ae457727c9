"""loss-history-kept: losses that are added up or collected with their autograd graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import CallMethod, ReplaceExpression
from dlint.model.loops.graph_retention import histories
from dlint.model.loops.kept_graphs import kept_graphs
from dlint.model.loops.step_histories import step_histories

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loops.graph_retention import History
    from dlint.model.loops.kept_graphs import KeptGraph
    from dlint.model.loops.step_histories import StepHistory

_NODES = "the nodes of all these graphs, and host memory grows with every batch"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Losses that training loops keep together with the graph of their step."""
    for history in histories(context):
        yield _of_history(history)
    for step in step_histories(context):
        yield _of_step(step)
    for kept in kept_graphs(context):
        yield _of_graph(kept)


def _of_history(history: History) -> Finding:
    name = f"`{history.name}`" if history.name else "this loss"
    if history.of_items:
        name = f"what {name} holds"
    how = "adding it up" if history.is_sum else "collecting it"
    related = [Related(history.gradient_place, "the gradient is taken here")]
    if history.kept_place is not None:
        related.append(Related(history.kept_place, "it is kept here"))
    if history.loop is not None:
        related.append(Related(history.loop.place, "each batch of this loop adds to them"))
    return Finding(
        Severity.WARNING,
        f"{name} still refers to the autograd graph of its step, so {how} keeps "
        f"{_kept(history)}; {_advice(history)}",
        history.place,
        tuple(related),
        None if history.of_items else _fix(history),
    )


def _advice(history: History) -> str:
    if history.of_items:
        return "keep each of them with `.detach()`"
    return f"keep `{history.name}.detach()`" if history.name else "keep it with `.detach()`"


def _of_graph(kept: KeptGraph) -> Finding:
    name = f"`{kept.name}`" if kept.name else "this tensor"
    how = "adding it up" if kept.is_sum else "collecting it"
    if kept.is_freed:
        message = (
            f"{name} still refers to the autograd graph of its step, so {how} keeps {_NODES}; "
            "keep it with `.detach()`"
        )
    else:
        message = (
            f"{name} refers to the autograd graph of its batch, as gradients are on here and "
            f"nobody takes one, so {how} keeps the activations of all batches; evaluate under "
            "`torch.no_grad()`, or keep it with `.detach()`"
        )
    related = Related(kept.loop.place, "each batch of this loop adds to them")
    fix = Fix(
        Applicability.SAFE,
        "Keep the value without its graph",
        (CallMethod(kept.place, "detach"),),
    )
    return Finding(Severity.WARNING, message, kept.place, (related,), fix)


def _of_step(step: StepHistory) -> Finding:
    name = step.name
    fix = ReplaceExpression(step.place, f"{name}.detach()")
    return Finding(
        Severity.WARNING,
        f"`{name}` still refers to the autograd graph of its step, so collecting it keeps "
        f"{_NODES}; keep `{name}.detach()`",
        step.place,
        (Related(step.returned_place, f"{step.framework} takes its gradient"),),
        Fix(Applicability.SAFE, "Keep the value without its graph", (fix,)),
    )


def _fix(history: History) -> Fix:
    """Detach what is kept; it is safe where the graph cannot be used a second time."""
    return Fix(
        Applicability.UNSAFE
        if history.graph_stays or history.may_be_number
        else Applicability.SAFE,
        "Keep the value without its graph",
        (CallMethod(history.place, "detach"),),
    )


def _kept(history: History) -> str:
    """What stays in memory: `backward()` frees the activations, unless it is told not to."""
    if history.graph_stays:
        return "the graphs of all steps with their activations, and memory grows with every batch"
    return _NODES
