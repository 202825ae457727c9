"""Functions that hand on what they are given, as it is or as a view of it.

Question: may a value be an array, or a view of one, that an activation of a function is given?
Followed: the steps of a backward slice, and what gives views of an array. Anything else makes a new
array, or is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.library_facts import strides as known

if TYPE_CHECKING:
    from dlint.semantics.calls.call_contexts import CallContext


def hands_on(activation: CallContext) -> Question[bool]:
    """Whether a value may be a view of what an activation is given."""

    def of_parameter(_: object, __: ex.Parameter, frame: CallContext) -> bool | None:
        return True if frame == activation else None

    def of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
        paths, callee = set(library_callees(slice_.context, call)), call.function
        if paths & (known.FLIPS.keys() | known.VIEWS | known.SAME):
            given = positional(call)[:1] or [argument.value for argument in call.arguments]
            return any(slice_.of(each, frame) for each in given)
        if isinstance(callee, ex.Attribute) and callee.name in known.VIEW_METHODS:
            return slice_.of(callee.value, frame)
        return None

    def of_part(slice_: Slice[bool], part: ex.Subscript, frame: CallContext) -> bool:
        return slice_.of(part.value, frame)

    return Question(
        False, any, {ex.Parameter: of_parameter, ex.Call: of_call, ex.Subscript: of_part}
    )
