"""What a function writes to a dict that one of its names holds, in order.

Question: which statements of a scope may change what a name's dict holds under a key? Followed:
items that are set (as attributes, too, as some dicts let them be) or deleted, `update`,
`setdefault`, `pop`, and functions of the project that are given the dict and write to it, one call
deep. Given up on: other names for the dict, and what functions do that are called without it.
Linear in the scope; callees are asked of the solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Evaluate, Scope, Statement
from dlint.ir.remembering import remembered
from dlint.semantics.calls.binding import bind, signature_of
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.mutations import Mutation, mutation_by_name, mutation_of_call
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import FunctionObject, Method


@dataclass(frozen=True, slots=True)
class Write:
    """`d[key] = value`, `d.setdefault(key, value)`, `d.update(value)`, `d.pop(key)`, `del d[key]`.

    `value` is the call for `update`, and None where the key is taken out. `weak`: only where the
    key is not there. `is_possible`: the key may be among those written, nobody knows with what;
    `is_hidden`: it is one of them, and nobody knows with what, or whether at all.
    What is read before `end`, as in `x = d.pop(key)`, is read before the write.
    """

    statement: Statement
    end: int
    value: ex.Expression | ex.Call | None = None
    weak: bool = False
    is_possible: bool = False
    is_hidden: bool = False


def writes(solver: Solver, frame: CallContext, name: str, key: str) -> list[Write]:
    """The writes that may concern `key` of the dict `name` in one scope, in order."""
    return sorted(_writes(solver, frame, name, key), key=lambda write: write.statement.span)


def _writes(solver: Solver, frame: CallContext, name: str, key: str) -> Iterator[Write]:
    for store in frame.scope.stores:
        stored = mutation_by_name(store)
        if stored is not None and _is_name(stored.target, name) and stored.may_concern(key):
            end, is_possible = store.statement.span[1], not stored.has_known_key
            value = None if is_possible else store.value
            yield Write(store.statement, end, value, is_possible=is_possible)
    for statement, taken in deletions(frame.scope):
        if _is_name(taken.value, name) and _may_be(taken.index, key):
            known = ex.constant(taken.index) is not None
            yield Write(statement, statement.span[1], is_possible=not known)
    for call in frame.scope.calls:
        mutation = mutation_of_call(call)
        if mutation is None or not _is_name(mutation.target, name):
            yield from _handed_over(solver, frame, call, name, key)
        elif mutation.kind == "merge":
            yield Write(call.statement, call.span[1], call)
        elif mutation.kind in ("default", "remove") and mutation.known_key == key:
            is_weak = mutation.kind == "default"
            yield Write(call.statement, call.span[1], mutation.value, is_weak)


@remembered(512)
def deletions(scope: Scope) -> tuple[tuple[Statement, ex.Subscript], ...]:
    """The items that `del d[key]` takes out in a function."""
    return tuple(
        (statement, part)
        for statement in walk.statements(scope.body)
        if isinstance(statement, Evaluate) and statement.deleted is not None
        for part in (statement.deleted, *walk.children(statement.deleted))
        if isinstance(part, ex.Subscript)
    )


def _handed_over(
    solver: Solver, frame: CallContext, call: ex.Call, name: str, key: str
) -> Iterator[Write]:
    """What a function of the project may write to the dict that it is given."""
    given = [a for a in call.arguments if not a.star and _is_name(a.value, name)]
    if not given:
        return
    passed = CallArguments.of(call.arguments, frame)
    for value in solver.values(call.function, frame):
        if isinstance(value, FunctionObject | Method):
            has_receiver = isinstance(value, Method)
            bound = bind(passed, signature_of(value.scope, has_receiver=has_receiver))
            for parameter in filter(None, map(bound.parameter_of, given)):
                is_hidden = _is_named(value.scope, parameter, key)
                if is_hidden or _is_written(value.scope, parameter, key):
                    yield Write(call.statement, call.span[1], is_possible=True, is_hidden=is_hidden)


def _is_named(scope: Scope, name: str, key: str) -> bool:
    """Whether a function sets or takes out this very key of the dict in one of its parameters."""
    stored = map(mutation_by_name, scope.stores)
    called = (m for m in map(mutation_of_call, scope.calls) if m and m.kind == "remove")
    written = (m.known_key for m in (*stored, *called) if m and _is_name(m.target, name))
    taken = (t.index for _, t in deletions(scope) if _is_name(t.value, name))
    return key in {*written, *(x.value for t in taken if (x := ex.constant(t)) is not None)}


def _is_written(scope: Scope, name: str, key: str) -> bool:
    """Whether a function may write a key to the dict in one of its parameters."""
    stored = map(mutation_by_name, scope.stores)
    called = map(mutation_of_call, scope.calls)
    return any(
        mutation is not None and _is_name(mutation.target, name) and _may_write(mutation, key)
        for mutation in (*stored, *called)
    )


def _may_write(mutation: Mutation, key: str) -> bool:
    if mutation.kind == "set":
        return mutation.may_concern(key)
    if mutation.kind in ("default", "remove"):
        return mutation.known_key == key
    return mutation.kind == "merge"


def _may_be(index: ex.Expression, key: str) -> bool:
    known = ex.constant(index)
    return known is None or known.value == key


def _is_name(expression: ex.Expression, name: str) -> bool:
    return isinstance(expression, ex.Reference) and expression.name == name


def first_constant(call: ex.Call) -> object:
    """The literal that a call is given first, if it is one."""
    first = ex.constant(call.arguments[0].value) if call.arguments else None
    return None if first is None else first.value
