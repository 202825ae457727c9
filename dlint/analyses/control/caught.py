"""Whether what a statement raises is caught by the function that it stands in.

Question: does a `try` with handlers, or `contextlib.suppress`, stand around a statement. Given up
on: which exceptions they take, and context managers of other kinds. Budget: the statements around.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import is_call_to
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Try, With

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Statement

_SUPPRESS = frozenset({"contextlib.suppress", "pytest.raises"})


def is_caught(
    context: AnalysisContext, statement: Statement, within: Statement | None = None
) -> bool:
    """Whether an error of a statement is handled by its function; `within`: inside that one."""
    inner = statement
    for outer in walk.ancestors(statement):
        if outer is within:
            return False
        if isinstance(outer, Try) and outer.handlers and inner.block is outer.body:
            return True
        if isinstance(outer, With) and _suppresses(context, outer):
            return True
        inner = outer
    return False


def _suppresses(context: AnalysisContext, block: With) -> bool:
    calls = (item for item in block.items if isinstance(item, ex.Call))
    return any(is_call_to(context, call, _SUPPRESS) for call in calls)
