"""References by path: names, imports and parameters, by the definitions and calls they stand for.

Question: what does a name hold, and when? Followed: one definition, those of an outer scope or of
another module, the argument of this call or of each call of the function; a default is assumed, for
a caller may pass another value. Given up on: `*args` and `**kwargs` as a whole. Bounded by the
evaluator's steps.
"""

from __future__ import annotations

from dataclasses import replace

from dlint.ir import expressions as ex
from dlint.ir.module import ParameterSpec, Scope
from dlint.semantics.calls import calls
from dlint.semantics.calls.binding import bound_to
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.calls.rebinding import Rebinding
from dlint.semantics.names.global_names import enclosing_frame
from dlint.semantics.names.replaced_functions import replaced_around, seen_globals
from dlint.semantics.values import mappings
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue, ConditionalValues
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluation, Evaluator
from dlint.semantics.values.values import UNKNOWN


def reference(
    evaluator: Evaluator, expression: ex.Reference, frame: CallContext, depth: int
) -> ConditionalValues:
    """A name: its definition, or those of an outer scope."""
    if expression.definition is not None:
        return evaluator.of(expression.definition.value, frame, depth)
    home = enclosing_frame(evaluator.solver, expression.name, frame)
    if home.scope.kind == "module" and (seen := _of_replaced(evaluator, expression.name, frame)):
        return _joined(evaluator, [(d, evaluator.solver.root(d.scope)) for d in seen], depth)
    found = tuple(evaluator.solver.bindings(home.scope, expression.name))
    if found and (home is not frame or home.scope.kind == "module"):
        return _any(evaluator, found, home, depth)
    return evaluator.flowing(expression, frame)


def _of_replaced(evaluator: Evaluator, name: str, frame: CallContext) -> list[ex.Definition]:
    """What a function that its module defines again sees of a global name; [] in another one."""
    facts = evaluator.solver.project.load(frame.scope.module.path)
    if facts is None or replaced_around(facts, frame.scope) is None:
        return []
    return seen_globals(facts, frame.scope, name)


def _any(
    evaluator: Evaluator, found: tuple[ex.Definition, ...], frame: CallContext, depth: int
) -> ConditionalValues:
    final = frame.scope.final.get(found[0].name) if frame.scope.kind == "module" else None
    rebound = [] if final is None else _rebound(evaluator, frame.scope, found[0].name)
    if final is not None and not rebound:
        return evaluator.of(final, frame, depth)
    ways = [(d, frame) for d in found] + [(d, evaluator.solver.root(d.scope)) for d in rebound]
    return _joined(evaluator, ways, depth)


def _joined(
    evaluator: Evaluator, ways: list[tuple[ex.Definition, CallContext]], depth: int
) -> ConditionalValues:
    """What several definitions of a name give, of which one holds."""
    return [a for d, at in ways for a in _one_of(evaluator.of(d.value, at, depth), d)]


def _rebound(evaluator: Evaluator, module: Scope, name: str) -> list[ex.Definition]:
    """The definitions of a module's name in functions that say `global name`."""
    facts = evaluator.solver.project.load(module.module.path)
    found = () if facts is None else facts.globals.get(name, ())
    return [definition for definition in found if definition.scope is not module]


def imported(
    evaluator: Evaluator, expression: ex.Imported, frame: CallContext, depth: int
) -> ConditionalValues:
    """A name of another module of the project, by its bindings there."""
    path = frame.scope.module.path
    target = evaluator.solver.project.imports.resolve(path, expression.module, expression.level)
    facts = None if target in {None, path} else evaluator.solver.project.load(target)
    if facts is not None and expression.name is not None:
        body = facts.module.body
        found = tuple(evaluator.solver.bindings(body, expression.name))
        if found:
            return _any(evaluator, found, evaluator.solver.root(body), depth)
    return evaluator.flowing(expression, frame)


def parameter(
    evaluator: Evaluator, expression: ex.Parameter, frame: CallContext, depth: int
) -> ConditionalValues:
    """A parameter: the argument of this call, or of each call of the function."""
    scope = frame.scope
    spec = next((s for s in scope.parameters if s.name == expression.name), None)
    if spec is None or spec.kind in ("star", "starstar"):
        return evaluator.flowing(expression, frame)
    if frame.call is not None:
        return _bound(evaluator, frame, spec, depth)
    if spec is scope.parameters[0] and calls.takes_receiver(scope):
        return evaluator.flowing(expression, frame)
    return _over_callers(evaluator, scope, spec, depth)


def _over_callers(
    evaluator: Evaluator, scope: Scope, spec: ParameterSpec, depth: int
) -> ConditionalValues:
    frames = evaluator.callers(scope)
    found = []
    for entered in frames:
        condition = Condition(("call", scope), entered.call)
        for alternative in _bound(evaluator, entered, spec, depth):
            found.append(alternative.under({condition}))
    found = found or _default(evaluator, scope, spec, depth)
    return [*found, ConditionalValue(UNKNOWN)] if evaluator.solver.project.is_cut_short else found


def _bound(
    evaluator: Evaluator, frame: CallContext, spec: ParameterSpec, depth: int
) -> ConditionalValues:
    """What one activation's parameter holds."""
    bound = bound_to(frame)
    assert bound is not None
    given = mappings.taken(evaluator, bound[spec.name], depth)
    return [
        b
        for a in given
        for b in (
            [
                replace(d, is_left=d.assumed == _assumed(spec)).under(a.path_condition)
                for d in _default(evaluator, frame.scope, spec, depth)
            ]
            if a.value == ABSENT
            else [a]
        )
    ]


def _default(
    evaluator: Evaluator, scope: Scope, spec: ParameterSpec, depth: int
) -> ConditionalValues:
    """A parameter's default: assumed, for a caller may pass another value."""
    if spec.default is None or evaluator.solver[Rebinding].fills_in(scope):
        return [ConditionalValue(UNKNOWN)]
    outer = scope.owner.body if scope.owner is not None else scope.parent or scope
    found = evaluator.of(spec.default, evaluator.solver.root(outer), depth)
    return [replace(a, assumed=a.assumed or _assumed(spec)) for a in found]


def _assumed(spec: ParameterSpec) -> str:
    return f"default of parameter `{spec.name}`"


def _one_of(found: ConditionalValues, which: ex.Definition) -> ConditionalValues:
    """Alternatives of which nothing says when they hold."""
    condition = Condition(("one of", which.scope, which.name), which)
    return [a.under({condition}) for a in found]


EXPRESSIONS: dict[type, Evaluation] = {
    ex.Reference: reference,
    ex.Imported: imported,
    ex.Parameter: parameter,
}
"""How references are evaluated."""
