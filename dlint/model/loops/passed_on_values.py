"""Values of a loop that a function which each round calls puts into a list.

Question: which arguments of a call does the function of the project that it enters append, as they
are, to a list that outlives the call: of an attribute of its object, or of another argument?
Followed: one call deep, keyword arguments that are gone through with `.items()` too. Given up on:
what a test decides over, and lists that something which the loop calls empties or writes anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import entered_by
from dlint.analyses.callees import is_self
from dlint.analyses.control.path_tests import runs_each_round
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.growing_values import appended, holder_of, is_list
from dlint.model.loops.lasting_targets import is_renewed_attribute
from dlint.semantics.calls.binding import bound_to

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Statement
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.semantics.calls.call_contexts import CallContext


class PassedOn(NamedTuple):
    """An argument that a call in a loop is given, and what of the function is appended for it."""

    given: ex.Expression
    value: ex.Expression
    scope: Scope


def passed_on(
    loop: BatchLoop, behind: Callable[[ex.Expression], ex.Expression]
) -> Iterator[PassedOn]:
    """The arguments that functions which each round calls keep as they are, or `behind` views."""
    context, body = loop.context, loop.body
    for call in () if body is None else calls_in(body):
        if not isinstance(loop.statement, Loop) or not runs_each_round(call, loop.statement):
            continue
        for scope, frame in entered_by(context, call, context.solver.root(loop.scope)):
            for statement in walk.statements(scope.body):
                for kept, value in appended(statement):
                    if _outlives(context, kept, statement, scope, loop):
                        given = _arguments(frame, behind(value))
                        yield from (PassedOn(each, value, scope) for each in given)


def _arguments(frame: CallContext, value: ex.Expression) -> Iterator[ex.Expression]:
    """What a call gives to the parameter that a value is, or goes through."""
    origin = origin_of(value)
    if isinstance(origin, ex.Item) and origin.position == 1:
        rows = origin_of(origin.value)
        found = ex.mapping_of(rows.source, "items") if isinstance(rows, ex.Element) else None
        origin = origin if found is None else origin_of(found)
    elif isinstance(origin, ex.Element):
        origin = origin_of(origin.source)
    if not isinstance(origin, ex.Parameter):
        return
    spec = next((s for s in frame.scope.parameters if s.name == origin.name), None)
    if spec is None or spec.kind == "star":
        return
    if spec.kind == "starstar":
        bound = bound_to(frame)
        yield from (a.value for a, _ in (() if bound is None else bound.var_keyword))
    elif (given := frame.given(spec.name)) is not None:
        yield given[0]


def _outlives(
    context: AnalysisContext,
    kept: ex.Expression,
    statement: Statement,
    scope: Scope,
    loop: BatchLoop,
) -> bool:
    """Whether a list is an attribute that nothing which the loop calls empties."""
    if any(walk.tests(statement)) or not is_list(context, kept, scope):
        return False
    root = holder_of(kept)
    if not isinstance(root, ex.Attribute) or not is_self(root.value, scope) or loop.body is None:
        return False
    return not is_renewed_attribute(root.name, statement, scope, loop)
