"""Unpackings that certainly fail: what a function gives cannot be taken apart so.

Question: does `a, b = f(…)` raise because everything that the project's function `f` returns is
something else: a tuple display of another length, nothing at all, an object of a class that cannot
be gone through, or a whole data set of torchvision. Given up on: lists, which may be
added to; functions with decorators, generators; objects whose class is not known whole.
Budget: the values of what is returned, through `_DEEP` functions that return what others do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.ir import expressions as ex
from dlint.ir.module import Bind
from dlint.ir.walk import bindings_of
from dlint.library_facts.torchvision import dataset_facts
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.values.values import (
    AllocationSite,
    FunctionObject,
    Instance,
    Literal,
    Method,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope, Statement
    from dlint.semantics.values.values import Value

_NOT_GONE_THROUGH = frozenset(
    {"builtins.object", "torch.nn.Module", "torch.nn.modules.module.Module", "abc.ABC"}
)
"""Library classes whose objects cannot be iterated over, unless a subclass says how."""
_DEEP = 3
_ITERATING = ("__iter__", "__getitem__")
_PARTS_OF_SETS = 100
"""A data set, or what is left of it, is taken to have more samples than names are bound."""


class Targets(NamedTuple):
    """How many values an unpacking takes; `is_least` where a `*name` takes what is left."""

    number: int
    is_least: bool

    def take(self, length: int) -> bool:
        """Whether so many values can be unpacked."""
        return length >= self.number if self.is_least else length == self.number


def misfit(context: AnalysisContext, statement: Statement) -> str | None:
    """Why what a call gives cannot be unpacked by a statement, as the end of a sentence."""
    call = statement.value if isinstance(statement, Bind) else None
    if not isinstance(statement, Bind) or not isinstance(call, ex.Call):
        return None
    targets = targets_of(statement)
    functions = [] if targets is None else _functions(context, call)
    if targets is None or not functions:
        return None
    reasons = list(_reasons(context, functions, targets, _DEEP))
    if None in reasons:
        return None
    given = reasons[0] if reasons else "nothing"
    return f"`{call.name}` returns {given}, which cannot be unpacked to {targets.number}"


def _reasons(
    context: AnalysisContext, functions: list[Scope], targets: Targets, deep: int
) -> Iterator[str | None]:
    """What functions return, where it cannot be unpacked: None for each that may be."""
    for function in functions:
        for value in function.returns:
            for part in _sides(value):
                yield from _of_part(context, function, part, targets, deep)


def _sides(value: ex.Expression) -> Iterator[ex.Expression]:
    """What an expression is one of."""
    value = ex.unnamed(value)
    if isinstance(value, ex.Conditional):
        yield from (*_sides(value.then), *_sides(value.otherwise))
    else:
        yield value


def _of_part(
    context: AnalysisContext, function: Scope, part: ex.Expression, targets: Targets, deep: int
) -> Iterator[str | None]:
    """The same of one expression that a function returns."""
    if isinstance(part, ex.Sequence) and part.kind == "tuple":
        length = len(part.items)
        is_known = not any(isinstance(item, ex.Starred) for item in part.items)
        yield f"{length} values" if is_known and not targets.take(length) else None
        return
    inner = _functions(context, part) if isinstance(part, ex.Call) and deep else []
    if any(scope.returns for scope in inner):
        yield from _reasons(context, inner, targets, deep - 1)
        return
    values = context.solver.values(part, context.solver.root(function))
    yield from [_reason(context, value, targets) for value in values] or [None]


def targets_of(statement: Bind) -> Targets | None:
    """What an assignment unpacks its value to; None where it does not."""
    written = [d.value for d in statement.definitions] + [s.value for s in statement.stores]
    positions, is_least = set(), False
    for part in written:
        while isinstance(part, ex.Item):
            if part.value is statement.value:
                is_least = is_least or part.starred
                positions |= set() if part.starred else {part.position}
            part = part.value
    return Targets(len(positions), is_least) if positions else None


def _functions(context: AnalysisContext, call: ex.Call) -> list[Scope]:
    """The functions of the project that a call enters; none where others may be."""
    callees = context.solver.values(call.function, context.solver.root(call.scope))
    found = [_plain(callee) for callee in callees]
    return [] if None in found else [scope for scope in found if scope is not None]


def _plain(callee: Value) -> Scope | None:
    """The function that a callee is, which hands on what it returns; else None."""
    match callee:
        case FunctionObject(scope=scope) | Method(scope=scope, receiver=Instance(exact=True)):
            is_plain = not (scope.decorators or scope.yields or scope.is_async)
            return scope if is_plain else None
    return None


def _reason(context: AnalysisContext, value: Value, targets: Targets) -> str | None:
    """What a value is that cannot be unpacked; None where it may be."""
    match value:
        case Literal(value=None | bool() | int() | float()):
            return f"`{value.value}`"
        case Instance(exact=True) | AllocationSite():
            return _object(context, value, targets)
    return None


def _object(
    context: AnalysisContext, value: Instance | AllocationSite, targets: Targets
) -> str | None:
    """How an object is called that cannot be unpacked; None where it may be."""
    cls = project_class(value)
    if cls is None:
        bases = list(filter(None, [library_path(value)]))
    elif not context.solver.classes.is_whole(cls) or cls.decorators:
        return None
    else:
        bases = context.solver.classes.externals(cls)
    if any(map(_is_large, bases)) and not targets.is_least:
        is_fixed = cls is None or not _defines(context, cls, "__iter__", "__len__")
        return "one data set" if is_fixed else None
    if cls is None or not _NOT_GONE_THROUGH.issuperset(bases):
        return None
    return None if _defines(context, cls, *_ITERATING) else f"one object of `{cls.name}`"


def _is_large(path: str) -> bool:
    """Whether a library's class is a data set of many samples."""
    facts = dataset_facts(path)
    return facts is not None and min(facts.lengths.values(), default=0) > _PARTS_OF_SETS


def _defines(context: AnalysisContext, cls: Class, *names: str) -> bool:
    """Whether a class or one of the project that it derives from binds one of some names."""
    return any(
        True
        for ancestor in context.solver.classes.ancestors(cls)
        for name in names
        for _ in bindings_of(ancestor.body, name)
    )
