"""missing-set-epoch: a distributed sampler that replays one order in every epoch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_anywhere, calls_to, library_callees
from dlint.analyses.joined_names import JoinedNames
from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import InsertFirstInLoop
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts.frameworks import ENGINES, Duty
from dlint.model.epochs import EpochLoop, counts, statement_name
from dlint.model.frameworks import Consumption
from dlint.model.loops import EVALUATION
from dlint.model.roles import only_evaluates
from dlint.model.samplers import distributed_samplers
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.samplers import Sampler
    from dlint.semantics.values.values import Value

_IF_GIVEN = "if {} is not None:\n    "
_IF_IT_CAN = 'if hasattr({}, "set_epoch"):\n    '


class _Target(NamedTuple):
    """An expression for the sampler, and the test that must precede a call on it."""

    name: str
    guard: str


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Shuffling distributed samplers, iterated for several epochs, whose epoch nobody sets."""
    handled = {s.made.call for s in context[distributed_samplers] if s.epochs and s.is_handled}
    reported: set[ex.Call] = set()
    for sampler in context[distributed_samplers]:
        if sampler.made.call in reported | handled or not sampler.shuffles or sampler.has_own_order:
            continue
        epochs = (*sampler.epochs, *sampler.renewing_epochs)
        wanting = [pair for pair in epochs if _is_wanting(sampler, *pair)]
        runs = sampler.runs
        if (wanting or runs) and not sampler.is_handled:
            reported.add(sampler.made.call)
            wanting.sort(key=lambda pair: pair[1].is_single_by_default(context))
            yield _finding(sampler, *wanting[0]) if wanting else _run_finding(sampler, *runs[0])
    for engine in engine_loaders(context):
        if not engine.is_handled:
            yield _engine_finding(engine)


def _is_wanting(sampler: Sampler, loader: Loader, epoch: EpochLoop) -> bool:
    if sampler.context[Consumption].takes_over(loader.made, Duty.SETS_EPOCH) is not None:
        return False
    if EVALUATION.search(sampler.name) or only_evaluates(loader):
        return False
    return not sampler.is_made_in(epoch)


def _message(sampler: Sampler, single: str | None) -> str:
    shuffling, more = sampler.shuffles_by, ""
    if shuffling is not None:
        shuffling = f" (`shuffle` is on by the {shuffling})"
    if single is not None:
        more = f", once there are more than the one by the {single}"
    return (
        f"nothing calls `set_epoch` on this DistributedSampler{shuffling or ''}, so every epoch "
        f"sees the samples in the same order{more}; call `set_epoch(epoch)` before each epoch "
        "iterates the loader"
    )


def _finding(sampler: Sampler, loader: Loader, epoch: EpochLoop) -> Finding:
    context = sampler.context
    loop = Place(epoch.scope.module.path, *epoch.loop.header)
    single = epoch.single_by(context)
    return Finding(
        Severity.ERROR if single is None else Severity.INFO,
        _message(sampler, single),
        sampler.place,
        (
            Related(loop, "the epochs are counted here"),
            Related(loader.place, "the loader takes its order from the sampler"),
            Related(epoch.batch_loop.place, "the loader is iterated here"),
        ),
        _fix(sampler, loader, epoch),
    )


def _run_finding(sampler: Sampler, loader: Loader, call: ex.Call) -> Finding:
    """A framework runs the epochs and leaves the sampler alone."""
    related = (
        Related(sampler.context.place_of(call), "the epochs are run here, without `set_epoch`"),
        Related(loader.place, "the loader takes its order from the sampler"),
    )
    return Finding(Severity.ERROR, _message(sampler, None), sampler.place, related)


