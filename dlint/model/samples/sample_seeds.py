"""Seeds that code of samples sets alike for each sample, or in each epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.dependence import NOTHING, Dependence, Sources, by, dependence
from dlint.analyses.object_state.sample_access import TAKES
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.seeding import EVERYTHING, SEEDERS, SEEDS, drawn_by
from dlint.library_facts.varying import Source
from dlint.model.workers.worker_code import TRANSFORM, WorkerCode, callables
from dlint.semantics.values.values import is_of_library, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader
    from dlint.model.workers.worker_code import Entry
    from dlint.semantics.calls.call_contexts import CallContext


_SEEDERS = SEEDERS.keys() | EVERYTHING
_OF_RANDOM = frozenset(path for path, library in SEEDERS.items() if library == "random")
_OF_SAMPLES = frozenset({*TAKES, TRANSFORM}) - {"__iter__"}


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
        if entry.role not in _OF_SAMPLES or loader is None:
            continue
        for call, frame in entry.calls():
            libraries = _seeded(context, call)
            if not libraries or not _always_runs(call, frame):
                continue
            by_index = _is_by_index(entry, call, frame)
            drawn = (library for library in libraries if _draws(context, entry, library))
            if by_index is not None and (library := next(drawn, None)) is not None:
                yield SampleSeed(context.place_of(call), library, by_index, loader)


def _is_by_index(entry: Entry, call: ex.Call, frame: CallContext) -> bool | None:
    """Whether a seed depends on the index alone; None where it depends on anything else."""
    context = entry.context
    seed = written(call, 0, "a" if is_call_to(context, call, _OF_RANDOM) else "seed")
    if seed is None or dependence(context, seed, frame, _known(entry, NOTHING)).possible:
        return None
    return bool(dependence(context, seed, frame, _known(entry, by(Source.WORKER))).possible)


def _seeded(context: AnalysisContext, call: ex.Call) -> tuple[str, ...]:
    """The libraries whose global generators a call seeds; none for any other call."""
    if not is_call_to(context, call, _SEEDERS):
        return ()
    paths = library_callees(context, call)
    if not EVERYTHING.isdisjoint(paths):
        return tuple(SEEDS)
    return tuple(SEEDERS[path] for path in paths if path in SEEDERS)


def _always_runs(call: ex.Call, frame: CallContext) -> bool:
    """Whether a call is made for each sample, whatever functions lead to it."""
    around = (outer.call for outer in frame.chain() if outer.call is not None)
    calls = {call, *around}
    return all(always_runs(each.statement, each.scope.body) for each in calls)


def _draws(context: AnalysisContext, entry: Entry, library: str) -> bool:
    """Whether code of a sample draws from the generator of a library."""
    return any(
        drawn_by(path) == library
        for call, frame in entry.calls()
        for path in (*library_callees(context, call), *_applied(context, call, frame))
    )


def _applied(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Iterator[str]:
    """The transforms of libraries that a call applies: `self.transform(image)`."""
    for value in context.solver.values(call.function, frame):
        applied = callables(context, value) if is_of_library(value) else ()
        yield from (library_path(one) for one in applied if is_of_library(one))


def _known(entry: Entry, index: Dependence) -> Sources:
    """What is said of the index, which is given anew for each sample."""
    indices = {
        (frame.scope, frame.scope.parameters[1].name)
        for frame in entry.outermost
        if len(frame.scope.parameters) > 1 and entry.role in TAKES
    }

    def known(expression: ex.Expression, frame: CallContext) -> Dependence | None:
        if not isinstance(expression, ex.Parameter):
            return None
        return index if (frame.scope, expression.name) in indices else None

    return known
