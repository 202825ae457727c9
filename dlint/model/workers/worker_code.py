"""Worker code: which functions of the project run in the workers of which loaders.

Workers call the data set, its transforms, the collate function and `worker_init_fn`; from these on
calls are followed by names, by the class of the object, and through the callables that it holds.
What is not found is not followed: a rule stays silent then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.callees import Targets, is_self, own_attribute
from dlint.analyses.calls import behind_partial
from dlint.analyses.control.completions import is_dead
from dlint.analyses.object_state.sample_access import TAKES
from dlint.analyses.wrappers import wrappers
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Scope
from dlint.library_facts import worker_code as known
from dlint.library_facts.torchvision import dataset_facts
from dlint.model.data.given_datasets import dataset_uses
from dlint.model.loading.loaders import Loaders
from dlint.model.samples.samples import bound_callee
from dlint.model.workers.worker_counts import WorkingLoader
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import argument_for, through_partial
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values import containers
from dlint.semantics.values.values import (
    AllocationSite,
    Container,
    FunctionObject,
    Method,
    Partial,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

COLLATE, INIT, TRANSFORM = "collate_fn", "worker_init_fn", "transform"

_MOST = 200
"""More activations than this of one entry are not followed."""


@dataclass(eq=False)
class Entry:
    """A function that workers call, in one role: a method of a data set, or an argument.

    `cls` is the class of the object that it is called on, if it is a method; `loaders` are those
    whose workers call it, as far as they are seen.
    """

    context: AnalysisContext
    role: str
    frame: CallContext
    cls: Class | None
    loaders: list[Loader] = field(default_factory=list)

    @property
    def scope(self) -> Scope:
        """The function itself."""
        return self.frame.scope

    @property
    def working(self) -> WorkingLoader | None:
        """A loader that has workers, with the number of them; defaults count, given ones first."""
        found = [
            WorkingLoader(loader, workers)
            for loader in self.loaders
            if (workers := loader.workers_present) is not None
        ]
        return min(found, key=lambda one: one.workers.assumed is not None, default=None)

    @property
    def may_work(self) -> bool:
        """Whether some loader has workers, or nobody knows that it has none."""
        return any(not loader.workers_absent for loader in self.loaders)

    @cached_property
    def targets(self) -> Targets:
        """Who the code of this entry calls."""
        return Targets(self.context, self.cls)

    @cached_property
    def outermost(self) -> tuple[CallContext, ...]:
        """The function, and those that decorators put in its place."""
        around = wrappers(self.context, self.scope)
        return self.frame, *(self.context.solver.root(wrapper) for wrapper in around)

    @cached_property
    def activations(self) -> tuple[CallContext, ...]:
        """The function with what decorators put around it, and the functions that they call."""
        found = dict.fromkeys(self.outermost)
        queue = list(found)
        while queue and len(found) < _MOST:
            for entered in self._entered(queue.pop(0)):
                if entered not in found:
                    found[entered] = None
                    queue.append(entered)
        return tuple(found)

    def _entered(self, frame: CallContext) -> Iterator[CallContext]:
        for call in frame.scope.calls:
            if call.name in known.IGNORED:
                continue
            direct = self.targets.entered(call, frame)
            yield from direct or self._held(call, frame)
        yield from self._properties(frame)

    def _held(self, call: ex.Call, frame: CallContext) -> Iterator[CallContext]:
        """A callable that the object holds (`self.transform(x)`), or a method of one.

        Itself or in a list that is gone through or indexed: `for noise in self.noises: noise(x)`.
        """
        callee = call.function
        is_method = isinstance(callee, ex.Attribute) and _is_kept(callee.value, frame.scope)
        if not is_method and not _is_kept(callee, frame.scope):
            return
        for value in self.context.solver.values(callee, frame):
            for inner in callables(self.context, value):
                yield from _enter(self.context, inner, call, frame)

    def _properties(self, frame: CallContext) -> Iterator[CallContext]:
        """Properties of the object that are read."""
        names = self._property_names
        if not names or frame.scope.owner is None:
            return
        for part in parts_of(frame.scope):
            if isinstance(part, ex.Attribute) and part.name in names:
                method = names[part.name]
                if is_self(part.value, frame.scope) and method is not frame.scope:
                    yield self.context.solver.root(method)

    @cached_property
    def _property_names(self) -> dict[str, Scope]:
        if self.cls is None:
            return {}
        return {
            name: method
            for ancestor in reversed(self.context.solver.classes.ancestors(self.cls))
            for name, method in ancestor.methods.items()
            if attributes.decorators(method) & {"property", "cached_property"}
        }

    def calls(self) -> Iterator[tuple[ex.Call, CallContext]]:
        """All calls that workers make here, as far as the code can be reached."""
        for frame in self.activations:
            for call in frame.scope.calls:
                if not is_dead(call.statement):
                    yield call, frame


class WorkerCode:
    """All that workers run, by entries."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every function that workers call, in the order of places."""
        found: dict[tuple[object, ...], Entry] = {}
        for entry in (*self._of_datasets(), *self._of_arguments()):
            key = (entry.role, entry.frame, entry.cls)
            kept = found.setdefault(key, entry)
            kept.loaders += [x for x in entry.loaders if x not in kept.loaders]
        return tuple(sorted(found.values(), key=lambda e: (e.scope.module.path, e.scope.span)))

    @cached_property
    def functions(self) -> dict[Scope, tuple[Entry, ...]]:
        """The project's functions that run in workers, with the entries that lead to them."""
        found: dict[Scope, list[Entry]] = {}
        for entry in self.entries:
            for scope in dict.fromkeys(frame.scope for frame in entry.activations):
                found.setdefault(scope, []).append(entry)
        return {scope: tuple(entries) for scope, entries in found.items()}

    def of_class(self, cls: Class) -> list[Entry]:
        """The methods of one data set that workers call."""
        return [entry for entry in self.entries if entry.cls is cls and entry.role in TAKES]

    def initialising(self, loader: Loader) -> list[Entry]:
        """The `worker_init_fn` of a loader."""
        return [e for e in self.entries if e.role == INIT and loader in e.loaders]

    def _of_datasets(self) -> Iterator[Entry]:
        context = self._context
        for dataset in context[dataset_uses]:
            for name in TAKES:
                method = context.solver.classes.method(dataset.cls, name)
                if method is not None:
                    frame = context.solver.root(method)
                    yield Entry(context, name, frame, dataset.cls, list(dataset.own_loaders))

    def _of_arguments(self) -> Iterator[Entry]:
        for loaders in self._context[Loaders].by_call().values():
            for loader in loaders:
                for role in (COLLATE, INIT):
                    for value in loader.values(role):
                        yield from self._callable(role, value, loader)
                for value in loader.values("dataset"):
                    yield from self._transforms(value, loader)

    def _transforms(self, dataset: Value, loader: Loader) -> Iterator[Entry]:
        """Functions of the project that are given to a library's data set."""
        if not is_of_library(dataset):
            return
        passed = self._context.solver.passed.get(dataset)
        if passed is None:
            return
        facts = dataset_facts(library_path(dataset))
        for name in sorted(known.TRANSFORMS):
            position = None if facts is None else facts.position(name)
            given = argument_for(passed, position, name).expression
            for value in () if given is None else self._context.solver.values(*given):
                for inner in callables(self._context, value):
                    yield from self._callable(TRANSFORM, inner, loader)

    def _callable(self, role: str, value: Value, loader: Loader) -> Iterator[Entry]:
        frame = bound_callee(self._context, value)
        if frame is not None:
            cls = frame.scope.owner
            if isinstance(value, Method):
                cls = attributes.project_class(value.receiver) or cls
            elif (own := attributes.project_class(value)) is not None:
                cls = own
            yield Entry(self._context, role, frame, cls, [loader])


