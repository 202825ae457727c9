"""The files of one project, lowered when something asks for them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from dlint.index.expressions import (
    Argument,
    Attribute,
    Call,
    Constant,
    Definition,
    Imported,
    Reference,
    Subscript,
)
from dlint.index.model import Class, ModuleIndex, Store
from dlint.project.imports import ImportMap

_WORD = re.compile(rb"[A-Za-z_]\w*")

Lower = Callable[[str], "ModuleIndex | None"]
"""Lowers the file at a path; None where that is impossible (the reason is reported elsewhere)."""


@dataclass(slots=True, eq=False)
class Facts:
    """What one module holds, by name: made once when it is loaded."""

    module: ModuleIndex
    calls: dict[str, list[Call]]
    attributes: dict[str, list[Store]]
    classes: dict[str, list[Class]]
    globals: dict[str, list[Definition]]
    subscripts: list[Store]
    passed: dict[str, list[tuple[Call, Argument]]]
    """Calls with a plain name among their arguments, by that name."""

    @classmethod
    def of(cls, module: ModuleIndex) -> Facts:
        """The facts of a lowered module."""
        facts = cls(
            module,
            defaultdict(list),
            defaultdict(list),
            defaultdict(list),
            defaultdict(list),
            [],
            defaultdict(list),
        )
        for scope in module.scopes:
            for call in scope.calls:
                facts._add_call(call)
            for store in scope.stores:
                facts._add_store(store)
            for definition in scope.definitions:
                if definition.name in scope.globals:
                    facts.globals[definition.name].append(definition)
        for definition in module.body.definitions:
            facts.globals[definition.name].append(definition)
        for class_ in module.classes:
            facts.classes[class_.name].append(class_)
        return facts

    def _add_call(self, call: Call) -> None:
        if call.name is not None:
            self.calls[call.name].append(call)
        for argument in call.arguments:
            if isinstance(argument.value, Reference):
                self.passed[argument.value.name].append((call, argument))

    def aliases(self, names: frozenset[str]) -> frozenset[str]:
        """Other names under which this module imports one of `names`."""
        return frozenset(
            definition.name
            for found in self.globals.values()
            for definition in found
            if isinstance(definition.value, Imported)
            and definition.value.name in names
            and definition.name != definition.value.name
        )

    def stores_at(self, key: str | int | None) -> list[Store]:
        """Writes to a subscript whose key is, or may be, `key`; all of them for None."""
        if key is None:
            return self.subscripts
        return [s for s in self.subscripts if not _differs(s, key)]

    def _add_store(self, store: Store) -> None:
        target = store.target
        if isinstance(target, Attribute):
            self.attributes[target.name].append(store)
        else:
            self.subscripts.append(store)


def _differs(store: Store, key: str | int) -> bool:
    assert isinstance(store.target, Subscript)
    index = store.target.index
    return isinstance(index, Constant) and index.value != key


@dataclass(eq=False)
class Project:
    """Loads modules on demand and tells listeners of each new one.

    `files` are absolute paths that take part (tests are left out by the caller); `limit` bounds how
    many modules are loaded, `notes` says when that was reached.
    """

    files: frozenset[str]
    lower: Lower
    text: Callable[[str], bytes]
    limit: int = 600
    notes: list[str] = field(default_factory=list)
    _loaded: dict[str, Facts | None] = field(default_factory=dict)
    _listeners: list[Callable[[Facts], None]] = field(default_factory=list)
    _words: dict[str, frozenset[bytes]] = field(default_factory=dict)

    @cached_property
    def imports(self) -> ImportMap:
        """Which file an import names."""
        return ImportMap.of(self.files, lambda path: b"sys.path" in self.text(path))

    @property
    def loaded(self) -> list[Facts]:
        """The modules loaded so far, in the order of their loading."""
        return [facts for facts in self._loaded.values() if facts is not None]

    def listen(self, listener: Callable[[Facts], None]) -> None:
        """Call `listener` for each module loaded from now on."""
        self._listeners.append(listener)

    def is_loaded(self, path: str) -> bool:
        """Whether the module at `path` has been loaded (or found unreadable)."""
        return path in self._loaded

    def load(self, path: str) -> Facts | None:
        """The module at `path`; None if it is not in the project, unreadable, or past the limit."""
        if path in self._loaded:
            return self._loaded[path]
        if path not in self.files:
            return None
        if len(self._loaded) >= self.limit:
            self._note_limit()
            return None
        module = self.lower(path)
        facts = self._loaded[path] = None if module is None else Facts.of(module)
        if facts is not None:
            for listener in self._listeners:
                listener(facts)
        return facts

    def _note_limit(self) -> None:
        note = f"only {self.limit} modules were followed; what others pass on is not known"
        if note not in self.notes:
            self.notes.append(note)

    def mentioning(self, name: str, among: Iterable[str] | None = None) -> Iterator[str]:
        """Files whose text holds the identifier `name`, in the order of their paths."""
        word = name.encode()
        for path in sorted(self.files if among is None else among):
            if word in self._identifiers(path):
                yield path

    def _identifiers(self, path: str) -> frozenset[bytes]:
        words = self._words.get(path)
        if words is None:
            words = self._words[path] = frozenset(_WORD.findall(self.text(path)))
        return words
