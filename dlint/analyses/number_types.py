"""Which type the numbers of a tensor, an array or a picture have.

Question: is a value certainly made of `float32`, `int64`, …? Lattice: names of types, and `PICTURE`
for images of Pillow, below any other since no batch can be made of them; types that differ join to
None, which is not known. Followed: the steps of a backward slice, functions that make arrays or
convert them, views, transforms of torchvision. Given up on: arithmetic, and numbers of Python.
Budget: that of the slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.volume.arrays import Array
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.library_facts import number_types as known
from dlint.library_facts.array_sizes import DTYPE_NAMES, MAKERS
from dlint.library_facts.tensors import DTYPE_METHODS
from dlint.semantics.values.values import NONE, External, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

PICTURE = "picture"
Kind = str | None


def number_type(context: AnalysisContext, value: ex.Expression, frame: CallContext) -> Kind:
    """The type of a value's numbers, by its name in torch; None where it is not known."""
    found = Slice(context, _QUESTION).of(value, frame)
    return None if found == PICTURE else found


def asked_type(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Kind:
    """The type that a method converts to: `x.float()`, `x.to(torch.float32)`, `x.astype("f4")`."""
    if not isinstance(call.function, ex.Attribute):
        return None
    if call.name in DTYPE_METHODS and not call.arguments:
        return DTYPE_NAMES.get(call.name or "")
    given = written(call, 0, "dtype")
    is_told = call.name in known.CONVERTING and given is not None
    return _named(context, given, frame) if is_told and given is not None else None


def _named(context: AnalysisContext, given: ex.Expression, frame: CallContext) -> Kind:
    """The type that is asked for: `torch.float` has half of the bytes of `float` and `np.float`."""
    values = context.solver.values(given, frame)
    value = next(iter(values)) if len(values) == 1 else None
    if isinstance(value, Literal):
        return known.OF_PYTHON.get(str(value.value)) or DTYPE_NAMES.get(str(value.value))
    library, _, name = value.path.rpartition(".") if isinstance(value, External) else ("", "", "")
    own = None if library == "torch" else known.OF_PYTHON.get(name)
    return own or (DTYPE_NAMES.get(name) if library else None)


def _join(found: Sequence[Kind]) -> Kind:
    kinds = set(found) - {PICTURE} or set(found)
    return kinds.pop() if len(kinds) == 1 else None


def _of_call(slice_: Slice[Kind], call: ex.Call, frame: CallContext) -> Kind:
    paths = library_callees(slice_.context, call)
    if len(paths) == 1 and "()" not in paths[0]:
        return _of_library(slice_, paths[0], call, frame)
    asked = asked_type(slice_.context, call, frame)
    if asked is not None:
        return asked
    if isinstance(call.function, ex.Attribute) and call.name in known.KEEPING:
        return slice_.of(call.function.value, frame)
    return _transformed(slice_, call, frame)


def _of_library(slice_: Slice[Kind], path: str, call: ex.Call, frame: CallContext) -> Kind:
    if path in known.MAKING:
        return known.MAKING[path]
    given, first = written(call, None, "dtype"), next(iter(positional(call)), None)
    if given is not None:
        return (
            _named(slice_.context, given, frame) if path in known.TAKING or path in MAKERS else None
        )
    if path in MAKERS:
        return MAKERS[path].dtype
    return slice_.of(first, frame) if path in known.TAKING and first is not None else None


def _transformed(slice_: Slice[Kind], call: ex.Call, frame: CallContext) -> Kind:
    """What transforms of torchvision make of a picture, or of an array of bytes."""
    given = next(iter(positional(call)), None)
    values = slice_.context.solver.values(call.function, frame) - {NONE}
    if given is None or not values:
        return None
    if slice_.of(given, frame) not in (PICTURE, "uint8"):
        return None
    picture = Array((None, None, None), "uint8", is_image=True)
    made = slice_.context[DatasetSizes].sizes.transforms.any_of(frozenset(values), picture)
    if made is None:
        return None
    return PICTURE if made.is_image else made.dtype


_QUESTION: Question[Kind] = Question(None, _join, {ex.Call: _of_call})
"""The type of a value's numbers."""
