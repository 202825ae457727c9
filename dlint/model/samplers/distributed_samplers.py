"""Distributed samplers: what they are made with, whose loaders use them, who sets their epoch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from dlint.analyses.binding import Bound, bind_to
from dlint.analyses.guards import is_never_reached
from dlint.analyses.running_calls import calls_named
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, ModuleIndex
from dlint.library_facts import frameworks
from dlint.library_facts import samplers as knowledge
from dlint.model.loading.frameworks import Consumption, repeats
from dlint.model.loading.loader import Loader
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.epochs import EpochLoop, epoch_loops
from dlint.model.loops.iterator_resets import renewing_epochs
from dlint.model.samplers.epoch_setters import (
    EpochSetter,
    epoch_setters,
    epoch_stores,
    imported_setters,
    unvisited_setters,
)
from dlint.semantics.calls import arguments
from dlint.semantics.calls.binding import library_signature
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    ClassObject,
    Value,
    WrappedLoader,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


@dataclass(eq=False)
class Sampler:
    """One distributed sampler: a call that makes it, in one calling context."""

    context: AnalysisContext
    made: AllocationSite

    @property
    def place(self) -> Place:
        """Where it is made."""
        return self.context.place_of(self.made.call)

    @cached_property
    def shuffling(self) -> ConditionalValues:
        """The alternatives of its `shuffle`; torch's default is True."""
        return self.argument("shuffle")

    def argument(self, name: str) -> ConditionalValues:
        """The alternatives of an argument of torch's constructor; `ABSENT` where not given."""
        bound = self.bound
        return [ConditionalValue(UNKNOWN)] if bound is None else bound.alternatives(name)

    @cached_property
    def bound(self) -> Bound | None:
        """What torch's constructor is given, also through those of project classes."""
        found = arguments.construction(self.context.solver, self.made, knowledge.DISTRIBUTED)
        if found is None:
            return None
        return bind_to(self.context, found[0], library_signature(found[1]))

    def given(self, name: str) -> tuple[ex.Expression, CallContext] | None:
        """The expression that an argument of torch's constructor is certainly given."""
        return None if self.bound is None else self.bound.located(name)

    @property
    def name(self) -> str:
        """The name or attribute that it is bound to where it is made, or an empty string."""
        statement = self.made.call.statement
        if not isinstance(statement, Bind):
            return ""
        stored = [x.target.name for x in statement.stores if isinstance(x.target, ex.Attribute)]
        return "_".join([*(d.name for d in statement.definitions), *stored])

    def is_made_in(self, epoch: EpochLoop) -> bool:
        """Whether each epoch makes a new one, there or in a function that it enters."""
        return epoch.makes(self.made)

    @property
    def shuffles(self) -> bool:
        """Whether the order depends on the epoch: `shuffle` is certainly on, or not given."""
        return all(a.is_absent or a.truth is True for a in self.shuffling)

    @property
    def shuffles_by(self) -> str | None:
        """The default of the program by which it shuffles; None where that is certain."""
        return next((a.assumed for a in self.shuffling if a.assumed), None)

    @property
    def has_own_order(self) -> bool:
        """Whether a project class decides about order or epochs itself."""
        if not isinstance(self.made.origin, ClassObject):
            return False
        methods = self.context.solver.classes
        return any(
            methods.method(self.made.origin.cls, name) is not None
            for name in ("__iter__", "set_epoch")
        )

    @cached_property
    def loaders(self) -> list[Loader]:
        """The loaders that take their indices from it, also through a batch sampler."""
        every = (loader for group in self.context[Loaders].by_call().values() for loader in group)
        return [loader for loader in every if self.path_from(loader) is not None]

    @property
    def is_run(self) -> bool:
        """Whether a loop over one of its loaders is seen."""
        return any(loader.loops for loader in self.loaders)

    def path_from(self, loader: Loader) -> str | None:
        """How it is reached from a loader (`sampler`, `batch_sampler.sampler`)."""
        if self.made in loader.values("sampler"):
            return "sampler"
        for value in loader.values("batch_sampler"):
            if value == self.made:
                return "batch_sampler"
            if isinstance(value, AllocationSite) and self.made in self._given_to(value):
                return "batch_sampler.sampler"
        return None

    def _given_to(self, made: AllocationSite) -> set[Value]:
        passed = self.context.solver.passed.get(made)
        pairs = () if passed is None else passed.arguments
        solver = self.context.solver
        return {v for argument, frame in pairs for v in solver.values(argument.value, frame)}

    @cached_property
    def epochs(self) -> list[tuple[Loader, EpochLoop]]:
        """The loops that run one of its loaders again and again to train."""
        return [(loader, epoch) for loader in self.loaders for epoch in epoch_loops(loader)]

    @cached_property
    def renewing_epochs(self) -> list[tuple[Loader, EpochLoop]]:
        """The loops that have one of its loaders begun anew, for others to read."""
        return [(loader, epoch) for loader in self.loaders for epoch in renewing_epochs(loader)]

    @property
    def runs(self) -> list[tuple[Loader, ex.Call]]:
        """Calls by which a framework runs one of its loaders for several epochs, no more."""
        return [
            (loader, call)
            for loader in self.loaders
            for framework, call in self.context[Consumption].of(loader.made)
            if call is not None and repeats(framework, call)
        ]

    def _is_registered(self) -> bool:
        """Whether it is handed to a helper that sets its epoch (`train_sampler=sampler`)."""
        for name in frameworks.REGISTERING:
            for call in calls_named(self.context, name):
                for argument in call.arguments:
                    if self.made in self.context.values(argument.value, call.scope):
                        return True
        return False

    @property
    def is_handled(self) -> bool:
        """Whether something may set its epoch, by `set_epoch` or by hand."""
        if self.setters or self._is_registered():
            return True
        return self.may_be_set_unseen or self.is_counted_by_hand

    @cached_property
    def is_counted_by_hand(self) -> bool:
        """Whether the program writes to its `epoch`, which is all that `set_epoch` does."""
        return any(
            _may_set(self, self.context.values(store.target.value, store.scope))
            for store in self.context[epoch_stores]
        )

    @cached_property
    def setters(self) -> list[EpochSetter]:
        """The places that may set its epoch."""
        return [s for s in self.context[epoch_setters] if _may_set(self, s.receivers)]

    @property
    def may_be_set_unseen(self) -> bool:
        """Whether its modules set an epoch on something unknown."""
        near = self._modules()
        found = (*self.context[epoch_setters], *self.context[unvisited_setters])
        setters = chain(found, imported_setters(self.context, near))
        if any(setter.is_unresolved and setter.is_used_in(near) for setter in setters):
            return True
        return self._may_be_set_from_outside()

    def _may_be_set_from_outside(self) -> bool:
        """Whether modules that are looked at by themselves set an epoch, and may use this one."""
        project = self.context.project
        return not project.linked and any(
            project.holds(user, b"set_epoch")
            for name, path in self._makers()
            for user in project.users(path, name)
        )

    def _makers(self) -> set[tuple[str, str]]:
        """The functions and classes by which others may come to it, with their modules."""
        calls = (self.made.call, *(loader.call for loader in self.loaders))
        tops = (walk.outermost(call.scope) for call in calls)
        named = ((top.owner or top).name for top in tops)
        return {(name, call.scope.module.path) for name, call in zip(named, calls, strict=True)}

    def _modules(self) -> set[ModuleIndex]:
        """The modules of the sampler, its loaders, their loops and the loops' callers."""
        near = {self.made.call.scope.module}
        for loader in self.loaders:
            near.add(loader.call.scope.module)
            near |= {loop.scope.module for loop in loader.loops}
        for _, epoch in (*self.epochs, *self.renewing_epochs):
            near |= epoch.modules
        return near


