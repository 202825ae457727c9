"""Data sets and samplers that go on for ever.

Question: does the `__iter__` of a class have a loop without an end, and does each run stay in it?
Such are loops whose test is always true, and those over `itertools.cycle` and its like. Given up
on: exceptions that no statement raises by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import certainly_calls
from dlint.analyses.control.completions import Completion, completions
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.semantics.values.values import Value


def is_endless(loader: Loader) -> bool:
    """Whether data set or sampler is a project class whose `__iter__` goes on forever."""
    for name in ("dataset", "sampler", "batch_sampler"):
        for value in loader.values(name):
            method = _iterating(loader.context, value)
            if method is not None and (never_ends(method) or _stays(loader.context, method)):
                return True
    return False


_ENDLESS = frozenset({"itertools.cycle", "itertools.count"})
_HANDING_ON = frozenset({"builtins.enumerate", "builtins.iter"})
_STAYING = frozenset({Completion.NEXT, Completion.CONTINUE})


def is_drawn_forever(loader: Loader) -> bool:
    """Whether a sampler of the project certainly draws the indices, and never stops."""
    context = loader.context
    given = [v for name in ("sampler", "batch_sampler") for v in loader.values(name) if v != NONE]
    methods = [_iterating(context, value) for value in given]
    return bool(methods) and all(m is not None and _stays(context, m) for m in methods)


def _iterating(context: AnalysisContext, value: Value) -> Scope | None:
    cls = attributes.project_class(value)
    return None if cls is None else context.solver.classes.method(cls, "__iter__")


def _stays(context: AnalysisContext, method: Scope) -> bool:
    """Whether each run comes to a loop without an end, and nothing leaves that."""
    loops = (s for s in walk.statements(method.body) if isinstance(s, Loop))
    return any(
        (_is_forever(loop) or _is_over_endless(context, loop))
        and completions(loop.body) <= _STAYING
        and always_runs(loop, method.body)
        for loop in loops
    )


def _is_over_endless(context: AnalysisContext, loop: Loop) -> bool:
    """Whether a loop goes through `itertools.cycle(…)`, also as it counts the rounds."""
    over = None if loop.iterable is None else ex.unnamed(loop.iterable)
    while isinstance(over, ex.Call) and certainly_calls(context, over, _HANDING_ON):
        over = next((ex.unnamed(one) for one in positional(over)), None)
    return isinstance(over, ex.Call) and certainly_calls(context, over, _ENDLESS)


def never_ends(method: Scope) -> bool:
    """Whether a function has a loop whose test is always true."""
    return any(map(_is_forever, walk.statements(method.body)))


def _is_forever(statement: object) -> bool:
    if not isinstance(statement, Loop):
        return False
    test = statement.test
    return isinstance(test, ex.Constant) and bool(test.value)