_NESTED = 3
"""How many containers may lie inside each other that hold a callable."""


def _is_kept(held: ex.Expression, scope: Scope) -> bool:
    """Whether a value is an attribute of the method's object, or an element of one."""
    if isinstance(held, ex.Attribute) and is_self(held.value, scope):
        return True
    made = ex.unnamed(held)
    for _ in range(_NESTED):
        if isinstance(made, ex.Element):
            made = made.source
        elif isinstance(made, ex.Subscript | ex.Item):
            made = ex.unnamed(made.value)
    return made is not held and own_attribute(made, scope) is not None


_MOST_PARTS = 200
"""How many callables inside each other are looked at."""


def parts_of(scope: Scope) -> Iterator[ex.Expression]:
    """Every expression that the body of a function evaluates, part by part."""
    yield from walk.parts(scope.body)


def callables(context: AnalysisContext, value: Value) -> Iterator[Value]:
    """A callable, and those that a `Compose` applies one after the other."""
    waiting, seen = [value], {value}
    while waiting and len(seen) < _MOST_PARTS:
        part = waiting.pop()
        yield part
        inner = [each for each in _applied(context, part) if each not in seen]
        seen.update(inner)
        waiting += reversed(inner)


def _applied(context: AnalysisContext, value: Value) -> list[Value]:
    """The parts of a container, and what a `Compose` is given.

    Of what a comprehension makes by names that are known at run time alone
    (`[STEPS[name]() for name in names]`), nobody knows what is among it.
    """
    if isinstance(value, Container):
        node = containers.elements(context.solver, value)
        context.solver.settle()
        is_chosen = isinstance(value.origin, ex.Comprehension) and len(node.values) > 1
        return [] if is_chosen else list(node.values)
    if not isinstance(value, AllocationSite) or not _composes(value):
        return []
    passed = context.solver.passed.get(value)
    first = None if passed is None else argument_for(passed, 0, "transforms").expression
    return [] if first is None else list(context.solver.values(*first))


def _composes(value: AllocationSite) -> bool:
    return library_path(value).rpartition(".")[2] in known.COMPOSING


def _enter(
    context: AnalysisContext, value: Value, call: ex.Call, frame: CallContext
) -> Iterator[CallContext]:
    """The activations of a callable by a call, also behind partials."""
    waiting, seen = [(value, CallArguments.of(call.arguments, frame))], {value}
    while waiting:
        inner, passed = waiting.pop()
        if isinstance(inner, Partial):
            passed = through_partial(context.solver.passed[inner], passed.arguments)
            behind = context.solver.values(*behind_partial(context, inner))
            waiting += [(each, passed) for each in behind if each not in seen]
            seen.update(behind)
        elif (called := _called(context, inner)) is not None:
            scope, receiver = called
            yield context.solver.frames.enter(scope, call, passed, frame, None, receiver)


def _called(context: AnalysisContext, value: Value) -> tuple[Scope, Value | None] | None:
    """The function that calling a value enters, and the object that it is called on."""
    if isinstance(value, FunctionObject):
        return value.scope, None
    if isinstance(value, Method):
        return value.scope, value.receiver
    cls = attributes.project_class(value)
    method = None if cls is None else context.solver.classes.method(cls, "__call__")
    return None if method is None else (method, value)
