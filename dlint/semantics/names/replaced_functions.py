"""What functions see of their module that it defines again further down, as notebooks often do.

Question: which bindings of a module's name can a function read whose own name the module binds
again? It runs before that at most, so those that reach its definition, or a later statement of the
module's body that uses a function or class of its own, up to there. Followed: functions of the
module's body, what is nested in them included. Given up on: methods, whose objects may outlive
their class's name. Linear in the module, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Bind, Define, ModuleIndex, Scope
from dlint.ir.walk import bindings_of

if TYPE_CHECKING:
    from dlint.semantics.project import Facts

Interval = tuple[int, int]
"""Offsets in the module: of a function's definition, and of the last place that may run it."""


def seen_globals(facts: Facts, reader: Scope, name: str) -> list[ex.Definition]:
    """The bindings of a module's name that a scope of it may read."""
    lasting: list[ex.Definition] = facts.globals.get(name, [])
    home = _home(reader)
    life = None if home is None else facts[_replaced].get(home)
    if life is None:
        return lasting
    begun, ended = life
    own = [d for d in bindings_of(facts.module.body, name) if d.span[0] <= ended]
    before = (d.span[0] for d in own if d in facts[_certain] and d.span[0] < begun)
    overwritten = max(before, default=0)
    found = [d for d in own if d.span[0] >= overwritten]
    return [*found, *(d for d in lasting if d.scope.kind != "module")] if found else lasting


def replaced_around(facts: Facts, reader: Scope) -> Scope | None:
    """The function around a scope that the module defines again; None where there is none."""
    home = _home(reader)
    return home if home in facts[_replaced] else None


def _home(scope: Scope) -> Scope | None:
    """The function of the module's body that a scope lies in, or is."""
    top = walk.outermost(scope)
    return top if top.kind == "function" else None


def _certain(facts: Facts) -> frozenset[ex.Definition]:
    """What a module binds whenever it runs."""
    return frozenset(_bound(facts.module))


def _bound(module: ModuleIndex) -> Iterator[ex.Definition]:
    for statement in module.body.body.statements:
        if isinstance(statement, Bind | Define):
            yield from statement.definitions


def _replaced(facts: Facts) -> Mapping[Scope, Interval]:
    """The functions of a module's body that it certainly binds again, and when they may run."""
    pairs = [
        (one.value.function, one.span[0], other.span[0])
        for one, other in bound_again(facts.module)
        if isinstance(one.value, ex.FunctionValue)
    ]
    uses = _uses(facts.module) if pairs else []
    return {
        function: (begun, max((use for use in uses if begun < use < ended), default=begun))
        for function, begun, ended in pairs
    }


@told_by_code
def bound_again(module: ModuleIndex) -> list[tuple[ex.Definition, ex.Definition]]:
    """The functions that a module certainly binds again, each with what it binds next."""
    by_name: dict[str, list[ex.Definition]] = {}
    for definition in _bound(module):
        by_name.setdefault(definition.name, []).append(definition)
    pairs = (pair for found in by_name.values() for pair in pairwise(found))
    return [pair for pair in pairs if isinstance(pair[0].value, ex.FunctionValue)]


def _uses(module: ModuleIndex) -> list[int]:
    """Where the body of a module uses a function or class of its own."""
    return [
        part.span[0]
        for statement in walk.statements(module.body.body)
        if not isinstance(statement, Define)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
        if isinstance(part, ex.Reference) and _is_own(part.definition)
    ]


def _is_own(definition: ex.Definition | None) -> bool:
    value = None if definition is None else definition.value
    return isinstance(value, ex.FunctionValue | ex.ClassValue | ex.Join)
