"""Columns that the functions of `map` write to the rows of Hugging Face data sets.

Question: which columns does a function certainly fill with a list in each row? Followed: writes to
the row that it is given (`row["x"] = …`), and a dict that is written out where it returns; lists as
`list_fields` knows them, one level deeper where rows come in batches. Given up on: functions that
are not known, other writes to a row, and columns that some rows only get.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.control.path_tests import always_runs
from dlint.ir import expressions as ex
from dlint.model.samples.list_fields import depth_of, field, keys_of
from dlint.model.samples.samples import callee_of
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import FALSE, TRUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope


class Columns(NamedTuple):
    """The names of columns that a `map` writes, and those of them that hold lists."""

    written: frozenset[str]
    lists: frozenset[str]


def mapped_columns(context: AnalysisContext, call: ex.Call) -> Columns | None:
    """What the one function of a `map` writes; None where that is not known."""
    given = bind(context, call, "function")
    functions = [callee_of(context, value) for value in given.values("function")]
    batched = {a.value for a in given.alternatives("batched")}
    scope = functions[0] if len(functions) == 1 else None
    if scope is None or scope.yields or not (batched <= {TRUE} or batched <= {FALSE, ABSENT}):
        return None
    deep = 2 if TRUE in batched else 1
    columns = list(_columns(context, scope))
    flat = {name for name, depth in columns if depth < deep}
    written = frozenset(name for name, _ in columns)
    return Columns(written, written - flat)


def _columns(context: AnalysisContext, scope: Scope) -> Iterator[tuple[str, int]]:
    """The names of what a function writes to its row or returns, and how deep lists nest in it."""
    root = context.solver.root(scope)
    for store in scope.stores:
        key = ex.constant(store.target.index) if isinstance(store.target, ex.Subscript) else None
        if key is None or not isinstance(key.value, str) or not _is_row(store.target.value, scope):
            continue
        certain = always_runs(store.statement, scope.body)
        yield key.value, depth_of(context, store.value, root) if certain else 0
    for name in keys_of(scope):
        part = field(context, scope, name)
        yield name, 0 if part is None else depth_of(context, *part)


def _is_row(owner: ex.Expression, scope: Scope) -> bool:
    """Whether it is what the function is given first."""
    bound = ex.unnamed(owner)
    names = [spec.name for spec in scope.parameters if spec.name not in ("self", "cls")]
    return isinstance(bound, ex.Parameter) and names[:1] == [bound.name]
