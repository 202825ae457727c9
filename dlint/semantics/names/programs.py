"""Which files of a project may have to do with each other: its independent programs.

Question: into which parts do the files fall, so that nothing of one can reach another? Followed, in
both directions: what the text of each file names (see `mentions`), that is imports, other files by
their path (`python train.py`, `_base_ = ["../base.py"]`), modules that settings and scripts name,
the classes nearest to settings that name them, and for both the code nearest to them. A file that
imports by a text (`import_module`) belongs to all that lies in its folder. Parts are rather too
large.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from dlint.semantics.names.imports import ImportMap, shared_parts
from dlint.semantics.names.mentions import Mentions, Named
from dlint.workspace.kinds import is_config, is_shell

Mentioned = Callable[[str], Mentions]


def programs(files: frozenset[str], imports: ImportMap, mentioned: Mentioned) -> Programs:
    """The independent programs of some files; `mentioned` says what the text of each names."""
    found = Programs(files)
    resolved = Resolved(files, imports, mentioned)
    for path in sorted(files):
        for other in resolved.by(path):
            found.join(path, other)
    return found


class Programs:
    """Sets of files, joined one pair after another."""

    def __init__(self, files: Iterable[str]) -> None:
        self._above = {path: path for path in files}

    @classmethod
    def of_groups(cls, files: Iterable[str], groups: Iterable[Sequence[str]]) -> Programs:
        """What `groups` tells, of the same files."""
        found = cls(files)
        for first, *others in groups:
            for other in others:
                found.join(other, first)
        return found

    @property
    def groups(self) -> list[list[str]]:
        """The programs of more than one file, by their paths: plain data."""
        return [sorted(whole) for whole in self._whole.values() if len(whole) > 1]

    def join(self, one: str, other: str) -> None:
        """Have both belong to one program."""
        self._above[self._top(one)] = self._top(other)

    def _top(self, path: str) -> str:
        while self._above[path] != path:
            self._above[path] = path = self._above[self._above[path]]
        return path

    def of(self, seeds: Iterable[str], reported: frozenset[str]) -> Iterator[_Part]:
        """The programs that hold a seed and a reported file: their seeds, and all their files."""
        begun: dict[str, list[str]] = defaultdict(list)
        for seed in seeds:
            begun[self._top(seed)].append(seed)
        for top, own in begun.items():
            if not reported.isdisjoint(self._whole[top]):
                yield own, frozenset(self._whole[top])

    def around(self, paths: Iterable[str]) -> frozenset[str]:
        """All files of the programs that some files belong to."""
        tops = {self._top(path) for path in paths}
        return frozenset().union(*(self._whole[top] for top in tops))

    @cached_property
    def _whole(self) -> dict[str, set[str]]:
        """The files of each program; asked for when all are joined."""
        whole: dict[str, set[str]] = defaultdict(set)
        for path in self._above:
            whole[self._top(path)].add(path)
        return whole


_Part = tuple[list[str], frozenset[str]]


class Resolved:
    """Which of some files the text of a file names."""

    def __init__(self, files: frozenset[str], imports: ImportMap, mentioned: Mentioned) -> None:
        self._imports = imports
        self._mentioned = mentioned
        self._files = files
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._in_folder: dict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            folder, _, name = path.rpartition("/")
            self._by_name[name].append(path)
            if name.endswith(".py"):
                self._in_folder[folder].append(path)

    def by(self, path: str) -> Iterator[str]:
        """The files that one, which may be a further one, has to do with by its own text."""
        found = self._mentioned(path)
        yield from self._paths(path, found)
        if is_config(path):
            yield from self._settings(path, found)
            return
        for named in found.imports:
            yield from self._imported(path, named)
        if found.is_dynamic:
            folder = path.rpartition("/")[0] + "/"
            yield from (other for other in self._files if other.startswith(folder))

    def _settings(self, path: str, found: Mentions) -> Iterator[str]:
        yield from self._nearest(path)
        names_classes = not is_shell(path)
        for word in found.words:
            if names_classes:
                yield from _closest(path, self._defining.get(word.rpartition(".")[2], ()))
            if "." in word:
                yield from self._modules(path, word)

    @cached_property
    def _defining(self) -> dict[str, list[str]]:
        """The files with a class of a name: settings may name it without its module."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._files):
            for name in self._mentioned(path).classes:
                found[name].append(path)
        return found

    def _imported(self, path: str, named: Named) -> Iterator[str]:
        """The module of an import, the packages around it, and members that are modules."""
        if not named.level:
            yield from self._modules(path, named.module)
        if not (named.members or named.level):
            return
        base = self._imports.resolve(path, named.module, named.level)
        if base is None:
            return
        yield from self._known(base)
        for name in named.members:
            yield from self._known(self._imports.member(base, name))

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

    def _paths(self, path: str, found: Mentions) -> Iterator[str]:
        """Files that are named by a path: of several that fit, those that are nearest."""
        for named in found.paths:
            tail = named.lstrip("./")
            fitting = [
                other
                for other in self._by_name.get(tail.rpartition("/")[2], ())
                if other.endswith("/" + tail)
            ]
            if path.endswith(".py"):
                fitting = [o for o in fitting if _is_around(o.removesuffix(tail), path)]
            yield from _closest(path, fitting)

    def _nearest(self, path: str) -> Iterator[str]:
        """The code in the nearest folder around a settings file or script that holds some."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self._in_folder:
            folder = folder.rpartition("/")[0]
        yield from self._in_folder.get(folder, ())


def _closest(path: str, found: Sequence[str]) -> Iterator[str]:
    """Those of some files that have most folders in common with one."""
    common = [shared_parts(path, other) for other in found]
    most = max(common, default=0)
    yield from (other for other, shared in zip(found, common, strict=True) if shared == most)


def _is_around(folder: str, path: str) -> bool:
    """Whether a file lies below a folder, or the folder below that of the file."""
    own = path.rpartition("/")[0] + "/"
    return own.startswith(folder) or folder.startswith(own)
