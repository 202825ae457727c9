"""Rows of Hugging Face data sets that hold token ids, and nothing large beside them.

Question: does a value certainly come of texts that a tokenizer was mapped over, with the columns
left out that it was made of? Followed: the steps of a backward slice, splits by key, methods that
leave rows as they are, further functions of `map` that only rearrange what they are given. Given up
on: casts of columns, functions that nobody knows or that speak of images or sound, other methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Question, Slice
from dlint.analyses.binding import bind
from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import arrow
from dlint.library_facts import sample_work as knowledge
from dlint.model.data.arrow_rows import is_split, is_tokenizer, tokenizes
from dlint.model.samples.sample_kinds import is_seen_or_heard
from dlint.model.samples.samples import callee_of
from dlint.semantics.values.values import is_of_library, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext
    from dlint.semantics.values.values import Value

_DEEP = 3


class _Rows(NamedTuple):
    """What is known of rows: that a tokenizer was mapped over them, and columns were left out."""

    tokenized: bool = False
    narrowed: bool = False


_Found = _Rows | None


def holds_tokens(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> bool:
    """Whether a data set gives rows of what a tokenizer made, without what it was made of."""
    words = context.project.words
    if any(words.holders(name.encode()) for name in arrow.TRANSFORMING | arrow.SETTING):
        return False
    return Slice(context, _QUESTION).of(expression, frame) == _Rows(tokenized=True, narrowed=True)


def _least(found: Sequence[_Found]) -> _Found:
    known = [rows for rows in found if rows is not None]
    if len(known) < len(found):
        return None
    return _Rows(all(r.tokenized for r in known), all(r.narrowed for r in known))


def _of_call(slice_: Slice[_Found], call: ex.Call, frame: CallContext) -> _Found:
    context, callee = slice_.context, call.function
    if set(library_callees(context, call)) & arrow.OPENING:
        return _Rows()
    if not isinstance(callee, ex.Attribute):
        return None
    before = slice_.of(callee.value, frame) if call.name in arrow.KEEPING | {"map"} else None
    if before is None:
        return None
    narrowed = before.narrowed or call.name in arrow.NARROWING
    if call.name != "map":
        return _Rows(before.tokenized, narrowed)
    functions = bind(context, call, "function").values("function")
    if not functions or not all(_only_rearranges(context, value) for value in functions):
        return None
    left_out = written(call, None, "remove_columns") is not None
    return _Rows(before.tokenized or tokenizes(context, call), narrowed or left_out)


def _only_rearranges(context: AnalysisContext, function: Value) -> bool:
    """Whether a function of `map` is a tokenizer, or is known and makes nothing of a picture."""
    if is_tokenizer(function):
        return True
    scope = callee_of(context, function)
    if scope is None:
        return False
    calls = [c for s in (scope, *entered_by(context, scope.calls, deep=_DEEP)) for c in s.calls]
    paths = [path for call in calls for path in library_callees(context, call)]
    if any(knowledge.verb(path) in ("read", "transformed") for path in paths):
        return False
    return not any(is_seen_or_heard(name) for call in calls for name in _names(context, call))


def _names(context: AnalysisContext, call: ex.Call) -> Iterator[str]:
    """The names of what is called: as it is written, and as a library calls what made it."""
    yield ex.dotted(call.function) or ""
    made = context.values(call.function, call.scope)
    paths = [library_path(value) for value in made if is_of_library(value)]
    yield from (path.partition(".")[2] for path in paths)  # `transformers` itself says nothing


def _of_subscript(slice_: Slice[_Found], split: ex.Subscript, frame: CallContext) -> _Found:
    return slice_.of(split.value, frame) if is_split(slice_.context, split, frame) else None


_QUESTION: Question[_Found] = Question(
    None, _least, {ex.Call: _of_call, ex.Subscript: _of_subscript}
)
"""What the rows of a data set hold."""
