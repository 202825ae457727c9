"""What the main process sets in each epoch, while workers have copies of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.callees import is_self
from dlint.analyses.calls import are_made_once
from dlint.analyses.control.call_paths import chains_to
from dlint.analyses.value_parts import parts_in_function
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, Class, Scope, Statement
from dlint.model.data.dataset_changes import EpochCode
from dlint.model.data.handles import reads
from dlint.model.loading.argument_homes import asks_for_workers
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.epochs import EpochLoop, epoch_loops
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.calls import attributes
from dlint.semantics.calls.calls import takes_receiver
from dlint.semantics.values.values import TRUE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader


_DEEP = 3
"""How many calls the number of an epoch is handed on by."""


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
        for epoch in (e for e in epoch_loops(loader) if not e.makes(loader.made)):
            for place, attribute in _set_by_epochs(dataset, loader, epoch):
                if any(reads(entry, attribute) for entry in entries):
                    yield LateState(place, attribute, loader)


def _lives_on(loader: Loader) -> bool:
    """Whether workers certainly outlive an epoch, on each path on which there are some."""
    found = loader.argument("persistent_workers")
    if asks_for_workers(loader, "persistent_workers"):
        return True
    return bool(found) and all(a.value == TRUE for a in found)


def _set_by_epochs(
    dataset: DatasetClass, loader: Loader, epoch: EpochLoop
) -> Iterator[tuple[Place, str]]:
    """The attributes of the data set that each epoch sets, itself or where it enters its loop."""
    bodies = [(epoch.loop.body, epoch.scope), *((scope.body, scope) for scope in epoch.inside)]
    for body, scope in bodies:
        yield from _stored(dataset, epoch, body, scope)
        yield from _told(dataset, epoch, body, scope)
        yield from _advanced(dataset, body, scope)
    for scope in dataset.context[EpochCode].beside(epoch):
        yield from _advanced(dataset, scope.body, scope)
        yield from _set_by_number(dataset, loader, epoch, scope)


def _set_by_number(
    dataset: DatasetClass, loader: Loader, epoch: EpochLoop, scope: Scope
) -> Iterator[tuple[Place, str]]:
    """What a function that each epoch calls by the way sets by the number of the epoch.

    Of the loader's own data set alone, whoever calls the function.
    """
    number = _Number(loader.context, epoch, scope)
    for store in scope.stores if number.may_be_read else ():
        target = store.target
        if not isinstance(target, ex.Attribute) or not number.is_in(store.value):
            continue
        if _is_only_data(loader, target.value, scope):
            yield Place(scope.module.path, *store.span), target.name
    for call in scope.calls if number.may_be_read else ():
        callee, given = call.function, [argument.value for argument in call.arguments]
        if not isinstance(callee, ex.Attribute) or not any(map(number.is_in, given)):
            continue
        if _is_only_data(loader, callee.value, scope):
            for attribute in _set_by(dataset, callee.name):
                yield loader.context.place_of(call), attribute


class _Number:
    """The number of the epoch, as a function has it: by parameters, or by what the loop's object
    keeps it under (`runner.epoch`)."""

    def __init__(self, context: AnalysisContext, epoch: EpochLoop, scope: Scope) -> None:
        self._context, self._epoch, self._scope = context, epoch, scope
        self._given = set(_numbers(context, epoch, scope))
        self._kept = set(_kept_numbers(context, epoch))

    @property
    def may_be_read(self) -> bool:
        """Whether the function may come to know the number."""
        return bool(self._given or self._kept)

    def is_in(self, value: ex.Expression) -> bool:
        """Whether a value is made of the number."""
        return _is_by_number(value, self._given) or any(
            map(self._is_kept, parts_in_function(value))
        )

    def _is_kept(self, part: ex.Expression) -> bool:
        read, owner = ex.unnamed(part), self._epoch.scope.owner
        if not isinstance(read, ex.Attribute) or read.name not in self._kept or owner is None:
            return False
        owners = self._context.values(read.value, self._scope)
        family = self._context.solver.classes.family(owner)
        return bool(owners) and all(attributes.project_class(one) in family for one in owners)


def _kept_numbers(context: AnalysisContext, epoch: EpochLoop) -> Iterator[str]:
    """The attributes under which the object that runs the epochs keeps the number of each."""
    for store in epoch.scope.stores if epoch.scope.owner is not None else ():
        target, value = store.target, store.value
        counts = isinstance(value, ex.Element) and value.iterable is epoch.loop.iterable
        if not counts and not epoch.is_counter(context, value, epoch.scope):
            continue
        if isinstance(target, ex.Attribute) and is_self(target.value, epoch.scope):
            yield target.name


def _is_by_number(value: ex.Expression, numbers: set[str]) -> bool:
    """Whether a value is made of a parameter that is the number of the epoch."""
    parts = map(ex.unnamed, parts_in_function(value))
    return any(isinstance(part, ex.Parameter) and part.name in numbers for part in parts)


def _is_only_data(loader: Loader, owner: ex.Expression, scope: Scope) -> bool:
    """Whether an expression is the loader's data set, the only object of its class."""
    owners = loader.context.values(owner, scope)
    classes = (cls for cls in map(attributes.project_class, owners) if cls is not None)
    is_own = bool(owners) and not owners - loader.values("dataset")
    return is_own and are_made_once(loader.context, classes)


def _numbers(context: AnalysisContext, epoch: EpochLoop, scope: Scope) -> Iterator[str]:
    """The parameters by which each epoch gives a function its number, be it through others."""
    chains = chains_to(context, scope, lambda call: not epoch.holds(call), deep=_DEEP)
    for chain in chains:
        if epoch.holds(chain[-1]):
            yield from _handed_on(context, epoch, scope, chain)


