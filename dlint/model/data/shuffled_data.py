"""Data that is shuffled once, before a data set is made of it.

Question: was some of what a data set is made of put into a random order by scikit-learn? Followed:
names, parameters as calls give them, and what functions of the project return; no more than
`_MOST` expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import library_callees
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.samplers import DRAWN, SHUFFLED
from dlint.semantics.calls.call_contexts import CallContext

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader

_MOST = 60
"""How many expressions are followed."""


def comes_shuffled(loader: Loader) -> bool:
    """Whether some of what the dataset is made of was shuffled once, before it was kept."""
    given = loader.given("dataset")
    queue = [] if given is None else [given]
    seen: set[tuple[ex.Expression, CallContext]] = set()
    while queue and len(seen) < _MOST:
        found = queue.pop(0)
        if found in seen:
            continue
        seen.add(found)
        expression, frame = found
        for part in walk.walk(expression):
            if isinstance(part, ex.Call) and _shuffles(loader.context, part):
                return True
            queue += _behind(loader.context, part, frame)
    return False


def _shuffles(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a function of scikit-learn returns its data in a random order."""
    if bind(context, call).may_be("shuffle", False):
        return False
    paths = library_callees(context, call)
    return any(path in SHUFFLED or path.startswith(DRAWN) for path in paths)


def _behind(
    context: AnalysisContext, part: ex.Expression, frame: CallContext
) -> Iterator[tuple[ex.Expression, CallContext]]:
    """What a name is bound to, what a parameter is given, and what a function returns."""
    match part:
        case ex.Reference(definition=None):
            for definition in _free(context, part.name, frame.scope):
                yield definition.value, context.solver.root(definition.scope)
        case ex.Reference(definition=definition):
            if definition is not None:
                yield definition.value, frame
        case ex.Parameter():
            frames = [frame] if frame.call is not None else context.evaluator.callers(frame.scope)
            yield from (g for f in frames if (g := f.given(part.name)) is not None)
        case ex.Call():
            for scope in callees_of(context, part):
                root = context.solver.root(scope)
                yield from ((result, root) for result in scope.returns)


def _free(context: AnalysisContext, name: str, scope: Scope) -> list[ex.Definition]:
    """The definitions of a free name, in the next scope around that has some."""
    outer = scope.parent
    while outer is not None:
        found = list(context.solver.bindings(outer, name))
        if found:
            return found
        outer = outer.parent
    return []
