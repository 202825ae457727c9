"""Calls of `set_epoch`: what they may be of, and where a program comes to them.

Question: which places set an epoch, on which receivers, and may one of them be something that is
not seen? Followed: calls by name, and by the name as a text. Given up on: names that are computed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.control.completions import is_dead
from dlint.analyses.idle.idleness import IdleCode
from dlint.analyses.running_calls import calls_named
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import ModuleIndex, Store
from dlint.model.samplers.default_samplers import default_sampler
from dlint.semantics.calls import calls
from dlint.semantics.values import constant_folding
from dlint.semantics.values.values import (
    ClassObject,
    External,
    FunctionObject,
    Unknown,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


@dataclass(eq=False)
class EpochSetter:
    """One `x.set_epoch(…)`, or a `getattr(x, "set_epoch")`."""

    context: AnalysisContext
    call: ex.Call
    receiver: ex.Expression

    @property
    def argument(self) -> ex.Expression | None:
        """The epoch that is set; None where the call sets none (`hasattr`) or unpacks it."""
        given = self.call.arguments
        if self.call.name != "set_epoch" or len(given) != 1 or given[0].star:
            return None
        return given[0].value

    @property
    def argument_place(self) -> Place | None:
        """Where the epoch that is set stands."""
        given = self.argument
        return None if given is None else Place(self.module.path, *given.span)

    @property
    def argument_name(self) -> str | None:
        """By which dotted name the epoch that is set goes; None for anything else."""
        return ex.dotted(self.argument)

    @property
    def receiver_name(self) -> str | None:
        """By which dotted name the receiver goes there; None for anything else."""
        return ex.dotted(self.receiver)

    @property
    def place(self) -> Place:
        """Where the call stands."""
        return Place(self.module.path, *self.call.span)

    @property
    def module(self) -> ModuleIndex:
        """Where it stands."""
        return self.call.scope.module

    def is_used_in(self, modules: Collection[ModuleIndex]) -> bool:
        """Whether it stands in one of some modules, or these call its function or class."""
        top = walk.outermost(self.call.scope)
        if self.module in modules or top.kind == "module":
            return self.module in modules
        called = calls_anywhere(self.context, (top.owner or top).name)
        near = (call for call in called if call.scope.module in modules)
        found = (v for call in near for v in self.context.values(call.function, call.scope))
        own = {FunctionObject(top, None)} if top.owner is None else {ClassObject(top.owner)}
        return not own.isdisjoint(found)

    @cached_property
    def receivers(self) -> frozenset[Value]:
        """What the epoch may be set on."""
        return self.context.values(self.receiver, self.call.scope)

    @property
    def is_unresolved(self) -> bool:
        """Whether something unknown is among the receivers; what torch makes itself is none."""
        if default_sampler(self.context, self.receiver, self.call.scope) is not None:
            return False
        return not self.receivers or any(self._is_obscure(v) for v in self.receivers)

    def _is_obscure(self, value: Value) -> bool:
        """Whether a value may be, or hold, a sampler that is not seen."""
        if is_of_library(value):
            known = library_path(value).startswith("torch.") and constant_folding.is_object(value)
            return not known and not calls.is_told_apart(self.context.solver, value.origin)
        return isinstance(value, Unknown | External)


def epoch_setters(context: AnalysisContext) -> tuple[EpochSetter, ...]:
    """Every place that sets an epoch, by call or by name."""
    return tuple(_epoch_setters(context))


def _epoch_setters(context: AnalysisContext) -> Iterator[EpochSetter]:
    """Every place that sets an epoch, by call or by name."""
    for call in calls_named(context, "set_epoch"):
        if isinstance(call.function, ex.Attribute):
            yield EpochSetter(context, call, call.function.value)
    for call in calls_named(context, "getattr", "hasattr", "methodcaller"):
        if any(_is_name(argument.value) for argument in call.arguments):
            yield EpochSetter(context, call, written(call, 0) or call)


def unvisited_setters(context: AnalysisContext) -> tuple[EpochSetter, ...]:
    """The calls of `set_epoch` in functions that no loader is seen to come to, but that may run."""
    return tuple(
        EpochSetter(context, call, call.function.value)
        for call in calls_anywhere(context, "set_epoch")
        if isinstance(call.function, ex.Attribute) and call.scope not in context.reach.scopes
        if not is_dead(call.statement) and context[IdleCode].reason(context.place_of(call)) is None
    )


def epoch_stores(context: AnalysisContext) -> tuple[Store, ...]:
    """Every write to an attribute `epoch`."""
    return tuple(_epoch_stores(context))


def _epoch_stores(context: AnalysisContext) -> Iterator[Store]:
    """Every write to an attribute `epoch`."""
    for scope in context.reached():
        for store in scope.stores:
            if isinstance(store.target, ex.Attribute) and store.target.name == "epoch":
                yield store


def _is_name(expression: ex.Expression) -> bool:
    return isinstance(expression, ex.Constant) and expression.value == "set_epoch"


def imported_setters(
    context: AnalysisContext, modules: Collection[ModuleIndex]
) -> Iterator[EpochSetter]:
    """The calls of `set_epoch` in what some modules import, whether or not a loader comes there."""
    project = context.project
    paths = {path for module in modules for path in project.imported_by(module.path)}
    imported = (project.load(p) for p in sorted(paths) if project.holds(p, b"set_epoch"))
    for call in (c for facts in imported if facts for c in facts.calls_of("set_epoch")):
        if isinstance(call.function, ex.Attribute):
            yield EpochSetter(context, call, call.function.value)
