"""A project as the rewritings see it: its files, and each module's tree and facts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property

import libcst as cst

from tests.laws.facts import WORD, Facts, Kind, words

FRESH = words("""
    alfa bravo charlie foxtrot golf hotel juliett kilo lima november oscar papa quebec
    romeo sierra tango uniform victor whiskey yankee zulu
""")
"""Words that say nothing."""


class Module:
    """One Python file."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = cst.parse_module(text)

    @cached_property
    def facts(self) -> Facts:
        """How its words are used."""
        facts = Facts()
        self.tree.visit(facts)
        return facts

    @property
    def folder(self) -> str:
        """Where it lies; an empty text at the top."""
        return posixpath.dirname(self.path)

    @cached_property
    def statements(self) -> list[cst.BaseStatement]:
        """The statements at its top level."""
        return [s for s in self.tree.body if isinstance(s, cst.BaseStatement)]


class Program:
    """Files by path. Python files that do not compile are no modules."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)

    @cached_property
    def modules(self) -> dict[str, Module]:
        """The Python files by path."""
        found = {}
        for path, text in sorted(self.files.items()):
            if path.endswith(".py") and compiles(text):
                found[path] = Module(path, text)
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that stands anywhere."""
        return frozenset(w for text in self.files.values() for w in WORD.findall(text))

    @cached_property
    def foreign_words(self) -> frozenset[str]:
        """The words of files that are no modules, and of the files' names."""
        texts = [text for path, text in self.files.items() if path not in self.modules]
        return frozenset(w for text in [*texts, *self.files] for w in WORD.findall(text))

    @cached_property
    def strings(self) -> frozenset[str]:
        """The words in strings."""
        return frozenset(w for m in self.modules.values() for w in m.facts.strings)

    @cached_property
    def is_strange(self) -> bool:
        """Whether names may be used in ways that cannot be seen, somewhere."""
        return any(m.facts.is_strange for m in self.modules.values())

    def kinds(self, word: str) -> set[Kind]:
        """What binds a word anywhere."""
        found: set[Kind] = set()
        for module in self.modules.values():
            found |= module.facts.bound.get(word, set())
        return found

    def fresh(self) -> Iterator[str]:
        """Words that are not in use, in the same order each time."""
        suffix = 0
        while True:
            for word in FRESH:
                name = f"{word}{suffix or ''}"
                if name not in self.words:
                    yield name
            suffix += 1

    def imported(self, importer: Module, dotted: str) -> str | None:
        """The path of the module of the project that an import names; None if it is none."""
        for folder in _bases(importer, dotted):
            stem = posixpath.join(folder, *dotted.lstrip(".").split("."))
            for path in (f"{stem}.py", posixpath.join(stem, "__init__.py")):
                if posixpath.normpath(path) in self.files:
                    return posixpath.normpath(path)
        return None

    def is_own(self, importer: Module, dotted: str) -> bool:
        """Whether an import may be one of a module of the project."""
        if dotted.startswith("."):
            return True
        first = dotted.partition(".")[0]
        parts = {part for path in self.files for part in path.split("/")}
        return first in parts or f"{first}.py" in parts

    def importers(self, path: str) -> list[str]:
        """The files that import from a module."""
        return [
            other.path
            for other in self.modules.values()
            if any(
                path in (self.imported(other, d), self.imported(other, d.rpartition(".")[0]))
                for origins in other.facts.imports.values()
                for d in origins
            )
        ]


def _bases(importer: Module, dotted: str) -> list[str]:
    """The folders in which an import may look."""
    level = len(dotted) - len(dotted.lstrip("."))
    folder = importer.folder
    if level:
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        return [folder]
    return list(dict.fromkeys([folder, "", "src"]))


def compiles(text: str) -> bool:
    """Whether a text is a Python program."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "program", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True
