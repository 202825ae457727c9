"""Unpacked values: what one position of a tuple, of a row or of a result carries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.analyses.object_state.file_data import Guard, Payloads
from dlint.ir import expressions as ex
from dlint.semantics.calls.call_contexts import CallContext

if TYPE_CHECKING:
    from dlint.analyses.object_state.data_taint import DataTaint

Part = tuple[ex.Expression, CallContext]
_PROGRESS = frozenset({"tqdm", "track"})


def position(carriers: DataTaint, value: ex.Expression, index: int, frame: CallContext) -> Payloads:
    """The payload at one position of an unpacked value."""
    part = _part(carriers, value, index, frame)
    if part is not None:
        return frozenset(p for one, where in part for p in carriers.of(one, where))
    sources = list(_sources(carriers, value, frame))
    if sources:
        key = ("position", value, index, frame)
        return carriers.once(key, lambda: _of_sources(carriers, sources, index))
    found = carriers.of(value, frame)
    return frozenset(replace(p, packed=False) for p in found if not p.packed or index == 0)


def _of_sources(
    carriers: DataTaint, sources: list[tuple[Part, frozenset[Guard]]], index: int
) -> Payloads:
    return frozenset(
        replace(p, guards=p.guards | guards)
        for (source, where), guards in sources
        for p in position(carriers, source, index, where)
    )


def _sources(
    carriers: DataTaint, value: ex.Expression, frame: CallContext
) -> Iterator[tuple[Part, frozenset[Guard]]]:
    """What a value stands for, as far as its positions are told apart there."""
    match value:
        case ex.Reference() if value.definition is not None:
            yield (value.definition.value, frame), frozenset()
        case ex.Join():
            for alternative in value.alternatives:
                yield (alternative, frame), frozenset()
        case ex.Conditional():
            for side, truth in ((value.then, True), (value.otherwise, False)):
                yield (side, frame), frozenset({Guard(value.test, truth, frame)})
        case ex.Call():
            for entered in carriers.targets.entered(value, frame):
                for result in entered.scope.returns:
                    yield (result, entered), frozenset()


def _part(
    carriers: DataTaint, value: ex.Expression, index: int, frame: CallContext
) -> list[Part] | None:
    """The expressions that are one position of a display, or of a row of zip or enumerate."""
    if isinstance(value, ex.Item) and not value.starred:
        outer = _part(carriers, value.value, value.position, frame)
        if outer is None or len(outer) != 1:
            return None
        return _part(carriers, outer[0][0], index, outer[0][1])
    if isinstance(value, ex.Sequence):
        starred = any(isinstance(item, ex.Starred) for item in value.items)
        fits = -len(value.items) <= index < len(value.items)
        return [(value.items[index], frame)] if fits and not starred else None
    if isinstance(value, ex.Element) and isinstance(value.source, ex.Call):
        return _cell(carriers, value.source, index, frame)
    return None


def _cell(carriers: DataTaint, rows: ex.Call, index: int, frame: CallContext) -> list[Part] | None:
    """One position of the rows of `enumerate`, `zip` or `.items()`."""
    values = [a.value for a in rows.arguments if a.keyword is None and not a.star]
    if rows.name in _PROGRESS and values and isinstance(values[0], ex.Call):
        return _cell(carriers, values[0], index, frame)
    if rows.name == "items" and isinstance(rows.function, ex.Attribute):
        values = [rows.function.value]
    if rows.name in ("items", "enumerate"):
        if index == 0:
            return []
        index -= 1
    elif rows.name != "zip":
        return None
    return [(carriers.element_of(values[index]), frame)] if 0 <= index < len(values) else None
