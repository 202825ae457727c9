"""seed-per-sample: `__getitem__` seeds with one number, so that all samples draw the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.dependence import NOTHING, Dependence, Sources, by, dependence
from dlint.analyses.object_state.sample_access import TAKES
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.ir import expressions as ex
from dlint.library_facts.seeding import LIBRARY, SEEDERS, SEEDS, drawn_by
from dlint.library_facts.varying import Source
from dlint.model.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loader import Loader
    from dlint.model.worker_code import Entry
    from dlint.semantics.calls.call_contexts import CallContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Seeds that are set alike for each sample, or in each epoch, in training."""
    seen: set[Place] = set()
    for entry in context[WorkerCode].entries:
        loader = next((x for x in entry.loaders if x.trains), None)
        if entry.role not in TAKES or entry.role == "__iter__" or loader is None:
            continue
        for call, frame in entry.calls():
            place = context.place_of(call)
            library = _seeded(context, call)
            if place in seen or library is None or not _always_runs(call, frame):
                continue
            if not _draws(context, entry, library):
                continue
            finding = _of(context, entry, (call, frame), library, loader)
            if finding is not None:
                seen.add(place)
                yield finding


def _seeded(context: AnalysisContext, call: ex.Call) -> str | None:
    """The library whose global generator a call seeds; None for any other call."""
    if not is_call_to(context, call, SEEDERS):
        return None
    return next((SEEDERS[path] for path in library_callees(context, call) if path in SEEDERS), None)


def _always_runs(call: ex.Call, frame: CallContext) -> bool:
    """Whether a call is made for each sample, whatever functions lead to it."""
    around = (outer.call for outer in frame.chain() if outer.call is not None)
    calls = {call, *around}
    return all(always_runs(each.statement, each.scope.body) for each in calls)


def _draws(context: AnalysisContext, entry: Entry, library: str) -> bool:
    """Whether code of a sample draws from the generator of a library."""
    paths = (path for call, _ in entry.calls() for path in library_callees(context, call))
    return any(drawn_by(path) == library for path in paths)


def _of(
    context: AnalysisContext,
    entry: Entry,
    called: tuple[ex.Call, CallContext],
    library: str,
    loader: Loader,
) -> Finding | None:
    call, frame = called
    seed = bind(context, call, SEEDS[library]).get(SEEDS[library])
    if seed is None or dependence(context, seed, frame, _known(entry, NOTHING)).possible:
        return None
    by_index = bool(dependence(context, seed, frame, _known(entry, by(Source.WORKER))).possible)
    what = (
        "by the index alone, so each sample draws the same numbers in every epoch"
        if by_index
        else "with the same number for each sample, so all samples of all epochs draw the same"
    )
    return Finding(
        Severity.INFO if by_index else Severity.ERROR,
        f"this seeds {LIBRARY[library]} {what}; leave the seed to torch, which gives each worker "
        "and each epoch its own, or put the index and the epoch into it",
        context.place_of(call),
        (Related(loader.place, "this loader is trained on"),),
    )


def _known(entry: Entry, index: Dependence) -> Sources:
    """What is said of the index, which is given anew for each sample."""
    parameters = entry.scope.parameters
    name = parameters[1].name if len(parameters) > 1 else None

    def known(expression: ex.Expression, frame: CallContext) -> Dependence | None:
        own = isinstance(expression, ex.Parameter) and frame.scope is entry.scope
        return index if own and getattr(expression, "name", None) == name else None

    return known
