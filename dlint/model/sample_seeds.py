"""Seeds that code of samples sets alike for each sample, or in each epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.dependence import NOTHING, Dependence, Sources, by, dependence
from dlint.analyses.object_state.sample_access import TAKES
from dlint.ir import expressions as ex
from dlint.library_facts.seeding import SEEDERS, SEEDS, drawn_by
from dlint.library_facts.varying import Source
from dlint.model.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loader import Loader
    from dlint.model.worker_code import Entry
    from dlint.semantics.calls.call_contexts import CallContext


class SampleSeed(NamedTuple):
    """A call that seeds the generator of a library alike, for a loader that is trained on.

    By the index, samples are told apart, and epochs are not.
    """

    place: Place
    library: str
    is_by_index: bool
    loader: Loader


def sample_seeds(context: AnalysisContext) -> Iterator[SampleSeed]:
    """The seeds that code of samples sets alike, where samples are drawn with them."""
    for entry in context[WorkerCode].entries:
        loader = next((x for x in entry.loaders if x.trains), None)
        if entry.role not in TAKES or entry.role == "__iter__" or loader is None:
            continue
        for call, frame in entry.calls():
            library = _seeded(context, call)
            if library is None or not _always_runs(call, frame):
                continue
            by_index = _is_by_index(entry, call, frame, library)
            if by_index is not None and _draws(context, entry, library):
                yield SampleSeed(context.place_of(call), library, by_index, loader)


def _is_by_index(entry: Entry, call: ex.Call, frame: CallContext, library: str) -> bool | None:
    """Whether a seed depends on the index alone; None where it depends on anything else."""
    context = entry.context
    seed = bind(context, call, SEEDS[library]).get(SEEDS[library])
    if seed is None or dependence(context, seed, frame, _known(entry, NOTHING)).possible:
        return None
    return bool(dependence(context, seed, frame, _known(entry, by(Source.WORKER))).possible)


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


def _known(entry: Entry, index: Dependence) -> Sources:
    """What is said of the index, which is given anew for each sample."""
    parameters = entry.scope.parameters
    name = parameters[1].name if len(parameters) > 1 else None

    def known(expression: ex.Expression, frame: CallContext) -> Dependence | None:
        own = isinstance(expression, ex.Parameter) and frame.scope is entry.scope
        return index if own and getattr(expression, "name", None) == name else None

    return known
