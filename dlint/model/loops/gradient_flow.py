"""Whether a value is a tensor that requires grad.

Question: does a tensor certainly require grad, on every path that leads to it? Sources: tensors
that are made with `requires_grad=True`, parameters, what is said of it before it is read
(`gradient_switches`), and what a network gives whose weights nothing in the project freezes.
Followed: the steps of a backward slice, arithmetic, and the operations of
`library_facts.gradients`, where gradients are not switched off. Anything else does not, or is not
known: False. Budget: that of the slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice, steps
from dlint.analyses.calls import calls_anywhere, is_method, library_callees
from dlint.analyses.lists import listed_items
from dlint.analyses.object_state.state import ObjectStates
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import gradients as known
from dlint.model.loops.gradient_switches import (
    is_on,
    is_true,
    said_of_attribute,
    said_of_name,
)
from dlint.model.loops.gradients import computed_without_gradients
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import (
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext


def requires_grad(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> bool:
    """Whether what an expression gives is certainly a tensor that requires grad."""
    return Slice(context, _QUESTION).of(expression, frame)


def _all(found: Sequence[bool]) -> bool:
    return all(found)


# -- the transfer table


def _of_reference(slice_: Slice[bool], name: ex.Reference, frame: CallContext) -> bool | None:
    return said_of_name(slice_.context, name, frame.scope)


def _of_binary(slice_: Slice[bool], binary: ex.Binary, frame: CallContext) -> bool:
    if binary.operator not in ("+", "-", "*", "/", "**", "@"):
        return False
    found = any(slice_.of(side, frame) for side in (binary.left, binary.right))
    return found and not computed_without_gradients(slice_.context, binary.span, frame.scope)


def _of_unary(slice_: Slice[bool], unary: ex.Unary, frame: CallContext) -> bool:
    return unary.operator == "-" and slice_.of(unary.operand, frame)


def _of_subscript(slice_: Slice[bool], part: ex.Subscript, frame: CallContext) -> bool:
    return slice_.of(part.value, frame)


def _of_element(slice_: Slice[bool], element: ex.Element, frame: CallContext) -> bool:
    return slice_.of(element.iterable, frame)


def _of_attribute(slice_: Slice[bool], part: ex.Attribute, frame: CallContext) -> bool | None:
    if part.name in ("T", "mT", "H"):
        return slice_.of(part.value, frame)
    return said_of_attribute(slice_.context, part, frame.scope)


def _of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    context = slice_.context
    paths = set(library_callees(context, call))
    if paths & known.MAKERS:
        return is_on(call, default=paths <= known.PARAMETERS)
    if call.name == "requires_grad_":
        return is_on(call, default=True)
    found = _of_operation(slice_, call, paths, frame)
    if found is None:
        found = True if _is_network(context, call, frame) else None
    return found and not computed_without_gradients(context, call.span, call.scope)


def _of_operation(
    slice_: Slice[bool], call: ex.Call, paths: set[str], frame: CallContext
) -> bool | None:
    """A function or method of tensors that hands `requires_grad` on; None for any other call."""
    first = written(call, 0, "input")
    if paths & known.JOINING and first is not None:
        return any(slice_.of(*item) for item in listed_items(slice_.context, first, frame))
    if paths & known.KEEPING_FUNCTIONS and first is not None:
        return slice_.of(first, frame)
    callee = call.function
    of_object = all(map(is_method, paths)) and isinstance(callee, ex.Attribute)
    if of_object and call.name in known.KEEPING_METHODS:
        assert isinstance(callee, ex.Attribute)
        entered = any(True for _ in steps(slice_.context, call, frame))
        return None if entered else slice_.of(callee.value, frame)
    return None


def _is_network(context: AnalysisContext, call: ex.Call, frame: CallContext) -> bool:
    """Whether a call runs a network with weights that nothing in the project freezes."""
    values = context.solver.values(call.function, frame)
    if not values or not all(_has_weights(context, value) for value in values):
        return False
    return weights_learn(context)


def weights_learn(context: AnalysisContext) -> bool:
    """Whether nothing in the project freezes weights."""
    switched = calls_anywhere(context, "requires_grad_")
    written_to = (store.value for store in context.project.writing("requires_grad"))
    return all(is_on(call, default=True) for call in switched) and all(map(is_true, written_to))


def _has_weights(context: AnalysisContext, value: Value) -> bool:
    """Whether a value is a module of torch with weights, or one of the project that holds one."""
    if known.makes_network(library_path(value)) or _holds_layers(context, value):
        return True
    cls = attributes.project_class(value)
    if cls is None or known.NETWORK not in context.solver.classes.externals(cls):
        return False
    state = context[ObjectStates].of(cls)
    held = [inner for write in state.stores for inner in state.values(write)]
    return any(known.makes_network(library_path(inner)) for inner in held)


def _holds_layers(context: AnalysisContext, value: Value) -> bool:
    """Whether one of the layers that a `Sequential` is given has weights."""
    passed = context.solver.passed.get(value) if is_of_library(value) else None
    if library_path(value) not in known.CONTAINERS or passed is None:
        return False
    layers = (context.solver.values(a.value, frame) for a, frame in passed.arguments)
    return any(
        bool(found) and all(known.makes_network(library_path(layer)) for layer in found)
        for found in layers
    )


_QUESTION: Question[bool] = Question(
    False,
    _all,
    {
        ex.Reference: _of_reference,
        ex.Binary: _of_binary,
        ex.Unary: _of_unary,
        ex.Subscript: _of_subscript,
        ex.Element: _of_element,
        ex.Attribute: _of_attribute,
        ex.Call: _of_call,
    },
)
"""Whether a value certainly requires grad."""