def _may_set(sampler: Sampler, receivers: Iterable[Value]) -> bool:
    """Whether a receiver may denote the sampler, or a loader that passes the epoch on."""
    return any(_is(value, sampler) for value in receivers)


def _is(value: Value, sampler: Sampler) -> bool:
    if isinstance(value, WrappedLoader):
        value = value.loader
    if not isinstance(value, AllocationSite):
        return False
    if value.call is sampler.made.call:
        return value == sampler.made or value.frame.call is None
    return any(value == loader.made for loader in sampler.loaders)


def distributed_samplers(context: AnalysisContext) -> tuple[Sampler, ...]:
    """All distributed samplers."""
    return tuple(_samplers(context))


def _samplers(context: AnalysisContext) -> Iterator[Sampler]:
    """The distributed samplers that loaders of the program take their indices from."""
    seen: dict[AllocationSite, None] = {}
    for group in context[Loaders].by_call().values():
        for loader in group:
            for value in (*loader.values("sampler"), *_inside_batch_samplers(loader)):
                if isinstance(value, AllocationSite) and _is_made(context, value):
                    seen.setdefault(value)
    for made in sorted(seen, key=lambda m: (m.call.scope.module.path, m.call.span, m.frame.depth)):
        yield Sampler(context, made)


def _inside_batch_samplers(loader: Loader) -> Iterator[Value]:
    """Batch samplers, and what these are made with."""
    solver = loader.context.solver
    for value in loader.values("batch_sampler"):
        yield value
        passed = solver.passed.get(value) if isinstance(value, AllocationSite) else None
        for argument, frame in () if passed is None else passed.arguments:
            yield from solver.values(argument.value, frame)


def _is_made(context: AnalysisContext, value: AllocationSite) -> bool:
    reached = not is_never_reached(context, value.frame, value.call.span)
    return reached and _is_distributed(context, value)


def _is_distributed(context: AnalysisContext, value: AllocationSite) -> bool:
    return arguments.signature(context.solver, value.origin, knowledge.DISTRIBUTED) is not None
