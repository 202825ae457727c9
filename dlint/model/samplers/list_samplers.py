"""Samplers of the project that yield lists of indices, as a `batch_sampler` does.

Question: is everything that `__iter__` of a sampler class gives certainly a list of its own? The
lattice: one list, several lists, or nothing that is known. Followed: lists that are written out or
filled, slices, parts that `split` and its like make, what is picked at random, what generators of
the project yield, and what the slice follows. Given up on: other calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dlint.analyses.backward import Question, Slice, entered_by
from dlint.analyses.calls import certainly_calls
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.library_facts.samplers import PARTING, PICKING
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.values import Value

_LIST, _LISTS, _UNKNOWN = "a list", "lists", ""
_MAKING = frozenset({"list", "tuple", "sorted"})


def yields_lists(context: AnalysisContext, sampler: Value) -> bool:
    """Whether a sampler is of a class of the project whose `__iter__` gives lists alone."""
    cls = attributes.project_class(sampler)
    method = None if cls is None else context.solver.classes.method(cls, "__iter__")
    if method is None:
        return False
    kinds = _given_by(Slice(context, _KINDS), method, context.solver.root(method))
    return bool(kinds) and all(kind == _LISTS for kind in kinds)


def _given_by(slice_: Slice[str], method: Scope, frame: CallContext) -> list[str]:
    """What a function returns, or gives one by one."""
    kinds = [slice_.of(result, frame) for result in method.returns]
    for made in method.yields:
        kind = _UNKNOWN if made.value is None else slice_.of(made.value, frame)
        kinds.append(_LISTS if kind and not made.delegates else kind)
    return kinds


def _same(kinds: Sequence[str]) -> str:
    return kinds[0] if len(set(kinds)) == 1 else _UNKNOWN


def _of_display(slice_: Slice[str], display: ex.Sequence, frame: CallContext) -> str:
    if display.kind not in _MAKING:
        return _UNKNOWN
    kinds = {slice_.of(item, frame) for item in display.items}
    return _LISTS if kinds and _UNKNOWN not in kinds else _LIST


def _of_comprehension(slice_: Slice[str], made: ex.Comprehension, frame: CallContext) -> str:
    if made.kind != "list":
        return _UNKNOWN
    return _LIST if slice_.of(made.element, frame) == _UNKNOWN else _LISTS


def _of_call(slice_: Slice[str], call: ex.Call, frame: CallContext) -> str | None:
    callee, given = call.function, positional(call)
    if call.name in PARTING:
        return _LISTS
    if given and certainly_calls(slice_.context, call, PICKING):
        return slice_.of(given[0], frame) or _LIST
    if isinstance(callee, ex.Attribute) and call.name == "tolist":
        return slice_.of(callee.value, frame)
    if not isinstance(callee, ex.Reference) or call.name not in (*_MAKING, "iter"):
        return _of_generator(slice_, call, frame)
    return (slice_.of(given[0], frame) if given else _UNKNOWN) or _LIST


def _of_generator(slice_: Slice[str], call: ex.Call, frame: CallContext) -> str | None:
    """What a generator of the project gives; None for any other call."""
    entered = list(entered_by(slice_.context, call, frame))
    if not any(scope.yields for scope, _ in entered):
        return None
    return _same([kind for inner in entered for kind in _given_by(slice_, *inner)])


def _of_subscript(slice_: Slice[str], part: ex.Subscript, frame: CallContext) -> str:
    whole = slice_.of(part.value, frame)
    if isinstance(part.index, ex.Slice):
        return whole or _LIST
    return _LIST if whole == _LISTS else _UNKNOWN


def _of_element(slice_: Slice[str], part: ex.Element, frame: CallContext) -> str:
    return _LIST if slice_.of(part.iterable, frame) == _LISTS else _UNKNOWN


_TABLE: dict[type, Any] = {
    ex.Sequence: _of_display,
    ex.Comprehension: _of_comprehension,
    ex.Call: _of_call,
    ex.Subscript: _of_subscript,
    ex.Element: _of_element,
}
_KINDS: Question[str] = Question(_UNKNOWN, _same, _TABLE)
