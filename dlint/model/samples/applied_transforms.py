"""Applied transforms: which transforms a data set certainly applies to each of its samples.

Known are the arguments by which data sets of libraries are given transforms, and, of classes of the
project, what the constructor keeps and the code of a worker calls (`self.transform(image)`), where
nothing but a look at the attribute itself decides over it. What is called in a loop, or for several
views of a sample, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import given_to
from dlint.analyses.callees import is_self
from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import is_optional, tests_before, tests_of_call
from dlint.analyses.guards import comes_out
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.random_transforms import TRANSFORM_ARGUMENTS
from dlint.library_facts.torchvision import dataset_facts
from dlint.model.data.dataset_origins import DatasetOrigins, Origin
from dlint.model.samples.random_transforms import drawing
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import Instance

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
    init = context.solver.classes.method(cls, "__init__")
    if init is None:
        return
    passed = CallArguments.of(origin.call.arguments, origin.frame)
    made = Instance(cls, exact=True)
    frame = context.solver.frames.enter(init, origin.call, passed, origin.frame, None, made)
    for store in init.stores:
        target = store.target
        kept = isinstance(target, ex.Attribute) and is_self(target.value, init)
        if kept and isinstance(target, ex.Attribute) and is_applied(context, cls, target.name):
            tests = tests_before(init, store.span)
            if False not in [comes_out(context, t.test, frame, truth=t.truth) for t in tests]:
                yield Applied(target.name, *_as_given(context, store.value, frame))


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


def is_applied(context: AnalysisContext, cls: Class, name: str) -> bool:
    """Whether worker code gives what an attribute holds something of each sample, once.

    What is called with nothing makes a part of its own, a mask perhaps.
    """
    calls = {
        call: None
        for entry in context[WorkerCode].of_class(cls)
        for frame in entry.activations
        for call in frame.scope.calls
        if isinstance(call.function, ex.Attribute)
        and call.function.name == name
        and is_self(call.function.value, frame.scope)
    }
    return len(calls) == 1 and all(c.arguments and _is_certain(c, name) for c in calls)


def _is_certain(call: ex.Call, name: str) -> bool:
    if is_optional(call) or any(walk.enclosing_loops(call.statement)):
        return False
    return all(_asks_for(test.test, name) for test in tests_of_call(call))


def _asks_for(test: ex.Expression, name: str) -> bool:
    """Whether a test is about an attribute alone: `self.transform is not None`."""
    read = [part.name for part in walk.walk(test) if isinstance(part, ex.Attribute)]
    return set(read) == {name}