def _engine_finding(engine: EngineLoader) -> Finding:
    """An engine's own loader and sampler."""
    return Finding(
        Severity.ERROR,
        "the loader made here has a DistributedSampler whose epoch nothing sets, so every epoch "
        "sees the samples in the same order; call `set_epoch(epoch)` on its `data_sampler` first "
        "in each epoch",
        engine.place,
        (
            Related(engine.header(engine.epochs), "the epochs are counted here"),
            Related(engine.header(engine.batches), "the loader is iterated here"),
        ),
    )


def _fix(sampler: Sampler, loader: Loader, epoch: EpochLoop) -> Fix | None:
    """Set the epoch first in the epoch loop, where its counter and the sampler have names."""
    counter = statement_name(epoch.loop)
    if not counter or not counts(epoch.loop.iterable):
        return None
    target = _target(sampler, loader, epoch)
    if target is None:
        return None
    place = Place(epoch.scope.module.path, *epoch.loop.span)
    text = target.guard.format(target.name) + f"{target.name}.set_epoch({counter})"
    return Fix(Applicability.UNSAFE, "Set the sampler's epoch", (InsertFirstInLoop(place, text),))


def _target(sampler: Sampler, loader: Loader, epoch: EpochLoop) -> _Target | None:
    """How the sampler is named at the epoch loop."""
    context = sampler.context
    given = loader.values("sampler") | loader.values("batch_sampler")
    for name, value in context[JoinedNames].before(epoch.scope, epoch.loop):
        found = context.values(value, epoch.scope)
        if sampler.made in found and found <= given | {sampler.made, NONE}:
            return _Target(name, _guard(sampler, found))
    path = sampler.path_from(loader)
    if path is None or NONE in given:
        return None
    for name, value in context[JoinedNames].before(epoch.scope, epoch.loop):
        if context.values(value, epoch.scope) == {loader.made}:
            return _Target(f"{name}.{path}", _guard(sampler, given))
    return None


def _guard(sampler: Sampler, values: Iterable[Value]) -> str:
    """What to ask first: a run that is not distributed may have none, or one without epochs."""
    others = set(values) - {sampler.made}
    if not others:
        return ""
    return _IF_GIVEN if others == {NONE} else _IF_IT_CAN


@dataclass(eq=False, frozen=True)
class EngineLoader:
    """A loader that a library function returns, and the loops over it."""

    context: AnalysisContext
    call: ex.Call
    batches: Loop
    epochs: Loop

    @property
    def place(self) -> Place:
        """Where the engine is made."""
        return self.context.place_of(self.call)

    @property
    def is_handled(self) -> bool:
        """Whether the module that runs it sets some epoch."""
        setting = calls_anywhere(self.context, "set_epoch")
        return any(call.scope.module is self.call.scope.module for call in setting)

    def header(self, loop: Loop) -> Place:
        """The header of one of its loops."""
        return Place(self.call.scope.module.path, *loop.header)


def engine_loaders(context: AnalysisContext) -> Iterator[EngineLoader]:
    """Loaders that an engine makes of training data and that are run for several epochs."""
    for call in calls_to(context, *ENGINES):
        for path in library_callees(context, call):
            if path in ENGINES:
                yield from _run(context, call, *ENGINES[path])


def _run(
    context: AnalysisContext, call: ex.Call, keyword: str, position: int, place: int
) -> Iterator[EngineLoader]:
    data = written(call, position, keyword)
    if data is None or (isinstance(data, ex.Constant) and data.value is None):
        return
    for statement in walk.statements(call.scope.body):
        if isinstance(statement, Loop) and _iterates(statement.iterable, call, place):
            around = next(walk.enclosing_loops(statement), None)
            if around is not None:
                yield EngineLoader(context, call, statement, around)


def _iterates(iterable: ex.Expression | None, call: ex.Call, place: int) -> bool:
    """Whether an iterable names the loader among what the call returns."""
    if iterable is None:
        return False
    return any(
        isinstance(part, ex.Reference)
        and part.definition is not None
        and isinstance(item := part.definition.value, ex.Item)
        and item.value is call
        and item.position == place
        for part in walk.walk(iterable)
    )
