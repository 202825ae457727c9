"""What a function writes to a dict that one of its names holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Evaluate, Scope, Statement, Store
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import FunctionObject, Method


@dataclass(frozen=True, slots=True)
class Write:
    """`d[key] = value`, `d.setdefault(key, value)`, `d.update(value)`, `d.pop(key)`, `del d[key]`.

    `value` is the call for `update`, and None where the key is taken out. `weak`: only where the
    key is not there. `is_possible`: the key may be among those written, nobody knows with what.
    What is read before `end`, as in `x = d.pop(key)`, is read before the write.
    """

    statement: Statement
    end: int
    value: ex.Expression | ex.Call | None = None
    weak: bool = False
    is_possible: bool = False


def writes(solver: Solver, frame: CallContext, name: str, key: str) -> list[Write]:
    """The writes that may concern `key` of the dict `name` in one scope, in order."""
    return sorted(_writes(solver, frame, name, key), key=lambda write: write.statement.span)


def _writes(solver: Solver, frame: CallContext, name: str, key: str) -> Iterator[Write]:
    for store in frame.scope.stores:
        target = store.target
        if isinstance(target, ex.Subscript) and _is_name(target.value, name):
            yield from _stored(store, target.index, key)
    for statement, taken in _deletions(frame.scope):
        if _is_name(taken.value, name) and _may_be(taken.index, key):
            known = isinstance(taken.index, ex.Constant)
            yield Write(statement, statement.span[1], is_possible=not known)
    for call in frame.scope.calls:
        callee = call.function
        if not isinstance(callee, ex.Attribute) or not _is_name(callee.value, name):
            if _hands_over(solver, frame, call, name, key):
                yield Write(call.statement, call.span[1], is_possible=True)
        elif callee.name == "update":
            yield Write(call.statement, call.span[1], call)
        elif callee.name in ("setdefault", "pop") and first_constant(call) == key:
            weak = callee.name == "setdefault"
            value = call.arguments[1].value if weak and len(call.arguments) > 1 else None
            yield Write(call.statement, call.span[1], value, weak)


@lru_cache(maxsize=512)
def _deletions(scope: Scope) -> tuple[tuple[Statement, ex.Subscript], ...]:
    """The items that `del d[key]` takes out in a function."""
    return tuple(
        (statement, part)
        for statement in walk.statements(scope.body)
        if isinstance(statement, Evaluate) and statement.deleted is not None
        for part in (statement.deleted, *walk.children(statement.deleted))
        if isinstance(part, ex.Subscript)
    )


def _stored(store: Store, index: ex.Expression, key: str) -> Iterator[Write]:
    if not isinstance(index, ex.Constant):
        yield Write(store.statement, store.statement.span[1], is_possible=True)
    elif index.value == key:
        yield Write(store.statement, store.statement.span[1], store.value)


def _hands_over(solver: Solver, frame: CallContext, call: ex.Call, name: str, key: str) -> bool:
    """Whether a function of the project is given the dict and may write `key` to it."""
    given = [
        (index, argument.keyword)
        for index, argument in enumerate(call.arguments)
        if not argument.star and _is_name(argument.value, name)
    ]
    if not given:
        return False
    for value in solver.values(call.function, frame):
        if isinstance(value, FunctionObject | Method):
            shift = 1 if isinstance(value, Method) else 0
            for index, keyword in given:
                if _is_written(value.scope, index + shift, keyword, key):
                    return True
    return False


def _is_written(scope: Scope, position: int, keyword: str | None, key: str) -> bool:
    names = [parameter.name for parameter in scope.parameters]
    name = keyword or (names[position] if position < len(names) else "")
    stores = (s.target for s in scope.stores if isinstance(s.target, ex.Subscript))
    if any(_is_name(t.value, name) and _may_be(t.index, key) for t in stores):
        return True
    return any(
        isinstance(call.function, ex.Attribute)
        and call.function.name in ("update", "setdefault", "pop")
        and _is_name(call.function.value, name)
        and (call.function.name == "update" or first_constant(call) == key)
        for call in scope.calls
    )


def _may_be(index: ex.Expression, key: str) -> bool:
    return not isinstance(index, ex.Constant) or index.value == key


def _is_name(expression: ex.Expression, name: str) -> bool:
    return isinstance(expression, ex.Reference) and expression.name == name


def first_constant(call: ex.Call) -> object:
    """The literal that a call is given first, if it is one."""
    first = call.arguments[0].value if call.arguments else None
    return first.value if isinstance(first, ex.Constant) else None