def _handed_on(
    context: AnalysisContext, epoch: EpochLoop, scope: Scope, chain: tuple[ex.Call, ...]
) -> set[str]:
    """The parameters of a function that the number of the epoch comes to, by a chain of calls."""
    *inner, outermost = chain
    entered = [scope, *(call.scope for call in inner)]
    given = _given(context, outermost, entered.pop())
    numbers = {n for n, v in given.items() if epoch.is_counter(context, v, outermost.scope)}
    for call, callee in zip(reversed(inner), reversed(entered), strict=True):
        given = _given(context, call, callee)
        numbers = {name for name, value in given.items() if _is_by_number(value, numbers)}
    return numbers


def _given(context: AnalysisContext, call: ex.Call, callee: Scope) -> dict[str, ex.Expression]:
    """What a call gives to the parameters of one of the functions that it may enter."""
    own = [p.name for p in callee.parameters[takes_receiver(callee) :]]
    bound = bind(context, call, *own)
    return {name: value for name in own if (value := bound.get(name)) is not None}


def _stored(
    dataset: DatasetClass, epoch: EpochLoop, body: Block, scope: Scope
) -> Iterator[tuple[Place, str]]:
    """What a block assigns, with a value that may differ from epoch to epoch.

    A constant differs if it is written once, after the first epoch.
    """
    context = dataset.context
    for statement in walk.statements(body):
        for store in statement.stores if isinstance(statement, Bind) else ():
            later = _is_later(context, statement, scope, epoch)
            differs = later or epoch.may_change(context, store.value, scope)
            target = store.target if differs else None
            if isinstance(target, ex.Attribute) and _is_of(dataset, target.value, scope):
                yield Place(scope.module.path, *store.span), target.name


def _told(
    dataset: DatasetClass, epoch: EpochLoop, body: Block, scope: Scope
) -> Iterator[tuple[Place, str]]:
    """What a block has methods of the data set write."""
    context = dataset.context
    names = {name for cls in _family(dataset) for name in cls.methods}
    for call in calls_in(body):
        callee, given = call.function, [argument.value for argument in call.arguments]
        if call.name not in names or not isinstance(callee, ex.Attribute):
            continue
        differs = any(epoch.may_change(context, value, scope) for value in given)
        later = given and _is_later(context, call.statement, scope, epoch)
        if (differs or later) and _is_of(dataset, callee.value, scope):
            for attribute in _set_by(dataset, call.name):
                yield context.place_of(call), attribute


def _advanced(dataset: DatasetClass, body: Block, scope: Scope) -> Iterator[tuple[Place, str]]:
    """What methods of the data set that a block calls make of what they find: `self.level += 1`."""
    names = {name for cls in _family(dataset) for name in cls.methods}
    for call in calls_in(body):
        callee = call.function
        if call.name not in names or not isinstance(callee, ex.Attribute) or _is_first(call):
            continue
        method = dataset.context.solver.classes.method(dataset.cls, call.name)
        advanced = [] if method is None else list(dict.fromkeys(_advancing(method)))
        if advanced and _is_of(dataset, callee.value, scope):
            for attribute in advanced:
                yield dataset.context.place_of(call), attribute


def _is_first(call: ex.Call) -> bool:
    """Whether tests may let a call run once alone: `if epoch == 0`, `if not started`."""
    tests = [test for test, truth in walk.tests(call.statement) if truth]
    return any(
        isinstance(test, ex.Unary)
        or (
            isinstance(test, ex.Comparison)
            and test.operator in ("==", "is", "<")
            and isinstance(test.right, ex.Constant)
            and test.right.value in (0, 1, None)
        )
        for test in tests
    )


def _advancing(method: Scope) -> Iterator[str]:
    """The attributes of its object that a method writes by what they were before."""
    for store in method.stores:
        target = store.target
        if isinstance(target, ex.Attribute) and is_self(target.value, method):
            own = ex.spelled(target)
            if any(ex.spelled(part) == own for part in parts_in_function(store.value)):
                yield target.name


def _is_later(
    context: AnalysisContext, statement: Statement, scope: Scope, epoch: EpochLoop
) -> bool:
    """Whether a test of the number of the epoch lets a statement run, and not in the first one."""
    tests = [test for test, truth in walk.tests(statement) if truth]
    return any(
        isinstance(test, ex.Comparison)
        and test.operator in ("==", ">=", ">")
        and epoch.is_counter(context, test.left, scope)
        and not (isinstance(test.right, ex.Constant) and test.right.value == 0)
        for test in tests
    )


def _family(dataset: DatasetClass) -> frozenset[Class]:
    return frozenset(dataset.context.solver.classes.family(dataset.cls))


def _is_of(dataset: DatasetClass, owner: ex.Expression, scope: Scope) -> bool:
    """Whether an expression is an object of the class; the object that runs the loop is none."""
    if is_self(owner, scope):
        return False
    values, family = dataset.context.values(owner, scope), _family(dataset)
    return any(attributes.project_class(value) in family for value in values)


def _set_by(dataset: DatasetClass, name: str) -> Iterator[str]:
    """The attributes that a method of the data set writes from what it is given."""
    method = dataset.context.solver.classes.method(dataset.cls, name)
    for store in method.stores if method is not None else ():
        target, is_fixed = store.target, isinstance(store.value, ex.Constant)
        if isinstance(target, ex.Attribute) and not is_fixed and is_self(target.value, store.scope):
            yield target.name
