"""Lightning's hyperparameters: what `self.hparams.name` holds after `save_hyperparameters()`.

Question: which arguments of a constructor does `save_hyperparameters` keep under a name? Followed:
calls in the `__init__` of the class and of its family: without arguments all parameters, with names
these, with `ignore=` all others, with one object that object's attributes. Given up on (Unknown):
names that are computed, more than one such object, and names that anybody writes to `hparams`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope
from dlint.ir.walk import bindings_of
from dlint.library_facts.frameworks import KEEPS_HYPERPARAMETERS
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.conditional_value import (
    Absent,
    ConditionalValue,
    ConditionalValues,
    merged,
)
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import UNKNOWN, Hyperparameters

ATTRIBUTE = "hparams"
_SAVE = "save_hyperparameters"


class _Kept(NamedTuple):
    """What one call keeps under a name: a value, or the object whose attribute it is."""

    value: ex.Expression
    frame: CallContext
    is_whole: bool = False


def are_kept(solver: Solver, cls: Class) -> bool:
    """Whether the objects of a class have what their constructors were given as `hparams`."""
    return not KEEPS_HYPERPARAMETERS.isdisjoint(solver.classes.externals(cls)) and any(
        True for _ in _saving(solver, cls)
    )


def attribute(solver: Solver, value: Hyperparameters, name: str, node: ConstraintNode) -> None:
    """What is kept under `name` flows into `node`; Unknown where nothing is."""
    found = _kept(solver, value.cls, name)
    for kept in found:
        held = solver.evaluate(kept.value, kept.frame)
        if kept.is_whole:
            solver.watch(held, lambda whole: solver.attribute(whole, name, node))
        else:
            solver.connect(held, node)
    if not found:
        solver.add(node, UNKNOWN)


def read(evaluator: Evaluator, value: Hyperparameters, name: str, depth: int) -> ConditionalValues:
    """What is kept under `name`, each value with its conditions."""
    found = _kept(evaluator.solver, value.cls, name)
    if not found:
        return [ConditionalValue(UNKNOWN)]
    alternatives = [(kept, a) for kept in found for a in _of(evaluator, kept, name, depth)]
    if len(found) == 1:
        return [a for _, a in alternatives]
    return merged(
        a.under({Condition((ATTRIBUTE, value.cls, name), kept.frame.scope)})
        for kept, a in alternatives
    )


def _of(evaluator: Evaluator, kept: _Kept, name: str, depth: int) -> ConditionalValues:
    if not kept.is_whole:
        return evaluator.of(kept.value, kept.frame, depth)
    return [
        a
        for whole in evaluator.of(kept.value, kept.frame, depth)
        if not isinstance(whole.value, Absent)
        for a in evaluator.held(whole.value, name, depth)
    ]


def _kept(solver: Solver, cls: Class, name: str) -> list[_Kept]:
    if any(_is_ours(store.target.value) for store in solver.project.writing(name)):
        return []
    return [kept for scope, call in _saving(solver, cls) for kept in _by(solver, scope, call, name)]


def _is_ours(expression: ex.Expression) -> bool:
    return isinstance(expression, ex.Attribute) and expression.name == ATTRIBUTE


def _saving(solver: Solver, cls: Class) -> Iterator[tuple[Scope, ex.Call]]:
    for member in solver.classes.family(cls):
        scope = member.methods.get("__init__")
        for call in () if scope is None else scope.calls:
            if scope is not None and call.name == _SAVE:
                yield scope, call


def _by(solver: Solver, scope: Scope, call: ex.Call, name: str) -> Iterator[_Kept]:
    frame = solver.root(scope)
    given = [a.value for a in call.arguments if a.keyword is None]
    names = {v.value for v in given if isinstance(v, ex.Constant) and isinstance(v.value, str)}
    if len(given) == 1 and not names:
        yield _Kept(given[0], frame, is_whole=True)
    elif len(names) == len(given) and (not names or name in names) and name not in _ignored(call):
        given_to = (d.value for d in bindings_of(scope, name) if isinstance(d.value, ex.Parameter))
        yield from (_Kept(value, frame) for value in given_to)


def _ignored(call: ex.Call) -> frozenset[object]:
    """The names that are left out, as far as they are written there."""
    value = next((a.value for a in call.arguments if a.keyword == "ignore"), None)
    items = value.items if isinstance(value, ex.Sequence) else (value,)
    return frozenset(i.value for i in items if isinstance(i, ex.Constant))
