"""What one module holds, by name: calls, writes, names of the module, and other names for them.

Question: where does a module say a name? Each table is a plain one, so that two versions of a
module can be compared by the names that an analysis asked for; `Facts` notes which these are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from dlint.ir import walk
from dlint.ir.expressions import Attribute, Call, Conditional, Expression, Reference
from dlint.ir.module import ModuleIndex, Scope, Store
from dlint.semantics.names.bound_names import bound_names

Table = dict[str, list[Any]]
ITEMS = ""
"""The name under which writes to items stand."""


class NamedThings:
    """The tables of one module."""

    def __init__(self, module: ModuleIndex) -> None:
        self.calls: Table = defaultdict(list)
        self.attributes: Table = defaultdict(list)
        """Writes to attributes, by the name of the attribute."""
        self.globals: Table = defaultdict(list)
        self.items: Table = {ITEMS: []}
        """Writes to items."""
        self.passed: Table = defaultdict(list)
        """Calls with a name among their arguments, by the last part of that name."""
        self.returned: Table = defaultdict(list)
        """Functions that return a plain name, by that name."""
        self.bound: Table = {name: sorted(bound) for name, bound in bound_names(module).items()}
        """Other names of the module, by the last name of what they are bound to."""
        for scope in module.scopes:
            self._add(scope)
        for definition in walk.lasting(module.body):
            self.globals[definition.name].append(definition)
        tables = (self.calls, self.passed, self.bound, self.returned)
        self.named: Table = {name: [] for table in tables for name in table}
        """Every name that the module calls, passes on, returns or binds another name to."""

    def _add(self, scope: Scope) -> None:
        for call in scope.calls:
            self._add_call(call)
        for name in dict.fromkeys(_names_in(scope.returns)):
            self.returned[name].append(scope)
        for store in scope.stores:
            self._add_store(store)
        for definition in scope.definitions:
            if definition.name in scope.globals:
                self.globals[definition.name].append(definition)

    def _add_call(self, call: Call) -> None:
        if call.name is not None:
            self.calls[call.name].append(call)
        for argument in call.arguments:
            if isinstance(argument.value, Reference | Attribute):
                self.passed[argument.value.name].append((call, argument))

    def _add_store(self, store: Store) -> None:
        target = store.target
        if isinstance(target, Attribute):
            self.attributes[target.name].append(store)
        else:
            self.items[ITEMS].append(store)


def _names_in(returned: Iterable[Expression]) -> Iterator[str]:
    """The plain names among values, and on both sides of choices."""
    for value in returned:
        if isinstance(value, Reference):
            yield value.name
        elif isinstance(value, Conditional):
            yield from _names_in((value.then, value.otherwise))
