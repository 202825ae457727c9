"""The items that a list begins with which is filled piece by piece.

Question: which items does a list certainly begin with, where it is empty at first, and code of its
function puts the first ones in? Followed: `x += […]`, `x.extend([…])` and `x.append(…)` that stand
beside the empty list, or that each round of the first loop beside it comes to, if that loop has a
round at least. Given up on: whatever comes behind a change that is not certain; and lists that code
names anywhere else, be it in a nested function: what inserts, sorts, takes out, hands on or gives
another name may change what comes first. A comprehension is told as `*[…]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.path_tests import always_runs, is_optional
from dlint.analyses.idle.spoken_names import parts_of
from dlint.analyses.volume.least_lengths import least_length
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Loop, Scope, Statement

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_Items = tuple[ex.Expression, ...]

_ADDERS = frozenset({"append", "extend"})


class _Change(NamedTuple):
    """A change of a list; `items`: what it adds to the end, None where that is not known."""

    name: ex.Expression
    statement: Statement
    items: _Items | None


def first_filled(
    context: AnalysisContext, filled: ex.Expression, frame: CallContext
) -> Iterator[ex.Expression]:
    """The items that are put first into a list which is empty at first."""
    name = filled.name if isinstance(filled, ex.Reference) else ""
    home = _emptied(frame.scope, name)
    changes = [] if home is None else _changes(frame.scope, name)
    if _is_named_elsewhere(frame.scope, filled, changes):
        return
    loop: Loop | None = None
    for change in changes:
        around = next(walk.enclosing_loops(change.statement), None)
        outer = change.statement if around is None else around
        is_certain = home is not None and outer.block is home.block
        is_known = change.items is not None and change.name.span[1] < filled.span[0]
        if not is_certain or not is_known or (loop is not None and around is not loop):
            return
        if around is not None and not _has_round(context, change, around, frame):
            return
        loop = around
        yield from change.items or ()


def _is_named_elsewhere(scope: Scope, filled: ex.Expression, changes: list[_Change]) -> bool:
    """Whether code names a list elsewhere than where it adds to its end, and where it is read."""
    name = filled.name if isinstance(filled, ex.Reference) else ""
    known = {filled.span} | {change.name.span for change in changes}
    return any(
        name in inner.nonlocals | inner.globals
        or any(
            isinstance(part, ex.Reference) and part.name == name and part.span not in known
            for part in parts_of(inner)
        )
        for inner in walk.scopes_within(scope)
    )


def _has_round(context: AnalysisContext, change: _Change, loop: Loop, frame: CallContext) -> bool:
    """Whether the first round of a loop comes to a change, and there certainly is one."""
    if loop.iterable is None or not always_runs(change.statement, loop.body):
        return False
    return least_length(context, loop.iterable, frame) > 0


def _emptied(scope: Scope, name: str) -> Bind | None:
    """The one statement that binds a name to something new, where that is an empty list."""
    bound = [
        statement
        for statement in walk.statements(scope.body)
        if not isinstance(statement, Bind) or _added(statement, name) is None
        if any(d.name == name for d in getattr(statement, "definitions", ()))
    ]
    home = bound[0] if len(bound) == 1 else None
    made = home.value if isinstance(home, Bind) else None
    is_empty = isinstance(made, ex.Sequence) and made.kind == "list" and not made.items
    return home if isinstance(home, Bind) and is_empty else None


def _added(statement: Bind, name: str) -> ex.Expression | None:
    """What `name += …` adds."""
    value = statement.value
    if not isinstance(value, ex.Binary) or value.operator != "+":
        return None
    targets = {d.span for d in statement.definitions if d.name == name}
    is_same = isinstance(value.left, ex.Reference) and value.left.span in targets
    return value.right if is_same else None


def _changes(scope: Scope, name: str) -> list[_Change]:
    """What adds to the end of a list by its name, in the order in which it is written."""
    found = [
        _Change(statement.value.left, statement, _items(added))
        for statement in walk.statements(scope.body)
        if isinstance(statement, Bind) and (added := _added(statement, name)) is not None
        if isinstance(statement.value, ex.Binary)
    ]
    found += [
        _Change(owner, call.statement, None if is_optional(call) else _called(call))
        for call in scope.calls
        if call.name in _ADDERS and isinstance(call.function, ex.Attribute)
        if isinstance(owner := call.function.value, ex.Reference) and owner.name == name
    ]
    return sorted(found, key=lambda one: one.name.span)


def _called(call: ex.Call) -> _Items | None:
    """What `x.append(…)` or `x.extend(…)` adds."""
    given = positional(call)
    if len(given) != 1 or len(call.arguments) != 1:
        return None
    if call.name == "append":
        return (given[0],)
    return _items(given[0]) if call.name == "extend" else None


def _items(added: ex.Expression) -> _Items | None:
    if isinstance(added, ex.Comprehension):
        return (ex.Starred(added.span, added),)
    return added.items if isinstance(added, ex.Sequence) else None
