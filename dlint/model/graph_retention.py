"""Histories: what a training loop adds up or collects with the autograd graph still on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, Scope, Statement
from dlint.model.gradients import runs_without_gradients
from dlint.model.loops import GRADIENT_STEPS, batch_loops, calls_in
from dlint.semantics.values.values import Container

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_SCALING = frozenset({"*", "/"})
_SCALERS = {"scale": "outputs", "scale_loss": "loss"}
"""What multiplies a loss by a number, and as which parameter it takes it."""
_EMPTYING = frozenset({"clear", "pop", "popleft"})


class History(NamedTuple):
    """One place where a loss is kept beyond its step, with its graph."""

    loss: ex.Reference
    backward: ex.Call
    target: ex.Expression
    scope: Scope
    is_sum: bool


def histories(context: AnalysisContext) -> Iterator[History]:
    """Where batch loops keep losses that a gradient was taken of."""
    seen: set[Statement] = set()
    for loop in context[batch_loops]:
        for statement in walk.statements(loop.body) if loop.body is not None else ():
            if statement not in seen and loop.body is not None:
                seen.add(statement)
                yield from _of_statement(context, statement, loop.body, loop.scope)


def _of_statement(
    context: AnalysisContext, statement: Statement, body: Block, scope: Scope
) -> Iterator[History]:
    added = _added(statement)
    is_sum = added is not None
    for target, value in [added] if added is not None else _appended(statement):
        loss = _scaled(value)
        if loss is None or is_emptied(target, statement, body):
            continue
        if (is_sum or loss is not value) and runs_without_gradients(context, statement, scope):
            continue  # what is computed there has no graph
        backward = gradient_of(context, loss, body)
        if backward is not None and (is_sum or is_list(context, target, scope)):
            yield History(loss, backward, target, scope, is_sum)


def _added(statement: Statement) -> tuple[ex.Expression, ex.Expression] | None:
    """`total += value`, `total = total + value`: the total, and what is added."""
    if not isinstance(statement, Bind) or not isinstance(statement.value, ex.Binary):
        return None
    total, value = statement.value.left, statement.value.right
    if statement.value.operator != "+":
        return None
    bound = [d.name for d in statement.definitions]
    is_name = isinstance(total, ex.Reference) and bound == [total.name]
    is_part = [ex.spelled(store.target) for store in statement.stores] == [ex.spelled(total)]
    return (total, value) if is_name or (is_part and ex.spelled(total)) else None


def _appended(statement: Statement) -> Iterator[tuple[ex.Expression, ex.Expression]]:
    """`values.append(value)`: the list, and what it is given."""
    for expression in walk.expressions(statement):
        if isinstance(expression, ex.Call) and expression.name == "append":
            callee, given = expression.function, expression.arguments
            if isinstance(callee, ex.Attribute) and len(given) == 1:
                yield callee.value, given[0].value


def is_list(context: AnalysisContext, target: ex.Expression, scope: Scope) -> bool:
    """Whether a value certainly is a container."""
    values = context.values(target, scope)
    return bool(values) and all(isinstance(value, Container) for value in values)


def _scaled(value: ex.Expression) -> ex.Reference | None:
    """The name in `loss`, `loss * n`, `n * loss`, `loss / n`."""
    if isinstance(value, ex.Binary) and value.operator in _SCALING:
        plain = isinstance(value.left, ex.Constant)
        return _scaled(value.right if plain and value.operator == "*" else value.left)
    return value if isinstance(value, ex.Reference) and value.definition is not None else None


def is_emptied(target: ex.Expression, kept: Statement, body: Block) -> bool:
    """Whether the loop itself begins the history anew, or takes from it."""
    name = ex.spelled(target)
    if name is None:
        return True
    for statement in walk.statements(body):
        if statement is kept:
            continue
        if isinstance(statement, Bind) and _added(statement) is None:
            written = [ex.spelled(store.target) for store in statement.stores]
            written += [definition.name for definition in statement.definitions]
            if any(w and (name == w or name.startswith((f"{w}.", f"{w}["))) for w in written):
                return True
    emptied = (c.function for c in calls_in(body) if c.name in _EMPTYING | GRADIENT_STEPS)
    return any(isinstance(f, ex.Attribute) and ex.spelled(f.value) == name for f in emptied)


def gradient_of(context: AnalysisContext, loss: ex.Reference, body: Block) -> ex.Call | None:
    """The call that takes the gradient of a loss, in the loop or in the function that made it."""
    found = _taken(loss, calls_in(body))
    made = loss.definition.value if loss.definition is not None else None
    position = made.position if isinstance(made, ex.Item) and not made.starred else None
    made = made.value if isinstance(made, ex.Item) else made
    if found is not None or not isinstance(made, ex.Call):
        return found
    taken = [_taken_in(callee, position) for callee in callees_of(context, made)]
    return taken[0] if taken and None not in taken else None


def _taken_in(callee: Scope, position: int | None) -> ex.Call | None:
    """The same for what a function returns, or for one part of it."""
    results = [_part(result, position) for result in callee.returns]
    if not results or callee.yields:
        return None
    found = [_taken(r, callee.calls) if isinstance(r, ex.Reference) else None for r in results]
    return found[0] if None not in found else None


def _part(result: ex.Expression, position: int | None) -> ex.Expression | None:
    if position is None:
        return result
    if isinstance(result, ex.Sequence) and 0 <= position < len(result.items):
        return result.items[position]
    return None


def _taken(loss: ex.Reference, calls: Iterator[ex.Call] | list[ex.Call]) -> ex.Call | None:
    for call in calls:
        if call.name in GRADIENT_STEPS and isinstance(call.function, ex.Attribute):
            given = written(call, 0, "tensors")
            sources = [call.function.value] if given is None else [given, call.function.value]
            if any(_names(source, loss) for source in sources):
                return call
    return None


def _names(source: ex.Expression, loss: ex.Reference) -> bool:
    """Whether the gradient of `source` is that of the loss, scaled or reduced."""
    match source:
        case ex.Reference():
            if source.definition is loss.definition:
                return True
            value = source.definition.value if source.definition is not None else None
            return isinstance(value, ex.Entered) and _names(value.value, loss)
        case ex.Binary() if source.operator in _SCALING:
            return _names(source.left, loss)
        case ex.Call() if source.name in _SCALERS:
            given = written(source, 0, _SCALERS[source.name])
            return given is not None and _names(given, loss)
        case ex.Call() if isinstance(source.function, ex.Attribute) and not source.arguments:
            return _names(source.function.value, loss)
    return False
