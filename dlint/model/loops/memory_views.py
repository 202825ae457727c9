"""What a kept tensor or array is a view of: both have the same memory.

Question: which expression's memory does `x.detach().numpy()`, or `np.asarray(x)`, have? Followed:
methods without a copy, one after the other, and NumPy's functions that make an array of a tensor.
Given up on: functions that are given a type, for which they may copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import certainly_calls
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.strides import SAME as MAKING_ARRAYS
from dlint.library_facts.tensors import SHARING_ARRAYS, SHARING_VIEWS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_ARRAY = "numpy"
_FUNCTION = "()"
"""Stands for a function of NumPy, among the names of methods."""


class MemoryView(NamedTuple):
    """The part whose memory a value has; the value itself where it is seen to be no view.

    `is_array`: whether the value is an array. `has_method`: whether a method of tensors is called,
    so that the part is a tensor: NumPy's functions take lists too, which they copy.
    """

    part: ex.Expression
    is_array: bool = False
    has_method: bool = False


def memory_view(context: AnalysisContext, value: ex.Expression) -> MemoryView:
    """What a value, or what a name stands for, is a view of."""
    made, names = origin_of(value), list[str | None]()
    found = made if isinstance(made, ex.Call) else value
    while isinstance(found, ex.Call):
        given, method = _made_array(context, found), found.function
        if given is not None:
            names.append(_FUNCTION)
            found = given
        elif isinstance(method, ex.Attribute):
            names.append(method.name)
            found = method.value
        else:
            break
    return _of_names(found, names) or MemoryView(value)


def _made_array(context: AnalysisContext, call: ex.Call) -> ex.Expression | None:
    """What `np.asarray(x)` is given, if nothing asks for a type."""
    is_made = certainly_calls(context, call, MAKING_ARRAYS)
    return written(call, 0, "a") if is_made and len(call.arguments) == 1 else None


def _of_names(part: ex.Expression, names: list[str | None]) -> MemoryView | None:
    """The view that calls of these names make, the outermost first; None where one may copy."""
    arrays = [i for i, name in enumerate(names) if name in (_ARRAY, _FUNCTION)]
    outer = names[: arrays[-1]] if arrays else []
    inner = names[arrays[-1] + 1 :] if arrays else names
    if not names or not (SHARING_ARRAYS | {_FUNCTION}).issuperset(outer):
        return None
    if not SHARING_VIEWS.issuperset(inner):
        return None
    return MemoryView(part, bool(arrays), any(name != _FUNCTION for name in names[len(outer) :]))
