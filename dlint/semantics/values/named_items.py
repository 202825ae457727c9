"""Items of dicts that are read as attributes: `Box({…}).size`, `SimpleNamespace(**d).size`.

Question: what does `x.name` hold where `x` is a dict whose items are attributes too? Followed: what
the dict was made with, by `mappings`. Given up on (None): attributes of that name that somebody
writes to it or to what nobody knows, `setattr` with that name or one that is not known. Linear in
these writes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import mappings
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValues
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import UNKNOWN, Container, Value


def read(
    evaluator: Evaluator,
    expression: ex.Attribute,
    frame: CallContext,
    bases: Collection[Value],
    depth: int,
) -> ConditionalValues | None:
    """What an attribute holds that is an item of a dict; None where that is not known."""
    if not bases or not all(isinstance(base, Container) for base in bases):
        return None
    if _is_written(evaluator.solver, bases, expression.name):
        return None
    found = mappings.item(evaluator, expression.value, frame, expression.name, depth)
    if all(a.value in (ABSENT, UNKNOWN) for a in found):
        return None
    return [replace(a, value=UNKNOWN) if a.value == ABSENT else a for a in found]


def _is_written(solver: Solver, bases: Collection[Value], name: str) -> bool:
    """Whether some code may write an attribute of one of the dicts, of whatever function it is."""
    made = {base.origin for base in bases if isinstance(base, Container)}
    return any(
        value == UNKNOWN or (isinstance(value, Container) and value.origin in made)
        for target, scope in _written(solver, name)
        for value in solver.values(target, solver.root(scope))
    )


def _written(solver: Solver, name: str) -> Iterator[tuple[ex.Expression, Scope]]:
    """The objects of which an attribute is written, by its name or by `setattr`."""
    for store in solver.project.writing(name):
        if isinstance(store.target, ex.Attribute):
            yield store.target.value, store.scope
    for facts in solver.project.naming("setattr"):
        for call in facts.calls_of("setattr"):
            given = [a.value for a in call.arguments if not (a.star or a.keyword)]
            key = ex.constant(given[1]) if len(given) > 1 else None
            if given and (key is None or key.value == name):
                yield given[0], call.scope
