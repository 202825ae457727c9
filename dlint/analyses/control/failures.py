"""Functions that a program never comes to: what calls them does not run.

Question: is a function called by nothing but code that does not run: behind `return` and its like,
under a constant test, or behind a statement of the main guard that certainly fails, because it
calls a name that nothing binds; or by calls alone whose arguments it does not take. Followed: calls
from function to function; functions that the main guard alone calls fail as it does. Given up on:
functions that nobody calls (others may), methods, and for failures modules with star imports,
notebooks, and functions that others call too. Budget:
the functions that lead to one; the blocks of each are looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.faults import cannot_enter, is_unbound
from dlint.analyses.control.path_tests import is_optional, is_under_main_guard, main_guards
from dlint.ir import walk
from dlint.ir.expressions import Call, Reference
from dlint.ir.module import Bind, Evaluate

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block, Scope, Statement


def is_out_of_reach(context: AnalysisContext, scope: Scope) -> bool:
    """Whether all calls that lead to a function stand in code that does not run."""
    return context[_Unreached].holds(scope)


class _Unreached:
    """Which functions nothing comes to, each asked once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Scope, bool] = {}
        self._dead: dict[Scope, frozenset[Statement]] = {}

    def holds(self, scope: Scope) -> bool:
        """Whether nothing comes to a function, or to the one that it is defined in."""
        function = walk.outermost(scope)
        if function.kind != "function":
            return False
        if function not in self._known:
            self._known[function] = self._is_left(function)
        return self._known[function]

    def _is_left(self, function: Scope) -> bool:
        waiting, seen = [function], {function}
        while waiting:
            entered = waiting.pop()
            callers = [
                (call, walk.outermost(call.scope)) for call in callers_of(self._context, entered)
            ]
            running = [outer for call, outer in callers if not self._is_idle(call, entered)]
            further = [outer for outer in dict.fromkeys(running) if outer not in seen]
            if len(running) == len(callers) and not further:
                return False
            if any(outer.kind != "function" for outer in further):
                return False
            seen.update(further)
            waiting += further
        return True

    def _is_idle(self, call: Call, entered: Scope) -> bool:
        """Whether a call stands in code that its own function or script never comes to, or fails
        before it enters a function.
        """
        if is_dead(call.statement) or call.statement in self._behind_failures(call.scope):
            return True
        return cannot_enter(self._context, call, entered)

    def _behind_failures(self, scope: Scope) -> frozenset[Statement]:
        """The statements of a script behind a call of a name that nobody has bound."""
        if scope not in self._dead:
            module = scope.module
            closed = module.star_imports or module.is_notebook
            blocks = () if closed else self._blocks_of_script(scope)
            self._dead[scope] = frozenset(s for block in blocks for s in _behind_failure(block))
        return self._dead[scope]

    def _blocks_of_script(self, scope: Scope) -> list[Block]:
        """The main guards of a module; a function's body, where they alone call it."""
        if scope.kind == "module":
            return main_guards(scope.module)
        callers = callers_of(self._context, scope)
        by_guard = all(
            c.scope.kind == "module" and is_under_main_guard(c.scope, c.span) for c in callers
        )
        return [scope.body] if callers and by_guard else []


def _behind_failure(block: Block) -> Iterator[Statement]:
    for later in dropwhile(lambda s: not _fails(s), block.statements):
        yield later
        yield from (s for inner in walk.blocks(later) for s in walk.statements(inner))


def _fails(statement: Statement) -> bool:
    """Whether a statement certainly calls a name that is bound nowhere in its module."""
    value = statement.value if isinstance(statement, Bind | Evaluate) else None
    calls = (p for p in ([] if value is None else walk.walk(value)) if isinstance(p, Call))
    return any(
        isinstance(call.function, Reference)
        and is_unbound(call.function, call.scope)
        and not is_optional(call)
        for call in calls
    )
