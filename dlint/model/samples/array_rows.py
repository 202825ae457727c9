"""Rows of arrays that are arrays themselves, not numbers, by how code uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dlint.analyses.backward import Question, Slice
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.library_facts import mutations as known
from dlint.library_facts.weights import ELEMENTWISE
from dlint.model.workers.worker_code import parts_of

if TYPE_CHECKING:
    from dlint.ir.module import Scope
    from dlint.model.data.datasets import DatasetClass
    from dlint.semantics.calls.call_contexts import CallContext

_SHAPED = known.ARITHMETIC | {"shape", "T", "transpose", "permute", "reshape", "view", "ndim"}
_TAKING_ARRAYS = frozenset({"from_numpy", "fromarray"})
_TAKING_BOTH = frozenset({"as_tensor"})

OF_ITS_KIND = frozenset({"astype", "copy", "clone", "contiguous", "float", "double", "half"})
"""Methods by which an array stays one, and a number a number."""


def array_uses(scope: Scope, *, numbers: bool = True) -> Iterator[ex.Expression]:
    """What the code of a function uses as an array: `torch.from_numpy(x)`, `x.shape`, `x[0]`.

    Without `numbers`, what takes them as well does not count (`torch.as_tensor`).
    """
    taking = _TAKING_ARRAYS | _TAKING_BOTH if numbers else _TAKING_ARRAYS
    for part in parts_of(scope):
        if isinstance(part, ex.Subscript) or (
            isinstance(part, ex.Attribute) and part.name in _SHAPED
        ):
            yield part.value
        elif isinstance(part, ex.Call) and part.name in taking:
            yield from (argument.value for argument in part.arguments)


def is_array_row(dataset: DatasetClass, taken: ex.Subscript) -> bool:
    """Whether `__getitem__` uses as an array what it computes, entry by entry, of a row it takes.

    Followed are functions of the project, arithmetic, and functions of libraries that work on each
    entry: none of them makes an array of a number.
    """
    context = dataset.context
    method = context.solver.classes.method(dataset.cls, "__getitem__")
    if method is None:
        return False

    def of_subscript(_: object, part: ex.Subscript, __: CallContext) -> bool | None:
        return True if part is taken else None

    table: dict[type, Callable[[Slice[bool], Any, CallContext], bool | None]] = {
        ex.Subscript: of_subscript,
        ex.Binary: _of_sides,
        ex.Call: _of_operands,
    }
    slice_ = Slice(context, Question(False, any, table))
    root = context.solver.root(method)
    return any(slice_.of(used, root) for used in array_uses(method, numbers=False))


def _of_sides(slice_: Slice[bool], binary: ex.Binary, frame: CallContext) -> bool:
    return any(slice_.of(side, frame) for side in (binary.left, binary.right))


def _of_operands(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    if call.name not in ELEMENTWISE | OF_ITS_KIND:
        return None
    operands: Sequence[ex.Expression] = positional(call)[:1]
    if isinstance(call.function, ex.Attribute):
        operands = [call.function.value, *operands]
    return any(slice_.of(operand, frame) for operand in operands)
