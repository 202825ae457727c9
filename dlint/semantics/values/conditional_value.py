"""One alternative of a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dlint.frontends.settings_files import Setting
from dlint.ir.expressions import Call, Expression
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import constant_folding
from dlint.semantics.values.conditions import ALWAYS, Condition, Conditions
from dlint.semantics.values.values import (
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Generated,
    Instance,
    Literal,
    Method,
    Partial,
    Value,
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
        case FunctionObject() | Generated() | Method():
            return (kind, value.scope.module.path, value.scope.span, ())
        case ClassObject() | Instance():
            return (kind, value.cls.body.module.path, value.cls.span, ())
        case Batch() | WrappedLoader():
            return (kind, *rank(value.loader)[1:], repr(getattr(value, "fresh", "")))
    return (kind, repr(value) if isinstance(value, Literal | External) else "", (0, 0), ())


def _call_rank(call: Call) -> tuple[str, tuple[int, int]]:
    return call.scope.module.path, call.span


def _context(frame: CallContext) -> tuple[object, ...]:
    return tuple(_call_rank(outer.call) for outer in frame.chain() if outer.call is not None)
