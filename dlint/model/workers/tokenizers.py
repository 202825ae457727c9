"""Fast tokenizers, and whether a program says how many threads they are to use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.ir import expressions as ex
from dlint.library_facts.threads import ENCODING, PARALLELISM, makes_fast_tokenizer
from dlint.semantics.values.values import is_of_library, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def decides_on_parallelism(context: AnalysisContext) -> bool:
    """Whether a program names the variable that says whether tokenizers use threads."""
    word = PARALLELISM.encode()
    return any(context.project.holds(facts.module.path, word) for facts in context.modules)


def encodings(context: AnalysisContext) -> Iterator[ex.Call]:
    """The calls of fast tokenizers that encode."""
    texts = [f.module for f in context.modules]
    for module in texts if any(_speaks(context, m.path) for m in texts) else ():
        for scope in module.scopes:
            yield from (call for call in scope.calls if _encodes(context, call))


def _speaks(context: AnalysisContext, path: str) -> bool:
    holds = partial(context.project.holds, path)
    return holds(b"okenizer") and (holds(b"transformers") or holds(b"tokenizers"))


def _encodes(context: AnalysisContext, call: ex.Call) -> bool:
    callee = call.function
    if isinstance(callee, ex.Attribute) and callee.name in ENCODING:
        callee = callee.value
    values = context.values(callee, call.scope)
    return bool(values) and all(
        is_of_library(v) and makes_fast_tokenizer(library_path(v)) and not _is_slow(context, v.call)
        for v in values
    )


def _is_slow(context: AnalysisContext, made: ex.Call) -> bool:
    """`use_fast=False`, or what may be."""
    fast = bind(context, made, "name").get("use_fast")
    return fast is not None and not (isinstance(fast, ex.Constant) and fast.value is True)
