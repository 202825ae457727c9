"""Objects that workers use and a program changes between epochs: kept workers would not see it.

They are given to a loader by its collate function, its `worker_init_fn` or what its data set keeps:
as the object itself, as what a `partial` binds, as a name that the function reads. Each is known by
its class; what counts as a change is an attribute that one method of the class reads and another
one, or the epoch itself, writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.object_state.state import ObjectStates
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, Class, Scope
from dlint.model.data.dataset_changes import Code, EpochCode, on_the_way
from dlint.model.loops.batch_loops import calls_in
from dlint.model.workers.worker_code import COLLATE, INIT, TRANSFORM, WorkerCode, parts_of
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import FunctionObject, Partial, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.epochs import EpochLoop

Change = tuple[Class, str, Scope | None]
"""An attribute that is written on an object of a class, and the method that writes it."""


def changes_held_objects(loader: Loader, epoch: EpochLoop) -> bool:
    """Whether an epoch changes an object, beside the data set, that the workers work with."""
    held = set(_held(loader))
    context = loader.context
    return bool(held) and any(
        cls in held and _is_read_beside(context, cls, attribute, writer)
        for cls, attribute, writer in context[_Changes].of(epoch)
    )


class _Changes:
    """What epochs write, looked for once for all loaders that they come to."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Code, list[Change]] = {}

    def of(self, epoch: EpochLoop) -> list[Change]:
        if epoch.code not in self._known:
            self._known[epoch.code] = list(dict.fromkeys(_changes_of(self._context, epoch)))
        return self._known[epoch.code]


def _changes_of(context: AnalysisContext, epoch: EpochLoop) -> Iterator[Change]:
    """What an epoch writes, there and in functions that it calls, of which class by which method.

    What a method that it calls writes on its own object is found by the call.
    """
    for block, scope in on_the_way(epoch):
        yield from _called(context, block, scope)
        yield from _written(context, block, scope)
    for scope in context[EpochCode].beside(epoch):
        yield from _called(context, scope.body, scope)
        if scope.owner is None:
            yield from _written(context, scope.body, scope)


def _held(loader: Loader) -> Iterator[Class]:
    """The classes of the objects that the workers of a loader are given."""
    context = loader.context
    for role in (COLLATE, INIT):
        for value in loader.values(role):
            yield from _bound(context, value)
    for entry in context[WorkerCode].entries:
        if entry.role in (COLLATE, INIT, TRANSFORM) and entry.cls and loader in entry.loaders:
            yield entry.cls
    for value in loader.values("dataset"):
        cls = attributes.project_class(value)
        if cls is not None:
            yield from (part.cls for part in context[ObjectStates].of(cls).parts())


def _bound(context: AnalysisContext, value: Value) -> Iterator[Class]:
    """The classes of what a callable takes along: by a `partial`, by names that it reads."""
    found: list[Value] = []
    if isinstance(value, Partial):
        passed = context.solver.passed[value].arguments
        found = [v for given, frame in passed for v in context.solver.values(given.value, frame)]
    elif isinstance(value, FunctionObject):
        free = (
            p for p in parts_of(value.scope) if isinstance(p, ex.Reference) and not p.definition
        )
        found = [v for name in free for v in context.values(name, value.scope)]
    yield from (cls for each in found if (cls := attributes.project_class(each)) is not None)


def _called(context: AnalysisContext, block: Block, scope: Scope) -> Iterator[Change]:
    """What the methods that code calls write on their own objects."""
    for call in calls_in(block):
        if isinstance(call.function, ex.Attribute):
            for cls in _classes(context, call.function.value, scope):
                method = context.solver.classes.method(cls, call.function.name)
                stores = () if method is None else method.stores
                own = (s.target for s in stores if attributes.written_on_self(s) is not None)
                yield from ((cls, t.name, method) for t in own if isinstance(t, ex.Attribute))


def _written(context: AnalysisContext, block: Block, scope: Scope) -> Iterator[Change]:
    """What code writes on objects itself."""
    for statement in walk.statements(block):
        for store in statement.stores if isinstance(statement, Bind) else ():
            if isinstance(store.target, ex.Attribute):
                for cls in _classes(context, store.target.value, scope):
                    yield cls, store.target.name, None


def _classes(context: AnalysisContext, owner: ex.Expression, scope: Scope) -> Iterator[Class]:
    """The classes of the objects that an expression may be."""
    found = (attributes.project_class(value) for value in context.values(owner, scope))
    yield from dict.fromkeys(cls for cls in found if cls is not None)


def _is_read_beside(
    context: AnalysisContext, cls: Class, attribute: str, writer: Scope | None
) -> bool:
    """Whether a method of a class reads what another one, or code outside, has written.

    Those that workers are seen to run count, or all where they are not followed so far.
    """
    entered = context[WorkerCode].functions
    owners = context.solver.classes.ancestors(cls)
    methods = [m for owner in owners for m in owner.methods.values() if m is not writer]
    in_workers = [method for method in methods if method in entered]
    return any(_reads(method, attribute) for method in in_workers or methods)


def _reads(method: Scope, attribute: str) -> bool:
    written = {id(store.target) for store in method.stores}
    return any(
        isinstance(part, ex.Attribute) and part.name == attribute and id(part) not in written
        for part in parts_of(method)
    )
