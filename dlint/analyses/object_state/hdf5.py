"""HDF5 handles: what selects a data set, and what reads one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses import repetition
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.analyses.object_state.file_data import Payload
    from dlint.semantics.calls.call_contexts import CallContext

_ANY = "?"
_WORD = lazily(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_INDEX = _words(
    "label labels target targets class classes cls id ids idx index indices indexes "
    "inds ind name names key keys len lens length lengths num nums count counts size "
    "sizes shape shapes split splits mean means std scale scales offset offsets time "
    "timestamp timestamps path paths file files filename filenames meta metadata attr "
    "attrs box boxes bbox bboxes ptr score scores weight weights year years gt answer "
    "answers caption captions vocab text tags"
)
"""Words of names under which files keep labels and indexes rather than payload."""


def is_index(key: str | None) -> bool:
    """Whether the name of a part of a file says that it is labels or an index."""
    return key is not None and any(w.lower() in _INDEX for w in _WORD.findall(key))


def item(payload: Payload, expression: ex.Subscript, frame: CallContext) -> Payload:
    """What `handle[index]` gives: a data set by its name, or the contents of one."""
    index = expression.index
    if _is_whole(index):
        return payload.read_at(expression, frame, whole=True)
    if isinstance(index, ex.Slice | ex.Sequence):
        return payload.read_at(expression, frame)
    if payload.key is not None and (_is_number(index) or repetition.counts(index)):
        return payload.read_at(expression, frame)
    return replace(payload, key=_name(index) or payload.key or _ANY)


def named(payload: Payload, call: ex.Call) -> Payload:
    """What `handle.get(name)` gives; other methods give the same data set again."""
    if call.name != "get" or not call.arguments:
        return payload
    return replace(payload, key=_name(call.arguments[0].value) or _ANY)


def _name(index: ex.Expression) -> str | None:
    return index.value if isinstance(index, ex.Constant) and isinstance(index.value, str) else None


def _is_number(index: ex.Expression) -> bool:
    return isinstance(index, ex.Constant) and isinstance(index.value, int)


def _is_whole(index: ex.Expression) -> bool:
    """`[:]`, `[()]`, `[...]` and `[:, :]`."""
    if isinstance(index, ex.Slice):
        return index.bounds == (None, None, None)
    if isinstance(index, ex.Sequence):
        return index.kind == "tuple" and all(_is_whole(part) for part in index.items)
    return isinstance(index, ex.Opaque) and not index.children
