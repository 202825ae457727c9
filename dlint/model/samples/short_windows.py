"""Windows of a stored sequence that end behind its last row, so that the last samples are shorter.

Question: does each index begin a window of a known width, `self.rows[index:index + width]`, and
does the data set count one for each row, so that the last windows are cut off? Followed: an
attribute that is certainly an array or a list, bounds that are sums of the index and of numbers,
conversions of the window. Given up on: methods that test anything, windows of which the width is
not known or less than three, for then no batch needs to hold two unequal ones, and loaders that may
leave the last samples out: by a sampler, a part of the data, or a last batch that is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import own_attribute
from dlint.analyses.calls import is_call_to
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, Return, Scope
from dlint.library_facts import collation as known
from dlint.model.data.datasets import dataset_classes
from dlint.model.loops.loop_limits import most_batches
from dlint.model.samplers.index_order import makes_sampler
from dlint.model.samples.collation import makes_large_batches
from dlint.model.samples.kept_arrays import keeps_arrays
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader

_NARROWEST = 3
_PLAIN = (Bind, Evaluate, Return)


class ShortWindow(NamedTuple):
    """Where the length is given, and where the window is taken of which attribute."""

    length: Place
    place: Place
    attribute: str


def short_window(loader: Loader, cls: Class) -> ShortWindow | None:
    """The first window of a sample that is cut off at the end; None where there is none."""
    if not _reads_all(loader, cls) or not makes_large_batches(loader):
        return None
    dataset = next((d for d in loader.context[dataset_classes] if d.cls is cls), None)
    method = loader.context.solver.classes.method
    length, getter = method(cls, "__len__"), method(cls, "__getitem__")
    if dataset is None or length is None or getter is None or len(getter.parameters) != 2:
        return None
    attribute = _counted(loader.context, length)
    if attribute is None or keeps_arrays(dataset, attribute) is None or not _is_plain(getter):
        return None
    for window in _windows(loader.context, getter, attribute):
        if _is_wide(dataset, window, getter):
            at = Place(length.module.path, *length.returns[0].span)
            return ShortWindow(at, Place(getter.module.path, *window.span), attribute)
    return None


def _reads_all(loader: Loader, cls: Class) -> bool:
    """Whether a loader certainly goes through each sample of an object of just this class."""
    values = loader.values("dataset") - {NONE}
    is_whole = bool(values) and all(attributes.project_class(v) is cls for v in values)
    shuffles = [a.truth is True for a in loader.argument("shuffle")]
    keeps_last = loader.is_off("drop_last") or (bool(shuffles) and all(shuffles))
    if not is_whole or not keeps_last or not makes_sampler(loader):
        return False
    return loader.is_iterated and all(most_batches(loop) is None for loop in loader.loops)


def _counted(context: AnalysisContext, length: Scope) -> str | None:
    """The attribute of which `__len__` gives the length: `len(self.rows)`, `self.rows.shape[0]`."""
    result = ex.unnamed(length.returns[0]) if len(length.returns) == 1 else None
    counted: ex.Expression | None = None
    if isinstance(result, ex.Call) and is_call_to(context, result, {"builtins.len"}):
        counted = written(result, 0)
    elif isinstance(result, ex.Subscript) and _is_number(result.index, 0):
        shape = ex.unnamed(result.value)
        is_shape = isinstance(shape, ex.Attribute) and shape.name == "shape"
        counted = shape.value if is_shape and isinstance(shape, ex.Attribute) else None
    return None if counted is None else own_attribute(ex.unnamed(counted), length)


def _is_plain(getter: Scope) -> bool:
    """Whether a method does one thing after the other, and returns once."""
    plain = all(isinstance(statement, _PLAIN) for statement in walk.statements(getter.body))
    return plain and len(getter.returns) == 1


def _windows(context: AnalysisContext, getter: Scope, attribute: str) -> Iterator[ex.Subscript]:
    """The parts of a sample that are rows of the attribute, perhaps converted."""
    waiting = [getter.returns[0]]
    while waiting:
        part = ex.unnamed(waiting.pop(0))
        match part:
            case ex.Sequence():
                waiting = [*part.items, *waiting]
            case ex.Mapping():
                waiting = [*(value for _, value in part.items), *waiting]
            case ex.Call():
                waiting = [*_converted(context, part), *waiting]
            case ex.Subscript() if own_attribute(ex.unnamed(part.value), getter) == attribute:
                yield part


def _converted(context: AnalysisContext, call: ex.Call) -> list[ex.Expression]:
    """What a call makes an array of as many rows of."""
    if is_call_to(context, call, known.CONVERTING):
        first = written(call, 0)
        return [] if first is None else [first]
    callee = call.function
    keeps = isinstance(callee, ex.Attribute) and callee.name in _KEEPING
    return [callee.value] if keeps and isinstance(callee, ex.Attribute) else []


def _is_wide(dataset: DatasetClass, window: ex.Subscript, getter: Scope) -> bool:
    """Whether it begins with the row of the index and holds several rows after it."""
    index = ex.unnamed(window.index)
    if isinstance(index, ex.Sequence) and index.kind == "tuple" and index.items:
        index = ex.unnamed(index.items[0])
    if not isinstance(index, ex.Slice):
        return False
    lower, upper, step = index.bounds
    if lower is None or upper is None or step is not None or not _is_index(lower, getter):
        return False
    width = _beyond(dataset, upper, getter)
    return width is not None and width >= _NARROWEST


def _beyond(dataset: DatasetClass, bound: ex.Expression, getter: Scope) -> float | None:
    """How far a sum certainly is beyond the index; None where it is none of these."""
    total = ex.unnamed(bound)
    if _is_index(total, getter):
        return 0
    if not isinstance(total, ex.Binary) or total.operator != "+":
        return None
    sizes = dataset.context[DatasetSizes].sizes
    frame = sizes.frame(getter, dataset.cls)
    for one, other in ((total.left, total.right), (total.right, total.left)):
        begun = _beyond(dataset, one, getter)
        added = None if begun is None else sizes.number(other, frame)
        if begun is not None and added is not None:
            return begun + added.low
    return None


def _is_index(part: ex.Expression, getter: Scope) -> bool:
    part = ex.unnamed(part)
    return isinstance(part, ex.Parameter) and part.name == getter.parameters[1].name


def _is_number(part: ex.Expression, number: int) -> bool:
    constant = ex.constant(part)
    return constant is not None and constant.value == number


_KEEPING = known.KEEPING_ROWS - {"reshape", "view"}
