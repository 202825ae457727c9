"""Which files of a project may have to do with each other: its independent programs.

Question: into which parts do the files fall, so that nothing of one can reach another? Followed, in
both directions and read off the text: import statements wherever they stand, other files named by
their path (`python train.py`, `_base_ = ["../base.py"]`), modules and classes that settings name,
and for settings and scripts the code nearest to them. A file that imports by a text
(`import_module`) belongs to all that lies in its folder. A mention in a comment counts: parts are
rather too large. Budget: one search through the text of each file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from dlint.semantics.names.imports import ImportMap, shared_parts

_FROM = re.compile(
    rb"from[ \t\\]+(?P<dots>[.][.\s\\]*)?(?P<of>\w[\w.]*)?[ \t\\]*(?:\n[ \t]*)?import\b"
    rb"[ \t\\]*(?P<names>\([^)]{0,20000}\)|(?:[^\n\\]|\\\r?\n){0,2000})"
)
_IMPORT = re.compile(rb"import[ \t]+(?P<plain>\w(?:[^\n\\]|\\\r?\n){0,2000})")
_DYNAMIC = re.compile(
    rb"\b(?:import_module|__import__|runpy|spec_from_file_location|SourceFileLoader|walk_packages"
    rb"|iter_modules|find_module|execfile|imp\.load_source|exec)\b"
)
_CLASS = re.compile(rb"class[ \t]+(\w+)")
_APART = bytes(c if c > 127 or chr(c).isalnum() or c in b"_./-" else 32 for c in range(256))
_FILES = (b".py", b".yaml", b".yml", b".json", b".toml", b".sh")
_PACKAGING = ("/setup.py", "/conf.py", "/noxfile.py")
"""Files of tools that build, document or test a project: what they load is its version."""
_NAME = re.compile(rb"[\w.]+")


def programs(files: frozenset[str], imports: ImportMap, text: Callable[[str], bytes]) -> Programs:
    """The independent programs of some files; `text` gives the bytes of each."""
    found = Programs(files)
    named = _Named(files, imports, text)
    for path in sorted(files):
        for other in named.by(path):
            found.join(path, other)
    return found


class Programs:
    """Sets of files, joined one pair after another."""

    def __init__(self, files: Iterable[str]) -> None:
        self._above = {path: path for path in files}

    def join(self, one: str, other: str) -> None:
        """Have both belong to one program."""
        self._above[self._top(one)] = self._top(other)

    def _top(self, path: str) -> str:
        while self._above[path] != path:
            self._above[path] = path = self._above[self._above[path]]
        return path

    def of(self, seeds: Iterable[str], reported: frozenset[str]) -> Iterator[_Part]:
        """The programs that hold a seed and a reported file: their seeds, and all their files."""
        whole: dict[str, set[str]] = defaultdict(set)
        for path in self._above:
            whole[self._top(path)].add(path)
        begun: dict[str, list[str]] = defaultdict(list)
        for seed in seeds:
            begun[self._top(seed)].append(seed)
        for top, own in begun.items():
            if not reported.isdisjoint(whole[top]):
                yield own, frozenset(whole[top])


_Part = tuple[list[str], frozenset[str]]


class _Named:
    """Which files the text of a file names."""

    def __init__(
        self, files: frozenset[str], imports: ImportMap, text: Callable[[str], bytes]
    ) -> None:
        self._imports = imports
        self._text = text
        self._files = files
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._in_folder: dict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            folder, _, name = path.rpartition("/")
            self._by_name[name].append(path)
            if name.endswith(".py"):
                self._in_folder[folder].append(path)

    def by(self, path: str) -> Iterator[str]:
        """The files that one has to do with, by its own text."""
        text = self._text(path)
        yield from self._paths(path, text)
        if path.endswith(".py"):
            yield from self._imported(path, text)
            if not path.endswith(_PACKAGING) and _DYNAMIC.search(text) is not None:
                folder = path.rpartition("/")[0] + "/"
                yield from (other for other in self._files if other.startswith(folder))
        else:
            yield from self._nearest(path)
            for word in _words(text):
                yield from self._defining.get(word.rpartition(b".")[2], ())
                if b"." in word:
                    yield from self._modules(path, word.decode(errors="replace"))

    @cached_property
    def _defining(self) -> dict[bytes, list[str]]:
        """The files with a class of a name: settings may name it without its module."""
        found: dict[bytes, list[str]] = defaultdict(list)
        for path in sorted(self._files):
            if path.endswith(".py"):
                for name in _CLASS.findall(self._text(path)):
                    found[name].append(path)
        return found

    def _imported(self, path: str, text: bytes) -> Iterator[str]:
        for match in _IMPORT.finditer(text):
            if b"from" in text[text.rfind(b"\n", 0, match.start()) + 1 : match.start()]:
                continue
            for name in match["plain"].split(b","):
                word = _NAME.match(name.strip(b" \t\r\n\\"))
                if word is not None:
                    yield from self._modules(path, word[0].decode(errors="replace"))
        for match in _FROM.finditer(text):
            level = (match["dots"] or b"").count(b".")
            module = (match["of"] or b"").decode(errors="replace")
            yield from self._members(path, module, level, match["names"])

    def _members(self, path: str, module: str, level: int, names: bytes) -> Iterator[str]:
        """The module of a `from … import …`, and those of its members that are modules."""
        if not level:
            yield from self._modules(path, module)
        base = self._imports.resolve(path, module, level)
        if base is None:
            return
        yield from self._known(base)
        for word in _NAME.findall(names):
            yield from self._known(self._imports.member(base, word.decode(errors="replace")))

    def _modules(self, path: str, dotted: str) -> Iterator[str]:
        """A module, and the packages around it."""
        parts = dotted.split(".")
        for count in range(1, len(parts) + 1):
            found = self._imports.resolve(path, ".".join(parts[:count]))
            if found is None:
                return
            yield from self._known(found)

    def _known(self, path: str | None) -> Iterator[str]:
        if path in self._files:
            yield path

    def _paths(self, path: str, text: bytes) -> Iterator[str]:
        """Files that are named by a path: of several that fit, those that are nearest."""
        for named in _words(text):
            if not named.endswith(_FILES):
                continue
            tail = named.decode(errors="replace").lstrip("./")
            fitting = [
                other
                for other in self._by_name.get(tail.rpartition("/")[2], ())
                if other.endswith("/" + tail)
            ]
            if fitting:
                nearest = max(shared_parts(path, other) for other in fitting)
                yield from (other for other in fitting if shared_parts(path, other) == nearest)

    def _nearest(self, path: str) -> Iterator[str]:
        """The code in the nearest folder around a settings file or script that holds some."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self._in_folder:
            folder = folder.rpartition("/")[0]
        yield from self._in_folder.get(folder, ())


def _words(text: bytes) -> frozenset[bytes]:
    """What stands in a text without blanks, quotes or brackets: names, and paths."""
    return frozenset(text.translate(_APART).split())
