"""The names behind `import … as`: what is read is known by its own name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from dlint.ir import walk
from dlint.ir.expressions import (
    Conditional,
    Constant,
    Definition,
    Expression,
    Imported,
    Join,
    Reference,
)
from dlint.ir.module import ModuleIndex, Scope

_DEPTH = 6

_Bindings = dict[Scope, dict[str, list[Definition]]]


def note_imported_names(index: ModuleIndex) -> None:
    """Note for each name of something imported under another name what its own name is."""
    renamed = {
        definition.name
        for scope in index.scopes
        for definition in scope.definitions
        if isinstance(definition.value, Imported)
        and definition.value.name not in (None, definition.name)
    }
    if not renamed:
        return
    bindings = _bindings(index, renamed)
    for scope in index.scopes:
        for reference in _references(scope):
            if reference.name in renamed:
                own = _own_name(reference, scope, bindings)
                reference.imported_name = None if own == reference.name else own


def _references(scope: Scope) -> Iterator[Reference]:
    """The names that the statements of a scope read."""
    for statement in walk.statements(scope.body):
        for expression in walk.expressions(statement):
            yield from (p for p in walk.walk(expression) if isinstance(p, Reference))


def _bindings(index: ModuleIndex, names: set[str]) -> _Bindings:
    """What scopes bind these names to."""
    found: _Bindings = {}
    for scope in index.scopes:
        own: dict[str, list[Definition]] = defaultdict(list)
        for definition in scope.definitions:
            if definition.name in names:
                own[definition.name].append(definition)
        found[scope] = own
    return found


def _own_name(reference: Reference, scope: Scope, bindings: _Bindings) -> str | None:
    """The one name under which all that a name may be bound to is imported."""
    if reference.definition is not None:
        return _imported_name([reference.definition.value])
    outer: Scope | None = scope
    while outer is not None:
        found = bindings[outer].get(reference.name)
        if found and (outer.kind != "class" or outer is scope):
            return _imported_name([definition.value for definition in found])
        outer = outer.parent
    return None


def _imported_name(values: list[Expression]) -> str | None:
    """The name that all of these were imported by; constants, such as None, are not called."""
    parts = [part for value in values for part in _parts(value, _DEPTH)]
    called = [part for part in parts if not isinstance(part, Constant)]
    names = {part.name if isinstance(part, Imported) else None for part in called}
    return names.pop() if len(names) == 1 else None


def _parts(value: Expression, depth: int) -> Iterator[Expression]:
    """What a name may be bound to, where paths meet."""
    match value:
        case Reference(definition=Definition(value=bound)) if depth:
            yield from _parts(bound, depth - 1)
        case Conditional() if depth:
            yield from (*_parts(value.then, depth - 1), *_parts(value.otherwise, depth - 1))
        case Join() if depth:
            yield from (part for one in value.alternatives for part in _parts(one, depth - 1))
        case _:
            yield value
