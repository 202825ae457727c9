"""Results on the device: what a round computes of a batch that it has copied there.

Question: is a tensor certainly on the device that batches are copied to, so that a read of it waits
for the device? Followed: names, methods of tensors, functions of torch, operators, of which one
side at least is such a tensor (`pred.eq(labels)`, too): torch computes with tensors of one device
only; and functions of the project that return what they compute so of a parameter. Given up on:
what models make of a batch, and functions that such functions call. Budget: `_MOST` expressions,
for a result and a function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import is_method, library_callees
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.model.loading.loaders import Loaders

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_MOST = 60
_TORCH = "torch."
_SHARING = frozenset({"data", "T", "mT"})
"""Attributes of a tensor that are tensors beside it."""
_LEAVING = tensors.FETCHES | tensors.COPIES | {"size", "dim", "numel", "element_size", "stride"}
"""Methods of a tensor that give no tensor, or one that may be elsewhere."""


def is_computed_there(context: AnalysisContext, result: ex.Expression) -> bool:
    """Whether a tensor is computed of batches that were copied, and is none of them itself."""
    copies = context[copying_calls]
    if ex.unnamed(result) in copies:
        return False
    waiting, seen = [result], set[ex.Expression]()
    while waiting and len(seen) < _MOST:
        part = waiting.pop()
        if part in copies:
            return True
        if part not in seen:
            seen.add(part)
            waiting += _operands(context, part) or _handed_in(context, part)
    return False


def _handed_in(context: AnalysisContext, part: ex.Expression) -> list[ex.Expression]:
    """What a function of the project is handed of which all that it returns is computed."""
    callees = list(callees_of(context, part)) if isinstance(part, ex.Call) else []
    if not isinstance(part, ex.Call) or len(callees) != 1 or callees[0].yields:
        return []
    used = [_parameters_behind(context, result) for result in callees[0].returns]
    bound = bind(context, part)
    given = (bound.get(name) for name in (sorted(set.intersection(*used)) if used else ()))
    return [one for one in given if one is not None]


def _parameters_behind(context: AnalysisContext, result: ex.Expression) -> set[str]:
    """The parameters of its function whose device a result has."""
    waiting, seen = [result], set[ex.Expression]()
    while waiting and len(seen) < _MOST:
        part = waiting.pop()
        if part not in seen:
            seen.add(part)
            waiting += _operands(context, part)
    return {part.name for part in seen if isinstance(part, ex.Parameter)}


def is_computed_of_given(context: AnalysisContext, result: ex.Expression, call: ex.Call) -> bool:
    """Whether a tensor of the function that a call enters is computed of what lies on the device
    and the call hands over: a batch that was copied, or what is computed of one."""
    is_given = isinstance(ex.unnamed(result), ex.Parameter)
    return not is_given and lies_there_in(context, result, call)


def lies_there(context: AnalysisContext, tensor: ex.Expression) -> bool:
    """Whether a tensor is a batch that was copied to the device, or is computed of one."""
    return ex.unnamed(tensor) in context[copying_calls] or is_computed_there(context, tensor)


def lies_there_in(context: AnalysisContext, tensor: ex.Expression, call: ex.Call) -> bool:
    """Whether a tensor of the function that a call enters lies where one lies that it is given."""
    bound = bind(context, call)
    given = (bound.get(name) for name in sorted(_parameters_behind(context, tensor)))
    return any(lies_there(context, one) for one in given if one is not None)


def copying_calls(context: AnalysisContext) -> frozenset[ex.Expression]:
    """The calls that copy batches to an accelerator."""
    return frozenset(t.call for t in context[Loaders].transfers if t.may_reach_cuda)


def _operands(context: AnalysisContext, part: ex.Expression) -> list[ex.Expression]:
    """What an expression has its device of, if it is a tensor."""
    match part:
        case ex.Reference():
            return [] if part.definition is None else [part.definition.value]
        case ex.Item() if ex.unpacked(part) is not part:
            return [ex.unpacked(part)]
        case ex.Item() | ex.Subscript():
            return [part.value]
        case ex.Binary() | ex.Comparison():
            return [part.left, part.right]
        case ex.Unary():
            return [part.operand]
        case ex.Comprehension(element=ex.Conditional() as either):
            return [either.then, either.otherwise]
        case ex.Comprehension():
            return [part.element]
        case ex.Attribute() if part.name in _SHARING:
            return [part.value]
        case ex.Call() if part.name not in _LEAVING:
            paths = library_callees(context, part)
            if any(path.startswith(_TORCH) and not is_method(path) for path in paths):
                return [argument.value for argument in part.arguments]
            if isinstance(part.function, ex.Attribute) and not any(callees_of(context, part)):
                beside = part.arguments if part.name in tensors.PAIRING else ()
                return [part.function.value, *(argument.value for argument in beside)]
    return []
