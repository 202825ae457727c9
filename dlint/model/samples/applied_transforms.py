"""Applied transforms: which transforms a data set certainly applies to each of its samples.

Known are the arguments by which data sets of libraries are given transforms, and, of classes of the
project, what the constructor keeps and the code of a worker calls (`self.transform(image)`), where
nothing but a look at the attribute itself decides over it, or what else this one object certainly
holds (`if self.augment:`). What is called for several views of a sample is left out, also by a loop
that does not go through what it gives, and what a method of the data set may replace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import given_to
from dlint.analyses.callees import is_self, own_attribute
from dlint.analyses.calls import library_callees
from dlint.analyses.guards import on_way
from dlint.analyses.object_state.made_objects import MadeObject
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.random_transforms import TRANSFORM_ARGUMENTS
from dlint.library_facts.torchvision import dataset_facts
from dlint.model.data.dataset_origins import DatasetOrigins, Origin
from dlint.model.samples.random_transforms import drawing, repeats_views
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.calls.call_contexts import CallArguments, CallContext

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class


_STEPS = 5
"""How many functions may hand a transform on, one to the other."""


class Applied(NamedTuple):
    """A transform that a data set applies: under which attribute, and what says so."""

    attribute: str
    value: ex.Expression
    frame: CallContext

    @property
    def place(self) -> Place:
        """Where the transform is given."""
        return Place(self.frame.scope.module.path, *self.value.span)


def applied_transforms(context: AnalysisContext, origin: Origin) -> Iterator[Applied]:
    """The transforms that what a call makes applies to each sample."""
    cls = context[DatasetOrigins].project_class(origin)
    if cls is None:
        yield from _given(context, origin)
        return
    made = MadeObject(context, cls, origin.call, origin.frame)
    for name in made.attributes:
        if not made.is_rewritten(name) and is_applied(context, made, name):
            for kept in made.kept(name):
                yield Applied(name, *_as_given(context, *kept))


def _as_given(
    context: AnalysisContext, value: ex.Expression, frame: CallContext
) -> tuple[ex.Expression, CallContext]:
    """What the constructor's call gives, where it is kept as it is: the class may serve others."""
    bound = ex.unnamed(ex.unpacked(value))
    given = [] if not isinstance(bound, ex.Parameter) else list(given_to(context, bound, frame))
    return given[0] if len(given) == 1 else (value, frame)


def of_caller(context: AnalysisContext, applied: Applied) -> Applied:
    """The same transform where the one caller gives it whose function hands it on as it is."""
    value, frame = applied.value, applied.frame
    for _ in range(_STEPS):
        further = _as_given(context, value, frame)
        if further == (value, frame):
            break
        value, frame = further
    return applied._replace(value=value, frame=frame)


def random_transform(context: AnalysisContext, origin: Origin) -> tuple[Applied, Place] | None:
    """A transform of a data set that certainly is random, and where it draws."""
    kept: dict[str, list[Applied]] = {}
    for applied in applied_transforms(context, origin):
        kept.setdefault(applied.attribute, []).append(applied)
    for alternatives in kept.values():
        found = [drawing(context, one.value, one.frame) for one in alternatives]
        places = [place for place in found if place is not None]
        if len(places) == len(found):
            return alternatives[0], places[0]
    return None


def _given(context: AnalysisContext, origin: Origin) -> Iterator[Applied]:
    """The transforms that a data set of a library is given."""
    passed = CallArguments.of(origin.call.arguments, origin.frame)
    for path in library_callees(context, origin.call):
        facts = dataset_facts(path)
        for name in TRANSFORM_ARGUMENTS:
            position = None if facts is None else facts.position(name)
            given = argument_for(passed, position, name).expression
            if given is not None:
                yield Applied(name, *given)


def reads_attribute(context: AnalysisContext, cls: Class, name: str) -> bool:
    """Whether worker code reads an attribute of the data set."""
    return any(
        isinstance(part, ex.Attribute) and part.name == name and is_self(part.value, frame.scope)
        for entry in context[WorkerCode].of_class(cls)
        for frame in entry.activations
        for statement in walk.statements(frame.scope.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )


def is_applied(context: AnalysisContext, made: MadeObject, name: str) -> bool:
    """Whether worker code gives what an attribute holds something of each sample, once.

    What is called with nothing makes a part of its own, a mask perhaps.
    """
    calls: dict[ex.Call, list[CallContext]] = {}
    for entry in context[WorkerCode].of_class(made.cls):
        for frame in entry.activations:
            for call in frame.scope.calls:
                named = own_attribute(call.function, frame.scope) == name
                if named and _is_reached(made, call, frame):
                    calls.setdefault(call, []).append(frame)
    return len(calls) == 1 and all(
        call.arguments and not repeats_views(call) and _is_certain(made, call, frame, name)
        for call, frames in calls.items()
        for frame in frames
    )


def _is_reached(made: MadeObject, call: ex.Call, frame: CallContext) -> bool:
    """Whether no test on the way to a call certainly keeps it from being made."""
    guards = on_way(frame, call.span)
    return all(made.outcome(g.test, g.frame) is not (not g.truth) for g in guards)


def _is_certain(made: MadeObject, call: ex.Call, frame: CallContext, name: str) -> bool:
    """Whether nothing but a look at the attribute, or what the object holds, decides over it."""
    return all(
        _asks_for(guard.test, name) or made.outcome(guard.test, guard.frame) is guard.truth
        for guard in on_way(frame, call.span)
    )


def _asks_for(test: ex.Expression, name: str) -> bool:
    """Whether a test is about an attribute alone: `self.transform is not None`."""
    read = [part.name for part in walk.walk(test) if isinstance(part, ex.Attribute)]
    return set(read) == {name}
