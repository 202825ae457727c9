"""Calls of one scope that may take loaders and batches on, as far as the code alone tells.

Question: which calls of a scope may enter something with what matters? Those that are given more
than constants, and those of which only values tell what is called. What they are given, and what
they enter, says who asks. Linear in the scope.
"""

from __future__ import annotations

from dlint.ir import expressions as ex
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Scope

_IGNORED = frozenset(
    {"print", "len", "range", "isinstance", "super", "str", "int", "float", "format"}
)


@told_by_code
def carrying_calls(scope: Scope) -> list[ex.Call]:
    """The calls of a scope that may give something to a function, or of which only values tell
    what they call."""
    return [call for call in scope.calls if given_values(call) or is_of_value(call)]


def given_values(call: ex.Call) -> list[ex.Expression]:
    """What a call is given that may be, or hold, a loader or a batch."""
    if call.name in _IGNORED:
        return []
    return [a.value for a in call.arguments if not isinstance(a.value, ex.Constant)]


def is_of_value(call: ex.Call) -> bool:
    """Whether only values tell what is called: an item, or what a call returns."""
    callee = call.function
    if isinstance(callee, ex.Reference) and callee.definition is not None:
        callee = callee.definition.value
    return isinstance(callee, ex.Call | ex.Subscript)
