"""Arrays, tensors and tables that lie in memory, however they were worked on since they were made.

Question: is a value certainly one of these, on every path? Sources: what functions of torch, NumPy
and pandas make of numbers, and batches of a loader. Followed: the steps of a backward slice,
arithmetic, slices and columns, methods and functions that give an array another form. Given up on:
memory maps, files that are read when they are indexed, and whatever no table knows: False. Budget:
that of the slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice, steps
from dlint.analyses.calls import certainly_calls
from dlint.ir import expressions as ex
from dlint.library_facts.gradients import KEEPING_FUNCTIONS, KEEPING_METHODS
from dlint.library_facts.tensors import JOINERS, LIGHT_METHODS
from dlint.model.data.in_memory import is_array, is_mapped
from dlint.semantics.values.values import Batch

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_NUMBERS = frozenset({"item", "size", "dim", "tolist"})
_METHODS = (KEEPING_METHODS | LIGHT_METHODS) - _NUMBERS | {"to", "to_numpy"}
_TENSORS = KEEPING_FUNCTIONS | JOINERS
_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "**", "%"})


def lies_in_memory(context: AnalysisContext, value: ex.Expression, frame: CallContext) -> bool:
    """Whether a value is certainly an array, a tensor or a table in memory."""
    return Slice(context, _QUESTION).of(value, frame)


def _all(found: Sequence[bool]) -> bool:
    return all(found)


def _of_any(slice_: Slice[bool], expression: ex.Expression, frame: CallContext) -> bool | None:
    """What the solver knows of a value: that decides where it knows all of it."""
    values = slice_.context.solver.values(expression, frame)
    if any(map(is_mapped, values)):
        return False
    known = bool(values) and all(isinstance(v, Batch) or is_array(v) for v in values)
    return True if known else None


def _of_binary(slice_: Slice[bool], binary: ex.Binary, frame: CallContext) -> bool:
    sides = (binary.left, binary.right)
    return binary.operator in _ARITHMETIC and any(slice_.of(side, frame) for side in sides)


def _of_subscript(slice_: Slice[bool], part: ex.Subscript, frame: CallContext) -> bool:
    return bool(_of_any(slice_, part, frame)) or slice_.of(part.value, frame)


def _of_attribute(slice_: Slice[bool], part: ex.Attribute, frame: CallContext) -> bool | None:
    if part.name in ("T", "values"):
        return slice_.of(part.value, frame)
    return _of_any(slice_, part, frame)


def _of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    known = False if call.name in _NUMBERS else _of_any(slice_, call, frame)
    if known is not None:
        return known
    if certainly_calls(slice_.context, call, _TENSORS):
        return True
    callee = call.function
    if not isinstance(callee, ex.Attribute) or call.name not in _METHODS:
        return None
    entered = any(True for _ in steps(slice_.context, call, frame))
    return None if entered else slice_.of(callee.value, frame)


_QUESTION: Question[bool] = Question(
    False,
    _all,
    {
        ex.Reference: _of_any,
        ex.Parameter: _of_any,
        ex.Element: _of_any,
        ex.Item: _of_any,
        ex.Binary: _of_binary,
        ex.Subscript: _of_subscript,
        ex.Attribute: _of_attribute,
        ex.Call: _of_call,
    },
)
"""Whether a value lies in memory as an array."""
