"""Keys: the texts under which a dict may hold something.

Question: which texts are all the keys of a dict? Followed: displays, comprehensions, `dict(a=…)`,
and items that the module which makes the dict writes under a key that is known. Given up on, with
None: keys that are no text or not known, and dicts that others are merged into.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_anywhere, library_callees
from dlint.ir import expressions as ex
from dlint.semantics.values.dict_layers import Spread, layers_of
from dlint.semantics.values.mutations import MERGING, mutation_of_call, mutation_of_store
from dlint.semantics.values.values import Container, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

_Located = tuple[ex.Expression, "CallContext"]
_PUTTING = (*MERGING, "setdefault")
_MAKING = frozenset({"builtins.dict", "collections.OrderedDict"})


def keys_of(context: AnalysisContext, made: Container) -> tuple[str, ...] | None:
    """The keys of a dict in the order of its making; None where one is not known."""
    shown = _shown(context, made)
    if shown is None or _is_merged_into(context, made):
        return None
    found: dict[str, None] = {}
    for key, frame in (*shown, *_written(context, made)):
        values = context.solver.values(key, frame)
        texts = [v.value for v in values if isinstance(v, Literal) and isinstance(v.value, str)]
        if not texts or len(texts) < len(values):
            return None
        found.update(dict.fromkeys(texts))
    return tuple(found)


def _shown(context: AnalysisContext, made: Container) -> list[_Located] | None:
    """The keys that the display, the comprehension or the call itself has."""
    origin = made.origin
    if isinstance(origin, ex.Comprehension):
        return None if origin.key is None else [(origin.key, made.frame)]
    if isinstance(origin, ex.Mapping):
        keys = [key for key, _ in origin.items]
        return [(key, made.frame) for key in keys if key is not None] if None not in keys else None
    if not isinstance(origin, ex.Call) or not set(library_callees(context, origin)) & _MAKING:
        return None
    layers = layers_of(made) or []
    if any(isinstance(layer, Spread) for layer in layers):
        return None
    spans = ((a.keyword, a.span) for a in origin.arguments)
    return [(ex.Constant(span, keyword), made.frame) for keyword, span in spans]


def _written(context: AnalysisContext, made: Container) -> Iterator[_Located]:
    """The keys under which the module that makes a dict writes to it."""
    facts = context.project.load(made.frame.scope.module.path)
    for store in () if facts is None else facts.stores_at(None):
        written = mutation_of_store(store)
        key = None if written is None else written.key
        if written and key and _may_be(context, written.target, store.scope, made):
            yield key, context.solver.root(store.scope)


def _is_merged_into(context: AnalysisContext, made: Container) -> bool:
    """Whether its module may put items into a dict otherwise."""
    module = made.frame.scope.module
    calls = (c for c in calls_anywhere(context, *_PUTTING) if c.scope.module is module)
    return any(
        _may_be(context, put.target, call.scope, made)
        for call in calls
        if (put := mutation_of_call(call)) is not None
    )


def _may_be(context: AnalysisContext, target: ex.Expression, scope: Scope, made: Container) -> bool:
    found = context.values(target, scope)
    return any(isinstance(v, Container) and v.origin is made.origin for v in found)
