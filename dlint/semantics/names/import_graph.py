"""Which files of a project a script imports, directly or through others.

Question: which files may a script run, or be run by? Followed: import statements wherever they
stand, and the packages on the way. Given up on: modules that are named by a text, as for
`import_module`. Read off the text, each file once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from dlint.findings.regexes import lazily
from dlint.semantics.names.imports import ImportMap, shared_parts
from dlint.workspace import texts
from dlint.workspace.scan import CHANGES_PATH
from dlint.workspace.text_index import Words
from dlint.workspace.written_imports import Written

_FROM_PACKAGE = lazily(rb"\bfrom[\s\\]*\.[\s\\.]*import\b")
"""An import of members of the package around a file, or of one further out: `from .. import`."""


def imported(script: str, files: Iterable[str]) -> set[str]:
    """The script and every one of `files` that it may import."""
    imports = ImportMap.of({*files, script}, lambda path: bool(CHANGES_PATH.search(_on_disk(path))))
    return ImportGraph(imports, _on_disk).closed(script)


class ImportGraph:
    """What the files of a map import, by their text alone: each is parsed at most once."""

    def __init__(
        self,
        imports: ImportMap,
        text: Callable[[str], bytes],
        words: Words | None = None,
        kept: texts.Kept = texts.kept_nowhere,
    ) -> None:
        """`kept` may know already what a text imports."""
        self._imports = imports
        self._text = text
        self._words = words or Words(imports.files, text)
        self._kept = kept
        self._targets: dict[str, frozenset[str]] = {}
        self._importers: dict[str, frozenset[str]] = {}
        self._import_words: dict[str, frozenset[bytes]] = {}

    def closed(self, script: str) -> set[str]:
        """The script and every file of the map that it may import."""
        found, waiting = {script}, [script]
        while waiting:
            new = self.targets(waiting.pop()) - found
            found |= new
            waiting += new
        return found

    def importers(self, wanted: Iterable[str]) -> set[str]:
        """The wanted files and every file of the map that may import one of them."""
        found = set(wanted)
        waiting = [*found]
        while waiting:
            new = self._naming(waiting.pop()) - found
            found |= new
            waiting += new
        return found

    def _naming(self, target: str) -> frozenset[str]:
        """The files that import one itself."""
        known = self._importers.get(target)
        if known is None:
            naming = frozenset(p for p in self._may_name(target) if self.imports(p, target))
            known = self._importers[target] = naming
        return known

    def imports(self, importer: str, target: str) -> bool:
        """Whether one file imports another itself."""
        return self.may_import(importer, target) and target in self.targets(importer)

    def may_import(self, importer: str, target: str) -> bool:
        """Whether the words of the imports of one file may name another, be they Python or not."""
        if target.endswith("/__init__.py"):  # which dots may name
            return True
        words = self._spoken(importer)
        return word_of(target) in words and self._may_mean(importer, target, words)

    def _may_mean(self, importer: str, target: str, words: frozenset[bytes]) -> bool:
        """Whether an import of such words, from this file, can come to a module: of many that have
        its name, most are nearer to others."""
        *folders, stem = target.removesuffix(".py").split("/")
        between = folders[shared_parts(importer, target) :]
        if all(_word(folder) in words for folder in between):
            return True  # by dots, from a folder around both
        imports, module = self._imports, [stem]
        while folders:
            if imports.resolve(importer, ".".join(module)) == target:
                return True
            if _word(folder := folders.pop()) not in words:
                return False
            base = imports.resolve(importer, ".".join([folder, *module[:-1]]))
            if base is not None and imports.member(base, stem) == target:
                return True
            module.insert(0, folder)
        return False

    def _spoken(self, importer: str) -> frozenset[bytes]:
        """The words of the imports of one file."""
        known = self._import_words.get(importer)
        if known is None:
            known = texts.import_words(self._text, importer, self._kept)
            self._import_words[importer] = known
        return known

    def targets(self, importer: str) -> frozenset[str]:
        """The files of the map that the imports of one file name."""
        known = self._targets.get(importer)
        if known is None:
            written = texts.imports(self._text, importer, self._kept)
            named = _named(written, importer, self._imports)
            known = self._targets[importer] = frozenset(named) & self._imports.files
        return known

    def _may_name(self, target: str) -> Iterator[str]:
        """The files in which an import can name a target, by their words."""
        yield from self._holders.get(word_of(target), ())
        folder, _, file = target.rpartition("/")
        if file == "__init__.py":
            yield from self._inside.get(folder, ())

    @cached_property
    def _holders(self) -> dict[bytes, list[str]]:
        """The files that hold the name of a module of the map, by that name."""
        stems = frozenset(map(word_of, self._imports.files))
        found: dict[bytes, list[str]] = defaultdict(list)
        for path in self._imports.files:
            for word in self._words.among(path, stems):
                found[word].append(path)
        return found

    @cached_property
    def _inside(self) -> dict[str, list[str]]:
        """The files below a folder that import members of a package by dots, by the folder."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._imports.files:
            if texts.says(self._text, path, _FROM_PACKAGE, self._kept):
                folder = path.rpartition("/")[0]
                while folder:
                    found[folder].append(path)
                    folder = folder.rpartition("/")[0]
        return found


def word_of(path: str) -> bytes:
    """The name by which an import speaks of a file."""
    folder, _, file = path.rpartition("/")
    stem = folder.rpartition("/")[2] if file == "__init__.py" else file.removesuffix(".py")
    return _word(stem)


def _word(name: str) -> bytes:
    return name.encode(errors="surrogateescape")


def _named(written: Iterable[Written], importer: str, imports: ImportMap) -> Iterator[str]:
    """What the imports of a file name: modules, their packages, and members that are modules."""
    for one in written:
        if not one.level:
            yield from _with_packages(imports, importer, one.module)
        if one.members is None:
            continue
        base = imports.resolve(importer, one.module, one.level)
        if base is None:
            continue
        yield base
        for name in one.members:
            yield imports.member(base, name) or base


def _with_packages(imports: ImportMap, importer: str, module: str) -> Iterator[str]:
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        path = imports.resolve(importer, ".".join(parts[:count]))
        if path is not None:
            yield path


def _on_disk(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
