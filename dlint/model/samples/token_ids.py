"""Batches of token ids and other whole numbers: a few of them for each word, item or label.

Question: does a batch, or what is copied of it, certainly consist of what a tokenizer gives, or of
whole numbers, as networks take them that look them up in an embedding? Followed: the columns that
copies name, collate functions of transformers for language models, rows that a tokenizer was mapped
over, and what collate functions and `__getitem__` return: dicts by their keys, and tensors by the
type that they are made with, through lists that are filled and functions of the project. Bytes
(`uint8`) are pictures as likely as not. Budget: that of the slice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.volume.images import dtype_name
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import array_sizes
from dlint.library_facts import collation as known
from dlint.library_facts.sample_work import is_tokenizer
from dlint.library_facts.tensors import VIEWS
from dlint.model.data.token_rows import holds_tokens
from dlint.model.samples.collation import sample_sources
from dlint.model.samples.samples import collate_functions
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    Container,
    External,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer
    from dlint.semantics.calls.call_contexts import CallContext


def consists_of_ids(loader: Loader, copied: Iterable[Transfer]) -> bool:
    """Whether what copies take of a loader's batches are token ids and other whole numbers."""
    return _are_tokens(copied) or _has_text_collator(loader) or _of_rows(loader) or _made(loader)


def _are_tokens(copied: Iterable[Transfer]) -> bool:
    """Whether copies name each column that they take, and a tokenizer gave those."""
    columns = {_column(transfer.source) for transfer in copied}
    return known.IDS in columns and columns <= known.TOKEN_COLUMNS


def _column(source: ex.Expression) -> object:
    """The column of a batch that a value is, reshaped or converted at most."""
    part = ex.unnamed(source)
    while isinstance(part, ex.Call) and isinstance(part.function, ex.Attribute):
        if part.name in ("get", "pop"):
            return _text(written(part, 0, "key"))
        if part.name not in _KEEPING:
            return None
        part = ex.unnamed(part.function.value)
    if isinstance(part, ex.Attribute):
        return part.name
    return _text(part.index) if isinstance(part, ex.Subscript) else None


def _text(expression: ex.Expression | None) -> object:
    key = ex.constant(expression)
    return None if key is None else key.value


def _has_text_collator(loader: Loader) -> bool:
    """Whether a collate function of transformers for language models makes the batches."""
    values = loader.values("collate_fn")
    return bool(values) and all(library_path(v) in known.OF_TEXTS for v in values)


def _of_rows(loader: Loader) -> bool:
    """Whether samples are rows of token ids, stacked as they are."""
    given = loader.given("dataset")
    collators = loader.values("collate_fn") - {NONE}
    if given is None or not all(
        isinstance(c, External) and c.path in known.STACKING for c in collators
    ):
        return False
    return holds_tokens(loader.context, *given)


# -- what the project makes


def _made(loader: Loader) -> bool:
    """Whether what makes the batches, or else the samples, returns whole numbers alone."""
    makers, context = _makers(loader), loader.context
    if not makers or any(scope.yields or not scope.returns for scope in makers):
        return False
    slice_ = Slice(context, _WHOLE)
    return all(slice_.of(r, context.solver.root(scope)) for scope in makers for r in scope.returns)


def _makers(loader: Loader) -> list[Scope]:
    """The collate functions of the project, or where torch's own collates, who makes samples."""
    found = collate_functions(loader)
    if found != []:
        return found or []
    classes = [project_class(value) for value in sample_sources(loader)]
    method = loader.context.solver.classes.method
    getters = [None if c is None else method(c, "__getitem__") for c in classes]
    known_ones = [getter for getter in getters if getter is not None]
    return known_ones if len(known_ones) == len(getters) else []


_KEEPING = VIEWS | known.KEEPING_TYPE | set(array_sizes.CASTING_METHODS)
_WHOLE_TYPES = frozenset({"int64", "int32", "bool"})


def _of_constant(_: object, constant: ex.Constant, __: CallContext) -> bool:
    return isinstance(constant.value, int | str)


def _of_display(slice_: Slice[bool], display: ex.Sequence, frame: CallContext) -> bool:
    return bool(display.items) and all(slice_.of(item, frame) for item in display.items)


def _of_dict(slice_: Slice[bool], whole: ex.Mapping, frame: CallContext) -> bool:
    """By its keys, where it is what a tokenizer gives; by its values for all others."""
    items = [(_text(key), value) for key, value in whole.items]
    tokens = known.TOKENS if known.IDS in [key for key, _ in items] else frozenset[str]()
    return bool(items) and all(key in tokens or slice_.of(value, frame) for key, value in items)


def _of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    dtype = written(call, None, "dtype")
    if dtype is not None:
        return dtype_name(dtype) in _WHOLE_TYPES
    for path in library_callees(slice_.context, call):
        if path in array_sizes.TENSOR_TYPES:
            return array_sizes.TENSOR_TYPES[path] in _WHOLE_TYPES
        if path in known.OF_SAME_TYPE:
            first = written(call, 0)
            return first is not None and slice_.of(first, frame)
        if path in _NUMBERS:
            return True
    if _encodes(slice_, call, frame):
        return True
    if not isinstance(call.function, ex.Attribute) or call.name not in _KEEPING:
        return None
    if call.name in array_sizes.CASTING_METHODS:
        return array_sizes.CASTING_METHODS[call.name] in _WHOLE_TYPES
    return slice_.of(call.function.value, frame)


_NUMBERS = frozenset({"builtins.int", "builtins.len", "builtins.str", "builtins.bool"})


def _encodes(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool:
    """Whether a tokenizer is called, or asked to encode a text."""
    callee, solver = call.function, slice_.context.solver
    encodes = isinstance(callee, ex.Attribute) and callee.name in known.ENCODING
    owner = callee.value if encodes and isinstance(callee, ex.Attribute) else callee
    values = solver.values(owner, frame)
    return bool(values) and all(is_tokenizer(library_path(value)) for value in values)


def _of_part(
    slice_: Slice[bool], part: ex.Subscript | ex.Element, frame: CallContext
) -> bool | None:
    """An item of a list, by what may be put into it; a part of what holds whole numbers."""
    values = slice_.context.solver.values(part, frame)
    made = [_origin(value) for value in values]
    if made and all(origin is not None for origin in made):
        return slice_.joined(origin for origin in made if origin is not None)
    whole = part.value if isinstance(part, ex.Subscript) else part.iterable
    origin = ex.unnamed(whole)
    return True if isinstance(origin, ex.Call) and slice_.of(origin, frame) else None


def _origin(value: Value) -> tuple[ex.Expression, CallContext] | None:
    match value:
        case AllocationSite(call=call, frame=frame):
            return call, frame
        case Container(origin=ex.Sequence() | ex.Mapping() as display, frame=frame):
            return display, frame
    return None


def _of_attribute(slice_: Slice[bool], read: ex.Attribute, frame: CallContext) -> bool | None:
    """`encoded.input_ids` of what a tokenizer gave."""
    return slice_.of(read.value, frame) if read.name in known.TOKENS else None


_WHOLE: Question[bool] = Question(
    False,
    all,
    {
        ex.Constant: _of_constant,
        ex.Sequence: _of_display,
        ex.Mapping: _of_dict,
        ex.Call: _of_call,
        ex.Subscript: _of_part,
        ex.Element: _of_part,
        ex.Attribute: _of_attribute,
    },
)
"""Whether all tensors that a value holds are of whole numbers."""
