"""One alternative of a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dlint.frontends.settings_files import Setting
from dlint.ir.expressions import Call, Expression
from dlint.ir.module import Scope
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import constant_folding
from dlint.semantics.values.conditions import ALWAYS, Condition, Conditions
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    FunctionObject,
    Generated,
    Hyperparameters,
    Instance,
    Method,
    ModuleValue,
    Namespace,
    Partial,
    Row,
    Value,
    VarArgs,
    WrappedLoader,
    Zipped,
)

_LIMIT = 48


@dataclass(frozen=True, slots=True)
class Absent:
    """No value is given: torch's own default holds."""


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class ConditionalValue:
    """One value and the conditions under which it holds.

    `assumed` names a default that holds only as long as nobody gives another value.
    """

    value: Value | Absent
    path_condition: Conditions = ALWAYS
    assumed: str | None = None
    source: Expression | None = None
    """The expression that decided."""
    is_left: bool = False
    """Whether a call of the project leaves a parameter to the default that is assumed."""

    def under(self, conditions: Iterable[Condition]) -> ConditionalValue:
        """The same value where further conditions hold too."""
        return replace(self, path_condition=self.path_condition.union(conditions))

    @property
    def truth(self) -> bool | None:
        """Its truth value, None where that is not known."""
        return constant_folding.truth(self.value)

    @property
    def is_spelled_out(self) -> bool:
        """Whether somebody wrote it for this use: no default of a parameter or an option."""
        return self.assumed is None or isinstance(self.source, Setting)

    @property
    def holds_in_calls(self) -> bool:
        """Whether it is what a call of the project has: given there, or left to its default."""
        return self.assumed is None or self.is_left

    @property
    def is_written(self) -> bool:
        """Whether somebody decided on it: in code, or in the one settings file that is read."""
        if isinstance(self.source, Setting):
            return not self.source.document.is_default
        return self.assumed is None


ConditionalValues = list[ConditionalValue]


def merged(found: Iterable[ConditionalValue]) -> ConditionalValues:
    """Without repetitions; too many to look at are Unknown."""
    unique = list(dict.fromkeys(found))
    return unique if len(unique) <= _LIMIT else [ConditionalValue(UNKNOWN)]


def ordered(values: Iterable[Value]) -> list[Value]:
    """Values in an order that does not change from run to run."""
    return sorted(values, key=rank)


def rank(value: Value) -> tuple[object, ...]:
    """What values are ordered by: their kind, where they come from, and in which context.

    Objects are hashed by their address, so the order of a set says nothing.
    """
    kind = type(value).__name__
    match value:
        case AllocationSite() | Partial() | Zipped():
            return (kind, *_call_rank(value.call), _context(value.frame))
        case Container():
            return (kind, value.frame.scope.module.path, value.origin.span, _context(value.frame))
        case VarArgs():
            scope = value.frame.scope
            return (kind, scope.module.path, scope.span, _context(value.frame), value.name)
        case Generated():
            return (kind, *_scope_rank(value.scope), _context(value.frame))
        case FunctionObject():
            return (kind, *_scope_rank(value.scope), _context(value.closure))
        case Method():
            return (kind, *_scope_rank(value.scope), rank(value.receiver))
    return (kind, *_rank_of_others(value))


def _rank_of_others(value: Value) -> tuple[object, ...]:
    match value:
        case ClassObject() | Instance() | Hyperparameters():
            exact = isinstance(value, Instance) and value.exact
            return (value.cls.body.module.path, value.cls.span, exact)
        case Batch() | WrappedLoader():
            return (rank(value.loader), *_flags(value))
        case Row():
            return rank(value.of)
        case Namespace():
            return _call_rank(value.call)
        case ModuleValue():
            return (value.module.path,)
    return (repr(value),)


def _flags(value: Batch | WrappedLoader) -> tuple[object, ...]:
    return (value.fresh, value.moved) if isinstance(value, Batch) else (value.by,)


def _scope_rank(scope: Scope) -> tuple[str, tuple[int, int]]:
    return scope.module.path, scope.span


def _call_rank(call: Call) -> tuple[str, tuple[int, int]]:
    return call.scope.module.path, call.span


def _context(frame: CallContext | None) -> tuple[object, ...]:
    if frame is None:
        return ()
    return tuple(_call_rank(outer.call) for outer in frame.chain() if outer.call is not None)
