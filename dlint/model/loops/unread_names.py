"""Names that nothing reads: what a statement makes and no code asks for.

Question: is what a call makes bound to a name, or to an attribute, that is mentioned nowhere else?
Or does it stand under a key of a dict that is only read by other keys, be it that of a name or of
an attribute? By its letters alone, which is on the safe side: another variable of the name counts
as a mention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.repetition import contains
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Scope


class Mentions:
    """The names and attributes that modules read: `context[Mentions]`."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    def any_of(self, names: Iterable[str], path: str) -> bool:
        """Whether the module at a path reads one of some names, in quotes too."""
        facts = self._context.project.load(path)
        return facts is not None and bool(facts.table(read_names).among(names))

    def is_unread(self, call: ex.Call) -> bool:
        """Whether what a call makes is bound by its function, and nothing reads it."""
        statement = call.statement
        if not isinstance(statement, Bind) or call.scope.kind != "function":
            return False
        if isinstance(statement.value, ex.Mapping):
            return self._is_unread_item(statement, statement.value, call)
        names = {d.name for d in statement.definitions if _is_made_by(d.value, call)}
        kept = {s.target for s in statement.stores if _is_made_by(s.value, call)}
        attributes = {t.name for t in kept if isinstance(t, ex.Attribute)}
        paths = [call.scope.module.path]
        if kept:
            paths = [facts.module.path for facts in self._context.modules]
        found = names | attributes
        return (
            len(attributes) == len(kept)
            and bool(found)
            and not any(self.any_of(found, path) for path in paths)
        )

    def _is_unread_item(self, statement: Bind, table: ex.Mapping, call: ex.Call) -> bool:
        """Whether a dict is read by other keys alone than the one that a call stands under."""
        keys = [
            key.value
            for key, value in table.items
            if value is call and isinstance(key, ex.Constant)
        ]
        held = [store.target for store in statement.stores]
        if len(keys) != 1 or len(statement.definitions) + len(held) != 1:
            return False
        if not held:
            module = call.scope.module
            return _is_read_by_others(_parts(module), statement.definitions[0].name, keys[0])
        parts = [p for facts in self._context.modules for p in _parts(facts.module)]
        name = held[0].name if isinstance(held[0], ex.Attribute) else None
        if name is None or any(isinstance(p, ex.Constant) and p.value == name for p in parts):
            return False
        return _is_read_by_others((p for p in parts if p is not held[0]), name, keys[0])


def read_names(module: ModuleIndex) -> dict[str, list[str]]:
    """The names that a module reads, in quotes too."""
    return {name: [] for scope in module.scopes for name in _read(scope)}


def is_dropped(call: ex.Call) -> bool:
    """Whether a function binds what a call makes to local names, and does not read them."""
    statement, scope = call.statement, call.scope
    if not isinstance(statement, Bind) or statement.value is not call or statement.stores:
        return False
    names = {definition.name for definition in statement.definitions}
    if scope.kind != "function" or names & (scope.globals | scope.nonlocals):
        return False
    inside = (s for s in scope.module.scopes if contains(scope.span, s.span))
    return bool(names) and not any(name in names for s in inside for name in _read(s))


def _is_read_by_others(parts: Iterable[ex.Expression], name: str, key: object) -> bool:
    """Whether all that reads a dict of a name takes something from under another key."""
    parts = list(parts)
    items = [part for part in parts if isinstance(part, ex.Subscript)]
    by_key = {item.value: item.index.value for item in items if isinstance(item.index, ex.Constant)}
    mentions = [p for p in parts if isinstance(p, ex.Reference | ex.Attribute) and p.name == name]
    return all(part in by_key and by_key[part] != key for part in mentions)


def _parts(module: ModuleIndex) -> Iterator[ex.Expression]:
    for scope in module.scopes:
        for statement in walk.statements(scope.body):
            for expression in walk.expressions(statement):
                yield from walk.walk(expression)


def _read(scope: Scope) -> Iterator[str]:
    for statement in walk.statements(scope.body):
        written = [s.target for s in statement.stores] if isinstance(statement, Bind) else []
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if isinstance(part, ex.Reference | ex.Attribute) and part not in written:
                    yield part.name
                elif isinstance(part, ex.Constant) and isinstance(part.value, str):
                    yield part.value


def _is_made_by(value: ex.Expression, call: ex.Call) -> bool:
    """Whether a target takes what a call makes, alone or as one of several values."""
    if isinstance(value, ex.Item) and isinstance(value.value, ex.Sequence) and not value.starred:
        items = value.value.items
        return value.position < len(items) and items[value.position] is call
    return value is call
