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
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    FunctionObject,
    Generated,
    Hyperparameters,
    Instance,
    Literal,
    Method,
    ModuleValue,
    Namespace,
    Partial,
    Row,
    Value,
    VarArgs,
    WrappedLoader,
    Zipped,
    library_path,
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
    def is_absent(self) -> bool:
        """Whether nothing is given, so that torch's own default holds."""
        return self.value == ABSENT

    @property
    def is_none(self) -> bool:
        """Whether it is None."""
        return self.value == NONE

    @property
    def is_nothing(self) -> bool:
        """Whether nothing is given, or None."""
        return self.value in (ABSENT, NONE)

    @property
    def is_true(self) -> bool:
        """Whether it is `True` itself."""
        return self.value == TRUE

    @property
    def is_false(self) -> bool:
        """Whether it is `False` itself."""
        return self.value == FALSE

    @property
    def is_off(self) -> bool:
        """Whether it is `False`, None, or not given."""
        return self.value in (ABSENT, NONE, FALSE)

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known of it."""
        return self.value == UNKNOWN

    @property
    def is_constant(self) -> bool:
        """Whether it is a number, a text, a truth value or None, and which one is known."""
        return isinstance(self.value, Literal)

    @property
    def constant(self) -> str | int | float | bool | None:
        """The constant that it is; None for None and for what is no constant."""
        return self.value.value if isinstance(self.value, Literal) else None

    @property
    def integer(self) -> int | None:
        """The int that it is, None for anything else: `True` is none, and neither is 1.0."""
        number = self.constant
        return number if isinstance(number, int) and not isinstance(number, bool) else None

    @property
    def text(self) -> str | None:
        """The str that it is, None for anything else."""
        return self.constant if isinstance(self.constant, str) else None

    @property
    def is_object(self) -> bool:
        """Whether it is certainly an object that is not None: an instance, class or function."""
        return constant_folding.is_object(self.value)

    @property
    def maker(self) -> str | None:
        """The library callable that makes it (`torch.Generator`), None where no such one does."""
        return library_path(self.value) or None

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
    found = list(values)
    return sorted(found, key=rank) if len(found) > 1 else found


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
