"""Loaders: what they are made with, who iterates them, where their batches go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.binding import Bound, bind_to
from dlint.analyses.control.failures import is_out_of_reach
from dlint.findings.places import Place
from dlint.frontends.records import Renamed
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Store, Try
from dlint.library_facts.frameworks import Duty
from dlint.library_facts.loaders import OF_ITERATOR, SETTABLE
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.left_tests import may_hold
from dlint.model.loading.own_iteration import is_own
from dlint.model.loading.unknown_arguments import UnknownArgument, unknown_arguments
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.loop_limits import reads_one_batch
from dlint.model.loops.phases import loops_of
from dlint.model.machines.hardware import targets_accelerator
from dlint.model.transfers.transfers import Transfer
from dlint.model.workers.worker_counts import WorkerCount
from dlint.semantics.calls import arguments, calls
from dlint.semantics.calls.binding import library_signature
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import conditions
from dlint.semantics.values.choices import outcomes_in_calls
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    ClassObject,
    Instance,
    Value,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loops.batch_loops import BatchLoop


@dataclass(eq=False)
class Loader:
    """One loader: a call that makes it, in one calling context."""

    context: AnalysisContext
    made: AllocationSite
    transfers: list[Transfer] = field(default_factory=list)

    @property
    def call(self) -> ex.Call:
        """The call that makes it."""
        return self.made.call

    @property
    def place(self) -> Place:
        """Where the call stands."""
        return self.context.place_of(self.call)

    @property
    def made_by_framework(self) -> bool:
        """Whether a framework makes it, by arguments that this call takes under its own names."""
        return False

    def keyword(self, name: str) -> str:
        """By which name the call takes one of torch's arguments."""
        return self._own_names.get(name, name)

    @cached_property
    def _own_names(self) -> dict[str, str]:
        """The names of a config's dialect by those of torch."""
        renamed = (a for a in self.call.arguments if isinstance(a, Renamed))
        return {argument.keyword: argument.own for argument in renamed if argument.keyword}

    def in_words(self, text: str) -> str:
        """A message about torch's arguments, under the names that the call takes them by."""
        for name, own in self._own_names.items():
            text = re.sub(rf"`{name}\b", f"`{own}", text)
        return text

    @cached_property
    def bound(self) -> Bound | None:
        """What torch's constructor is given, also through those of project classes."""
        found = arguments.construction(self.context.solver, self.made)
        if found is None:
            return None
        return bind_to(self.context, found[0], library_signature(found[1]))

    @cached_property
    def unknown(self) -> list[UnknownArgument]:
        """The keywords that torch's constructor does not take."""
        if self.bound is None or self.is_configured:
            return []
        return unknown_arguments(self.context, self.call, self.bound)

    def values(self, name: str) -> OrderedSet[Value]:
        """Everything that an argument of torch's constructor may denote."""
        node = calls.argument(self.context.solver, self.made, name)
        self.context.solver.settle()
        found = OrderedSet[Value](() if node is None else node.values)
        if UNKNOWN in found and self.bound is not None:
            left_out = all(a.is_absent for a in self.bound.alternatives(name))
            found = OrderedSet[Value]() if left_out else found
        for store in self._stores(name) if name in SETTABLE else ():
            found |= self.context.values(store.value, store.scope)
        return found.with_one(UNKNOWN) if self.context.solver.exhausted else found

    def given(self, name: str) -> tuple[ex.Expression, CallContext] | None:
        """The expression that an argument of torch's constructor is certainly given."""
        return None if self.bound is None else self.bound.located(name)

    def passes(self, name: str) -> bool:
        """Whether an argument is certainly given: written out, or in a dict that is known."""
        return self.given(name) is not None or all(
            not (a.is_absent or a.is_unknown) for a in self.argument(name)
        )

    def argument(self, name: str) -> ConditionalValues:
        """The alternatives of an argument of torch's constructor: `ABSENT` where not given, unknown
        where no value is known, another keyword was meant as it, or torch's own iterator alone
        reads it and is never begun."""
        if self.bound is None or any(name == u.meant for u in self.unknown):
            return [ConditionalValue(UNKNOWN)]
        if name in OF_ITERATOR and is_own(self.context, self.made):
            return [ConditionalValue(UNKNOWN)]
        given = self.bound.alternatives(name)
        given = [a for a in given if self.is_possible(a)] or given
        found = [*given, *self._assigned(name)] if name in SETTABLE else given
        return found or [ConditionalValue(UNKNOWN)]

    def gives(self, name: str) -> bool:
        """Whether an argument may be given something that is not None, by its alternatives."""
        return any(not a.is_nothing for a in self.argument(name))

    def is_on(self, name: str) -> bool:
        """Whether an argument is `True` on every path, if only by a default."""
        return all(a.is_true for a in self.argument(name))

    def is_off(self, name: str) -> bool:
        """Whether an argument is `False`, None or not given on every path."""
        return all(a.is_off for a in self.argument(name))

    def may_get(self, name: str) -> bool:
        """Whether anything but None may flow into an argument, from any code of the program."""
        return any(value != NONE for value in self.values(name))

    def is_possible(self, alternative: ConditionalValue) -> bool:
        """Whether an alternative agrees with the tests under which the loader is made."""
        taken = alternative.path_condition
        agrees = all(any(conditions.compatible(taken, way) for way in ways) for ways in self._ways)
        return agrees and may_hold(self.context, taken)

    @cached_property
    def _ways(self) -> list[list[conditions.Conditions]]:
        """For each test around the call, what each way of passing it takes for granted."""
        evaluator, frame = self.context.evaluator, self.made.frame
        frame = (
            frame if frame.scope is self.call.scope else self.context.solver.root(self.call.scope)
        )
        return [
            [
                path_condition
                for outcome, path_condition in outcomes_in_calls(evaluator, test, frame)
                if outcome is truth
            ]
            for test, truth in walk.tests(self.call.statement)
        ]

    @property
    def is_made(self) -> bool:
        """Whether the call is come to, and the tests around it can come out so that it is made."""
        return all(self._ways) and not is_out_of_reach(self.context, self.call.scope)

    @property
    def is_for_debugging(self) -> bool:
        """Whether it is made only where a flag asks for debugging."""
        return self._is_tested_for("debug")

    @property
    def asks_for_version(self) -> bool:
        """Whether it is made only after a look at a version."""
        return self._is_tested_for("version")

    @property
    def is_fallback(self) -> bool:
        """Whether it is made only where making one with other arguments has failed."""
        for statement in (self.call.statement, *walk.ancestors(self.call.statement)):
            tried = statement.block.owner
            if isinstance(tried, Try) and statement.block in tried.handlers:
                return any(call.name == self.call.name for call in calls_in(tried.body))
        return False

    def _is_tested_for(self, word: str) -> bool:
        return any(
            word in part.own_name.lower()
            for test, _ in walk.tests(self.call.statement)
            for part in walk.walk(test)
            if isinstance(part, ex.Reference | ex.Attribute)
        )

    @cached_property
    def pinning(self) -> ConditionalValues:
        """The alternatives of `pin_memory`, those assigned after construction included."""
        return [*self.argument("pin_memory"), *self._assigned("pin_memory")]

    def _assigned(self, name: str) -> Iterator[ConditionalValue]:
        for store in self._stores(name):
            frame = self.context.solver.root(store.scope)
            yield from self.context.evaluator.of(store.value, frame)

    def _stores(self, name: str) -> Iterator[Store]:
        """The assignments to an attribute of the loader, by methods of its class too."""
        for store in self.context.project.writing(name):
            owners = self.context.values(store.target.value, store.scope)
            if any(map(self._is_itself, owners)):
                yield store

    def _is_itself(self, value: Value) -> bool:
        """Whether a value may be this loader: as `self` in a class that it is of."""
        origin = self.made.origin
        if not isinstance(value, Instance) or not isinstance(origin, ClassObject):
            return value == self.made
        return value.cls in self.context.solver.classes.ancestors(origin.cls)

    @property
    def has_context(self) -> bool:
        """Whether this is the loader of one call of a factory, not of all of them."""
        return self.made.frame.call is not None

    @property
    def context_place(self) -> Place:
        """The outermost call of the factory that makes this loader."""
        chain = self.made.frame.chain()
        call = chain[-1].call if chain else None
        return self.context.place_of(call if call is not None else self.call)

    @property
    def maker_places(self) -> list[Place]:
        """The calls of functions that lead to this loader, the innermost first."""
        calls = (frame.call for frame in self.made.frame.chain())
        return [self.context.place_of(call) for call in calls if call is not None]

    @property
    def is_iterated(self) -> bool:
        """Whether more than one batch is read, in a loop or by a framework."""
        if self.context[Consumption].of(self.made):
            return True
        several = (x for x in self.loops if x.body is not None or not x.is_single)
        return not all(map(reads_one_batch, several))

    @property
    def loops(self) -> list[BatchLoop]:
        """Where it is iterated."""
        return loops_of(self.context, self.made)

    @property
    def may_be_replaced(self) -> bool:
        """Whether a generator that reads it may read something else in its place."""
        return any(
            UNKNOWN in self.context.values(loop.iterable, loop.scope)
            for loop in self.loops
            if loop.is_in_generator
        )

    @property
    def trains(self) -> bool:
        """Whether a gradient step is taken on its batches, here or by a framework."""
        if self.context[Consumption].trains(self.made):
            return True
        return any(loop.trains for loop in self.loops)

    @property
    def workers_absent(self) -> bool:
        """Whether there are certainly no workers."""
        return self.workers.is_zero

    @property
    def workers_present(self) -> ConditionalValue | None:
        """The alternative by which there is a worker, a default included; a given value first."""
        return self.workers.present

    @cached_property
    def workers(self) -> WorkerCount:
        """How many workers it has."""
        return WorkerCount(self)

    @property
    def drops_workers(self) -> bool:
        """Whether `persistent_workers` is certainly off on every path."""
        return self.is_off("persistent_workers")

    @property
    def decides_persistence(self) -> bool:
        """Whether `persistent_workers` is given, if only by an option that is off by default."""
        found = self.argument("persistent_workers")
        return any(not a.is_absent and not a.is_left for a in found)

    def written(self, name: str) -> ex.Expression | None:
        """What the call itself gives to an argument of torch's constructor, None for nothing.

        Also as an item of a dict that is written out in the call (`**{"batch_size": 8}`).
        """
        argument = self._written(name)
        if argument is not None:
            return argument.value
        given = self.given(name)
        unpacked = (a.value.span for a in self.call.arguments if a.star == "**")
        here = given is not None and given[1].scope is self.call.scope
        if given is None or not (here and any(s[0] < given[0].span[0] < s[1] for s in unpacked)):
            return None
        return given[0]

    def name_given(self, name: str) -> str | None:
        """The dotted name that the call itself gives to an argument; None for anything else."""
        return ex.dotted(self.written(name))

    @property
    def dataset_name(self) -> str | None:
        """The dotted name of its dataset in the function that makes it; None for anything else."""
        given = self.given("dataset")
        known = given is not None and given[1].scope is self.call.scope
        return ex.dotted(given[0]) if known and given is not None else None

    def argument_place(self, *names: str) -> Place | None:
        """Where the call itself gives the first of these arguments that it gives."""
        found = (self._written(name) for name in names)
        argument = next((a for a in found if a is not None), None)
        return None if argument is None else Place(self.call.scope.module.path, *argument.span)

    def given_place(self, name: str) -> Place | None:
        """Where an argument is given that the call itself does not: in a `partial`, in a dict."""
        given = None if self._written(name) is not None else self.given(name)
        return None if given is None else Place(given[1].scope.module.path, *given[0].span)

    def _written(self, name: str) -> ex.Argument | None:
        given = () if self.bound is None else self.bound.arguments_for(name)
        return next((a for a, _ in given if a in self.call.arguments), None)

    @property
    def reaches_cuda(self) -> bool:
        """Whether its batches go to an accelerator, by a copy or by a framework."""
        if any(t.may_reach_cuda and not t.goes_to_cpu(self) for t in self.transfers):
            return True
        moved = self.context[Consumption].takes_over(self.made, Duty.MOVES_BATCH)
        return moved is not None and targets_accelerator(self.context, self.call.scope.module.path)

    @property
    def is_threaded(self) -> bool:
        """Whether a thread makes its batches ahead, with or without workers."""
        return calls.is_threaded(self.made)

    @property
    def is_configured(self) -> bool:
        """Whether a config file says how it is made."""
        return self.call.scope.module.dialect is not None

    @property
    def is_spelled_out(self) -> bool:
        """Whether the call itself gives torch's constructor all of its arguments."""
        hidden = any(a.star and not ex.spells_keys(a.value) for a in self.call.arguments)
        if self.bound is None or (hidden and not self.is_configured):
            return False
        own = [a for a in self.call.arguments if not (a.star and self.is_configured)]
        given = [argument for argument, _ in self.bound.arguments.arguments.arguments]
        return (given[: len(own)] if self.is_configured else given) == own

    @property
    def unpacks(self) -> bool:
        """Whether the call itself is given arguments by `*` or `**`."""
        return any(argument.star for argument in self.call.arguments)

    def position(self, name: str) -> int | None:
        """The place of an argument in the constructor's signature, None for keyword-only ones."""
        return None if self.bound is None else self.bound.arguments.signature.position(name)

    @property
    def is_pinned(self) -> bool:
        """Whether `pin_memory` is on, at least wherever CUDA is available."""
        return any(a.is_true or (a.maker or "").endswith("is_available") for a in self.pinning)

    @property
    def is_pinned_by_framework(self) -> bool:
        """Whether a framework pins whatever the argument says."""
        return self.context[Consumption].takes_over(self.made, Duty.PINS) is not None

    @property
    def is_unpinned(self) -> bool:
        """Whether `pin_memory` is certainly off on every path."""
        return all(a.is_off for a in self.pinning)
