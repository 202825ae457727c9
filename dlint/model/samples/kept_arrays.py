"""What an attribute of a data set keeps: an array, or a list, perhaps of arrays.

Question: does the constructor certainly make an array or a tensor of it, or a list of objects, and
of arrays alone? Followed: what `backward_views.is_array` follows, displays and comprehensions, and
what the constructor adds to a list. Given up on: memory maps, attributes that are written in more
than one way, and lists that take in whole lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.backward_views import is_array
from dlint.analyses.callees import Function, is_self
from dlint.analyses.calls import is_method, library_callees
from dlint.analyses.value_parts import parts_in_function
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import mutations as known
from dlint.model.samples.array_rows import OF_ITS_KIND
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.object_state.writes import Write
    from dlint.model.data.datasets import DatasetClass
    from dlint.semantics.calls.call_contexts import CallContext

Located = tuple[ex.Expression, "CallContext"]


def keeps_arrays(dataset: DatasetClass, attribute: str) -> bool | None:
    """Whether an attribute keeps an array or tensor, or a list of objects; None if not known."""
    written = dataset.state.written_to(attribute)
    stored = [(w, _kind_of(dataset, w.value, w.frame)) for w in written]
    kinds = {k for w, k in stored if k is not None or not _is_rearranged(dataset, w, attribute)}
    return kinds.pop() if len(kinds) == 1 else None


def _is_rearranged(dataset: DatasetClass, write: Write, attribute: str) -> bool:
    """Whether a function of the project makes what is kept next of what is kept already."""
    made = write.value.value if isinstance(write.value, ex.Item) else write.value
    if not isinstance(made, ex.Call):
        return False
    targets = dataset.state.targets.of(made.function, write.frame)
    kept = (
        isinstance(part, ex.Attribute)
        and part.name == attribute
        and is_self(part.value, write.frame.scope)
        for part in parts_in_function(made)
    )
    return bool(targets) and all(isinstance(t, Function) for t in targets) and any(kept)


def _kind_of(dataset: DatasetClass, value: ex.Expression, frame: CallContext) -> bool | None:
    found = _kind(dataset, value, frame)
    return True if found is None and is_array(dataset.context, value, frame) else found


def _kind(dataset: DatasetClass, value: ex.Expression, frame: CallContext) -> bool | None:
    value = ex.unnamed(ex.unpacked(ex.unnamed(value)))
    if isinstance(value, ex.Sequence | ex.Comprehension) or _is_list_by_type(value, frame):
        return False
    if not isinstance(value, ex.Call):
        return None
    if written(value, None, "mmap") is not None or written(value, 1, "mmap_mode") is not None:
        return None
    targets = dataset.state.targets.of(value.function, frame)
    if not targets and isinstance(value.function, ex.Attribute) and value.name in known.OF_TENSORS:
        return True
    paths = [target.path for target in targets if isinstance(target, External)]
    if not targets and isinstance(value.function, ex.Attribute) and value.name in OF_ITS_KIND:
        return _kind_of(dataset, value.function.value, frame) or None
    if not paths or len(paths) != len(targets):
        return None
    if all(path in known.RECORDS for path in paths):
        return False
    arrays = all(path.startswith(known.ARRAYS) and path not in known.NO_ARRAYS for path in paths)
    return True if arrays else None


def holds_items(dataset: DatasetClass, attribute: str) -> bool:
    """Whether an attribute keeps what a file held, or a part of it, so that its items lie there."""
    stored = dataset.state.written_to(attribute)
    return bool(stored) and all(_is_held(dataset, w.value, w.frame) for w in stored)


def _is_held(dataset: DatasetClass, value: ex.Expression, frame: CallContext) -> bool:
    """Whether it is what a reader gives, or stands there under a key: `torch.load(f)["rows"]`."""
    part = ex.unnamed(ex.unpacked(ex.unnamed(value)))
    while isinstance(part, ex.Subscript) and ex.constant(part.index) is not None:
        part = ex.unnamed(part.value)
    targets = dataset.state.targets.of(part.function, frame) if isinstance(part, ex.Call) else []
    return bool(targets) and all(
        isinstance(target, External) and target.path in known.HELD_WHOLE for target in targets
    )


def keeps_tensors(dataset: DatasetClass, attribute: str) -> bool:
    """Whether an attribute certainly keeps a tensor, of which each row shares the memory."""
    stored = dataset.state.written_to(attribute)
    slice_ = Slice(dataset.context, _TENSORS)
    return bool(stored) and all(slice_.of(write.value, write.frame) for write in stored)


def _makes_tensor(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    paths = [path for path in library_callees(slice_.context, call) if not is_method(path)]
    if paths:
        return known.TENSORS.issuperset(paths)
    if not isinstance(call.function, ex.Attribute):
        return None
    if call.name in known.OF_TENSORS:
        return True
    return slice_.of(call.function.value, frame) if call.name in OF_ITS_KIND else None


_TENSORS: Question[bool] = Question(False, all, {ex.Call: _makes_tensor})
"""Whether a value is a tensor of torch, on every path."""


def _is_list_by_type(value: ex.Expression, frame: CallContext) -> bool:
    """Whether a parameter is a list, by its annotation: `rows: list[dict]`."""
    name = value.name if isinstance(value, ex.Parameter) else None
    spec = next((s for s in frame.scope.parameters if s.name == name), None)
    typed = None if spec is None else spec.annotation
    whole = typed.value if isinstance(typed, ex.Subscript) else typed
    return isinstance(whole, ex.Reference | ex.Attribute) and whole.own_name in ("list", "List")


def lists_arrays(dataset: DatasetClass, attribute: str) -> bool:
    """Whether an attribute keeps a list of which every element is an array or a tensor."""
    if keeps_arrays(dataset, attribute) is not False:
        return False
    elements = list(_elements(dataset, attribute))
    return bool(elements) and all(_kind_of(dataset, *element) for element in elements)


def _elements(dataset: DatasetClass, attribute: str) -> Iterator[Located]:
    for write in dataset.state.writes:
        if write.attribute != attribute or write.of_class:
            continue
        made = ex.unpacked(ex.unnamed(write.value))
        if write.inside:
            yield write.value, write.frame
        elif isinstance(made, ex.Comprehension):
            yield made.element, write.frame
        elif isinstance(made, ex.Sequence):
            yield from ((item, write.frame) for item in made.items)
