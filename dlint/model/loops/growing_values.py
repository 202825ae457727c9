"""What a loop adds to: totals, and lists that it appends to.

Questions: what does a statement add up or append, is that certainly a list, and does a loop begin
it anew or take from it? Followed: `x += y`, `x = x + y`, `x.append(y)`, `x += [y]`, items of dicts,
also under a name (of such a dict whatever is written to an item counts), and of what `setdefault`
and `defaultdict(list)` give. Given up on: what has no name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import alternatives_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, Evaluate, Scope, Statement
from dlint.model.loops.batch_loops import GRADIENT_STEPS, calls_in
from dlint.model.loops.gradient_sources import SCALING
from dlint.semantics.values.values import AllocationSite, Container, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

EMPTYING = frozenset({"clear", "pop", "popleft"})
"""Methods by which lists lose what they hold."""
_CUTTING = "detach_"
"""The method by which a total loses its graph."""


def added_up(statement: Statement) -> tuple[ex.Expression, ex.Expression] | None:
    """`total += value`, `total = total + value`: the total, and what is added.

    So is what a running mean takes: `mean += (value - mean) / n`, `mean = a * mean + b * value`.
    """
    found = _joined(statement) or _averaged(statement)
    if found is None or isinstance(found[1], ex.Sequence):
        return None
    total, value = found
    return total, _beside(total, value)


def _beside(total: ex.Expression, value: ex.Expression) -> ex.Expression:
    """The value of `(value - total) * n`; any other one itself."""
    difference = value
    while isinstance(difference, ex.Binary) and difference.operator in SCALING:
        difference = difference.left
    if not isinstance(difference, ex.Binary) or difference.operator != "-":
        return value
    is_it = _place_of(difference.right) is not None
    return difference.left if is_it and _place_of(difference.right) == _place_of(total) else value


def _averaged(statement: Statement) -> tuple[ex.Expression, ex.Expression] | None:
    """The total and the value of `total = a * total + b * value`, in either order."""
    joined = statement.value if isinstance(statement, Bind) else None
    if not isinstance(statement, Bind) or not isinstance(joined, ex.Binary):
        return None
    bound = [definition.name for definition in statement.definitions]
    sides = [joined.left, joined.right] if joined.operator == "+" else []
    for side, other in zip(sides, reversed(sides), strict=True):
        scaled = isinstance(side, ex.Binary) and side.operator == "*"
        for total in (side.left, side.right) if isinstance(side, ex.Binary) and scaled else ():
            if isinstance(total, ex.Reference) and bound == [total.name]:
                return total, other
    return None


def _joined(statement: Statement) -> tuple[ex.Expression, ex.Expression] | None:
    """The two sides of `x += y`, `x = x + y`."""
    if not isinstance(statement, Bind) or not isinstance(statement.value, ex.Binary):
        return None
    total, value = statement.value.left, statement.value.right
    if statement.value.operator != "+":
        return None
    bound = [d.name for d in statement.definitions]
    is_name = isinstance(total, ex.Reference) and bound == [total.name]
    is_part = [_place_of(store.target) for store in statement.stores] == [_place_of(total)]
    return (total, value) if is_name or (is_part and _place_of(total)) else None


def _place_of(part: ex.Expression) -> str | tuple[str, ex.Definition] | None:
    """What tells a name or a part of one from others; also `sums[key]`, by what binds the key."""
    key = part.index if isinstance(part, ex.Subscript) else None
    if not isinstance(part, ex.Subscript) or not isinstance(key, ex.Reference):
        return ex.spelled(part)
    table = ex.spelled(part.value)
    return None if table is None or key.definition is None else (table, key.definition)


def appended(statement: Statement) -> Iterator[tuple[ex.Expression, ex.Expression]]:
    """`values.append(value)`, `values += [value]`: the list, and what it is given."""
    found = _joined(statement)
    if found is not None and isinstance(found[1], ex.Sequence) and found[1].kind == "list":
        yield from ((found[0], item) for item in found[1].items)
    for expression in walk.expressions(statement):
        if isinstance(expression, ex.Call) and expression.name == "append":
            callee, given = expression.function, expression.arguments
            if isinstance(callee, ex.Attribute) and len(given) == 1:
                yield callee.value, given[0].value


def is_list(context: AnalysisContext, target: ex.Expression, scope: Scope) -> bool:
    """Whether a value certainly is a container, or a list that a `defaultdict` makes.

    Or one that `setdefault` gives.
    """
    if isinstance(target, ex.Subscript) and _makes_lists(context, target.value, scope):
        return True
    if _table_of(target) is not None:
        return True
    begun = [part for part in alternatives_of(target) if not _is_longer(part)]
    values = [value for part in begun for value in context.values(part, scope)]
    return bool(values) and all(isinstance(value, Container) for value in values)


def holder_of(target: ex.Expression) -> ex.Expression:
    """The table that holds a list, `lists` of `lists[name]` and of `lists.setdefault(name, [])`."""
    while True:
        table = target.value if isinstance(target, ex.Subscript) else _table_of(target)
        if table is None:
            return target
        target = table


def _table_of(target: ex.Expression) -> ex.Expression | None:
    """What `lists.setdefault(name, [])` is an item of."""
    made = written(target, 1) if isinstance(target, ex.Call) else None
    if not isinstance(target, ex.Call) or target.name != "setdefault" or made is None:
        return None
    callee = target.function if isinstance(ex.unnamed(made), ex.Sequence) else None
    return callee.value if isinstance(callee, ex.Attribute) else None


def _is_longer(part: ex.Expression) -> bool:
    """`values + [value]`: what a list becomes."""
    return (
        isinstance(part, ex.Binary)
        and part.operator == "+"
        and isinstance(part.right, ex.Sequence)
        and part.right.kind == "list"
    )


def _makes_lists(context: AnalysisContext, table: ex.Expression, scope: Scope) -> bool:
    """`defaultdict(list)`."""
    values = context.values(table, scope)
    made = [value.call for value in values if isinstance(value, AllocationSite)]
    of_lists = (
        "collections.defaultdict" in library_callees(context, call)
        and "builtins.list" in _paths(context, written(call, 0), call.scope)
        for call in made
    )
    return bool(made) and len(made) == len(values) and all(of_lists)


def _paths(context: AnalysisContext, part: ex.Expression | None, scope: Scope) -> list[str]:
    found = () if part is None else context.values(part, scope)
    return [value.path for value in found if isinstance(value, External)]


def is_emptied(target: ex.Expression, kept: Statement, body: Block) -> bool:
    """Whether the loop itself begins the history anew, or takes from it."""
    name = ex.spelled(_table_of(target) or target)
    if name is None and isinstance(target, ex.Subscript) and _place_of(target) is not None:
        return _is_written(target.value, body) or is_emptied(target.value, kept, body)
    if name is None:
        return True
    if begins_anew(name, kept, body):
        return True
    if any(ex.spelled(part.value) == name for part in deleted_parts(body)):
        return True
    ending = EMPTYING | GRADIENT_STEPS | {_CUTTING}
    emptied = (c.function for c in calls_in(body) if c.name in ending)
    return any(isinstance(f, ex.Attribute) and ex.spelled(f.value) == name for f in emptied)


def _is_written(table: ex.Expression, body: Block) -> bool:
    """Whether a loop gives an item of a dict another value, and adds nothing to the old one."""
    return any(
        isinstance(store.target, ex.Subscript)
        and ex.spelled(store.target.value) == ex.spelled(table)
        for statement in walk.statements(body)
        if isinstance(statement, Bind) and added_up(statement) is None
        for store in statement.stores
    )


def begins_anew(name: str, kept: Statement, body: Block) -> bool:
    """Whether a statement of a loop besides `kept` binds a name, or what it is a part of."""
    for statement in walk.statements(body):
        if statement is kept:
            continue
        if isinstance(statement, Bind) and added_up(statement) is None:
            written = [ex.spelled(store.target) for store in statement.stores]
            written += [definition.name for definition in statement.definitions]
            if any(w and (name == w or name.startswith((f"{w}.", f"{w}["))) for w in written):
                return True
    return False


def deleted_parts(body: Block) -> Iterator[ex.Subscript]:
    """What a block deletes of lists and dicts: `del kept[:]`."""
    for statement in walk.statements(body):
        deleted = statement.value if isinstance(statement, Evaluate) else None
        children = deleted.children if isinstance(deleted, ex.Opaque) else ()
        yield from (part for part in children if isinstance(part, ex.Subscript))
