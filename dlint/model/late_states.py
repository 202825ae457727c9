"""What the main process sets in each epoch, while workers have copies of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Class, Loop, Scope, Statement, Store
from dlint.model.epochs import epoch_loops
from dlint.model.handles import reads
from dlint.model.loops import calls_in
from dlint.model.worker_code import WorkerCode
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import TRUE

if TYPE_CHECKING:
    from dlint.model.datasets import DatasetClass
    from dlint.model.loader import Loader


class LateState(NamedTuple):
    """An attribute of a data set that the main process sets in each epoch."""

    place: Place
    attribute: str
    loader: Loader


def late_states(dataset: DatasetClass) -> Iterator[LateState]:
    """What is set in the loop over epochs and read by workers that live on."""
    entries = dataset.context[WorkerCode].of_class(dataset.cls)
    for loader in dataset.own_loaders if entries else ():
        if loader.workers_present is None or not _lives_on(loader):
            continue
        for epoch in epoch_loops(loader):
            for place, attribute in _set_in(dataset, epoch.loop, epoch.scope):
                if any(reads(entry, attribute) for entry in entries):
                    yield LateState(place, attribute, loader)


def _lives_on(loader: Loader) -> bool:
    """Whether workers certainly outlive an epoch."""
    found = loader.argument("persistent_workers")
    return bool(found) and all(a.value == TRUE for a in found)


def _set_in(dataset: DatasetClass, loop: Loop, scope: Scope) -> Iterator[tuple[Place, str]]:
    """The attributes of the data set that the body of a loop sets, directly or by a method."""
    family = frozenset(dataset.context.solver.classes.family(dataset.cls))
    for statement in walk.statements(loop.body):
        for store in statement.stores if isinstance(statement, Bind) else ():
            name = _attribute(store, once=_is_later(statement, loop))
            if name is not None and _is_of(dataset, store.target.value, scope, family):
                yield Place(scope.module.path, *store.span), name
    names = frozenset(name for cls in family for name in cls.methods)
    for call in calls_in(loop.body):
        callee = call.function
        differs = _is_given_something(call) or (call.arguments and _is_later(call.statement, loop))
        if call.name not in names or not differs:
            continue
        if isinstance(callee, ex.Attribute) and _is_of(dataset, callee.value, scope, family):
            for attribute in _set_by(dataset, call.name):
                yield dataset.context.place_of(call), attribute


def _is_later(statement: Statement, loop: Loop) -> bool:
    """Whether a test of what the loop counts lets a statement run, and not in the first epoch."""
    tests = [test for test, truth in walk.tests(statement) if truth]
    return any(
        isinstance(test, ex.Comparison)
        and test.operator in ("==", ">=", ">")
        and isinstance(test.left, ex.Reference)
        and test.left.definition in loop.definitions
        and not (isinstance(test.right, ex.Constant) and test.right.value == 0)
        for test in tests
    )


def _attribute(store: Store, *, once: bool = False) -> str | None:
    """The attribute that is written, with a value that may differ from epoch to epoch.

    A constant differs if it is written `once`, after the first epoch.
    """
    target = store.target
    differs = once or not isinstance(store.value, ex.Constant)
    named = isinstance(target, ex.Attribute) and differs
    return target.name if named and isinstance(target, ex.Attribute) else None


def _is_given_something(call: ex.Call) -> bool:
    """Whether what is set may differ from epoch to epoch."""
    return any(not isinstance(argument.value, ex.Constant) for argument in call.arguments)


def _is_of(
    dataset: DatasetClass, owner: ex.Expression, scope: Scope, family: frozenset[Class]
) -> bool:
    """Whether an expression is an object of the class; the object that runs the loop is none."""
    if is_self(owner, scope):
        return False
    values = dataset.context.values(owner, scope)
    return any(attributes.project_class(value) in family for value in values)


def _set_by(dataset: DatasetClass, name: str) -> Iterator[str]:
    """The attributes that a method of the data set writes from what it is given."""
    method = dataset.context.solver.classes.method(dataset.cls, name)
    for store in method.stores if method is not None else ():
        attribute = _attribute(store)
        if attribute is not None and is_self(store.target.value, store.scope):
            yield attribute
