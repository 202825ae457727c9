"""The files of one project, lowered when something asks for them.

Questions: what does one module hold, by name (`Facts`), and which modules may use a definition?
Files are found by the words in their text and read once, until `limit` modules or `most_bytes` of
text are loaded; then `is_cut_short` says that nobody knows what others pass on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from dlint.ir.expressions import Call, Imported, Subscript, constant
from dlint.ir.looked_at import NAMES, Names, table_name, unlooked
from dlint.ir.module import ModuleIndex, Store
from dlint.semantics.names.bound_names import closed
from dlint.semantics.names.imports import ImportMap
from dlint.semantics.names.named_things import ITEMS, NamedThings
from dlint.workspace import scan, texts
from dlint.workspace.text_index import Words

if TYPE_CHECKING:
    from dlint.frontends.documents import Documents
    from dlint.semantics.names.import_graph import ImportGraph

Lower = Callable[[str], "ModuleIndex | None"]
"""Lowers the file at a path; None where that is impossible (the reason is reported elsewhere)."""


T = TypeVar("T")
IMPORTED = ""
"""The name under which all imports stand."""


def nobody_watches(_: str) -> None:
    """Nobody wants to know what is read."""


def nobody_expects(_: Iterable[str]) -> None:
    """Nobody wants to know what is asked for next."""


class Facts:
    """What one module holds, by name: made once when it is loaded.

    Which names it is asked for is noted; what else is read of the module is, from then on.
    """

    def __init__(self, module: ModuleIndex) -> None:
        self.module = module
        self._answers: dict[object, Any] = {}
        with unlooked():
            things = module.answer(NamedThings)
        path = module.path
        self.calls = Names(path, "calls", things.calls)
        self.attributes = Names(path, "attributes", things.attributes)
        self.globals = Names(path, "globals", things.globals)
        self.items = Names(path, "items", things.items)
        self.passed = Names(path, "passed", things.passed)
        self.returned = Names(path, "returned", things.returned)
        self.bound = Names(path, "bound", things.bound)
        self.named = Names(path, "named", things.named)

    def __getitem__(self, query: Callable[[Facts], T]) -> T:
        """The answer to a question about one module alone, found once."""
        if query not in self._answers:
            self._answers[query] = query(self)
        answer: T = self._answers[query]
        return answer

    def table(self, of: Callable[[ModuleIndex], dict[str, list[Any]]]) -> Names:
        """What else a module holds by name: nothing but that is noted as read."""
        if of not in self._answers:
            with unlooked():
                self._answers[of] = Names(self.module.path, table_name(of), self.module.answer(of))
        found: Names = self._answers[of]
        return found

    def let_go(self) -> None:
        """Forget all answers."""
        self._answers.clear()

    def names_of(self, names: Iterable[str]) -> frozenset[str]:
        """By which names this module may speak of what has one of these: theirs, and others."""
        own = frozenset(names)
        return closed(own, self.bound) if self.bound.among(own) else own

    def aliases(self, names: frozenset[str]) -> frozenset[str]:
        """The other ones among them."""
        return self.names_of(names) - names

    def calls_of(self, *names: str) -> Iterator[Call]:
        """Calls of what has one of these names, by whatever name this module calls it."""
        for name in sorted(self.calls.among(self.names_of(names))):
            yield from self.calls[name]

    def stores_at(self, key: str | int | None) -> list[Store]:
        """Writes to a subscript whose key is, or may be, `key`; all of them for None."""
        if key is None:
            return self.items[ITEMS]
        return [s for s in self.items[ITEMS] if not _differs(s, key)]


def imported_things(module: ModuleIndex) -> dict[str, list[Any]]:
    """What the imports of a module name: a module, its level, and a member or nothing."""
    named = [(star.module, star.level, "") for star in module.star_imports]
    for scope in module.scopes:
        values = (definition.value for definition in scope.definitions)
        named += [(v.module, v.level, v.name or "") for v in values if isinstance(v, Imported)]
    return {IMPORTED: named}


def _differs(store: Store, key: str | int) -> bool:
    assert isinstance(store.target, Subscript)
    index = constant(store.target.index)
    return index is not None and index.value != key


@dataclass(eq=False)
class Project:
    """Loads modules on demand and tells listeners of each new one.

    `files` are absolute paths that take part (tests are left out by the caller); `limit` bounds how
    many modules are loaded and `most_bytes` how much text, `notes` says when that was reached.
    """

    files: frozenset[str]
    lower: Lower
    text: Callable[[str], bytes]
    limit: int = 1_000
    most_bytes: int = 12_000_000
    documents: Documents | None = None
    """The settings files that code may read."""
    linked: bool = True
    """Whether imports of the project's own modules are followed."""
    searched: frozenset[str] | None = None
    """The files in which users of a definition are looked for; None for all."""
    bystanders: Callable[[], Iterable[str]] = tuple
    """Files that use the program and are no part of it: tests, notebooks, configs that name it."""
    own_code: Callable[[], Iterable[str]] = tuple
    """Files of all programs around this one, tests and notebooks left out."""
    notes: list[str] = field(default_factory=list)
    around: Words | None = None
    """The words of files around these too; None for their own."""
    kept: texts.Kept = texts.kept_nowhere
    """What is known of single texts already."""
    expect: Callable[[Iterable[str]], None] = nobody_expects
    """Told which modules are loaded next, in this order."""
    entered: Callable[[str], None] = nobody_watches
    """Told of each module of which all is known that is asked by name."""
    words: Words = field(init=False)
    _loaded: dict[str, Facts | None] = field(default_factory=dict)
    loaded: list[Facts] = field(default_factory=list)
    """The modules loaded so far, in the order of their loading."""
    _writing: dict[str, list[Store]] = field(default_factory=lambda: defaultdict(list))
    _naming: dict[str, list[Facts]] = field(default_factory=lambda: defaultdict(list))
    _listeners: list[Callable[[Facts], None]] = field(default_factory=list)
    _bytes: int = 0
    _said: dict[tuple[str, re.Pattern[bytes]], bool] = field(default_factory=dict)
    _imported: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        searched = self.files if self.searched is None else self.searched
        self.words = self.around or Words(searched, self.text)

    @cached_property
    def imports(self) -> ImportMap:
        """Which file an import names."""
        return ImportMap.of(
            self.files if self.linked else (), lambda path: self.says(path, scan.CHANGES_PATH)
        )

    @cached_property
    def graph(self) -> ImportGraph:
        """What every file imports, loaded or not."""
        from dlint.semantics.names.import_graph import ImportGraph

        return ImportGraph(self.imports, self.text, self.words, self.kept)

    def says(self, path: str, pattern: re.Pattern[bytes]) -> bool:
        """Whether a pattern is found in the text of a file."""
        asked = (path, pattern)
        if asked not in self._said:
            self._said[asked] = texts.says(self.text, path, pattern, self.kept)
        return self._said[asked]

    def holding(self, path: str, words: Iterable[str]) -> list[str]:
        """Those of some words that stand in the text of a file, also within others."""
        return texts.holding(self.text, path, words, self.kept)

    def full_names(self, path: str, words: Iterable[str]) -> list[str]:
        """What a file calls, or hands on of its imports, by full names that hold one of some words.

        A name that is called ends with `()`. Names of the project's own things are left out, for
        it has their text.
        """
        named = texts.full_names(self.text, path, words)
        return [name for name in named if not self._is_own(path, name)]

    def _is_own(self, importer: str, name: str) -> bool:
        """Whether a full name begins with a module of the project."""
        level = len(name) - len(name.lstrip("."))
        parts = name.lstrip(".").split(".")
        modules = (".".join(parts[:count]) for count in range(not level, len(parts)))
        return any(self.imports.resolve(importer, m, level) is not None for m in modules)

    def holds(self, path: str, word: bytes) -> bool:
        """Whether some bytes stand in the text of a file."""
        return texts.holds(self.text, path, word)

    def writing(self, attribute: str) -> list[Store]:
        """Writes to attributes of this name in the loaded modules."""
        NAMES.everywhere["attributes"].add(attribute)
        return self._writing.get(attribute, [])

    def unlinked(self) -> Project:
        """The same files, each by itself."""
        alone = Project(
            self.files,
            self.lower,
            self.text,
            self.limit,
            documents=self.documents,
            entered=self.entered,
            linked=False,
        )
        alone.words, alone._said = self.words, self._said
        return alone

    def listen(self, listener: Callable[[Facts], None]) -> None:
        """Call `listener` for each module loaded from now on."""
        self._listeners.append(listener)

    def let_go(self) -> None:
        """Tell nobody of modules any more, and forget what was asked of each."""
        self._listeners.clear()
        for facts in self.loaded:
            facts.let_go()

    def is_loaded(self, path: str) -> bool:
        """Whether the module at `path` has been loaded (or found unreadable)."""
        return path in self._loaded

    def load(self, path: str) -> Facts | None:
        """The module at `path`; None if it is not in the project, unreadable, or past the limit."""
        if path not in self.files:
            return self._loaded.get(path)
        return self.load_described(path)

    def load_described(self, path: str) -> Facts | None:
        """The same of a settings file that code reads, be it one that says nothing of loaders."""
        if path in self._loaded:
            return self._loaded[path]
        if self.is_cut_short:
            self._note_limit()
            return None
        self._bytes += texts.rough_size(self.text, path)
        module = self.lower(path)
        facts = self._loaded[path] = None if module is None else Facts(module)
        if facts is not None:
            self.entered(path)
            self._enter(facts)
        return facts

    def imported_by(self, path: str) -> frozenset[str]:
        """The files of the project that a loaded module names in its imports."""
        known = self._imported.get(path)
        facts = self._loaded.get(path)
        if known is not None or facts is None:
            return known or frozenset()
        found: set[str | None] = set()
        for module, level, name in facts.table(imported_things)[IMPORTED]:
            target = self.imports.resolve(path, module, level)
            found |= {target, self.imports.member(target, name) if target and name else None}
        known = self._imported[path] = frozenset(p for p in found if p in self.files)
        return known

    @property
    def is_cut_short(self) -> bool:
        """Whether no more modules are loaded: what others pass on is then not known."""
        return len(self._loaded) >= self.limit or self._bytes >= self.most_bytes

    def _enter(self, facts: Facts) -> None:
        self.loaded.append(facts)
        for name in facts.named.unnoted():
            self._naming[name].append(facts)
        for name, stores in facts.attributes.unnoted().items():
            self._writing[name] += stores
        for listener in self._listeners:
            listener(facts)

    def _note_limit(self) -> None:
        note = f"only {len(self._loaded)} modules were followed; what others pass on is not known"
        if not self.notes:
            self.notes.append(note)

    def naming(self, name: str) -> tuple[Facts, ...]:
        """Loaded modules that call a name, pass it on, return it or bind another one to it."""
        NAMES.everywhere["named"].add(name)
        return tuple(self._naming.get(name, ()))

    def load_users(self, path: str, *names: str, called: bool = False) -> None:
        """Load the modules that may use something of the module at `path` by all these names.

        A file may if its text holds the names, and it stands beside the module or names it, or
        names a package that hands them on; if `called`, only if it calls the first of them or
        derives from it.
        """
        if not self.linked:
            return
        if self.is_cut_short:
            self._note_limit()
            return
        near = self.users(path, *names)
        self._load_all(
            other for other in near if not called or self.words.is_called(other, names[0])
        )

    def users(self, path: str, *names: str) -> Iterator[str]:
        """The modules, none of them loaded, that may use something of a module by its names."""
        words = frozenset(name.encode() for name in names)
        holders = [self.words.users_in(self.files, word) for word in words]
        new = sorted(frozenset.intersection(*holders).difference(self._loaded))
        homes = self._homes(path, words)
        folder = path.rpartition("/")[0] + "/"
        return (
            other for other in new if other.startswith(folder) or self.words.among(other, homes)
        )

    def load_holders(self, *names: str) -> None:
        """Load the modules whose text holds all these names, wherever they stand."""
        if self.linked and not self.is_cut_short:
            holders = [self.words.holders_in(self.files, name.encode()) for name in names]
            self._load_all(sorted(frozenset.intersection(*holders)))

    def _load_all(self, paths: Iterable[str]) -> None:
        """Load some modules, one after another."""
        new = [path for path in paths if not self.is_loaded(path)]
        self.expect(new)
        for path in new:
            self.load(path)

    def speaks_of(self, names: Iterable[str]) -> bool:
        """Whether some file that is searched holds one of these words."""
        return any(self.words.holders(name.encode()) for name in names)

    def _homes(self, path: str, words: frozenset[bytes]) -> frozenset[bytes]:
        """Names of the module and of the packages around it that mention these words."""
        folder, _, file = path.rpartition("/")
        homes = {file.removesuffix(".py").encode()}
        while (package := f"{folder}/__init__.py") in self.files:
            if package == path or words <= self.words.among(package, words):
                homes.add(folder.rpartition("/")[2].encode())
            folder = folder.rpartition("/")[0]
        return frozenset(homes)
