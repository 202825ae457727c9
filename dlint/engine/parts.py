"""The parts of a project that are analysed, each by itself: programs, and how each is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.engine.kept.keeping import Kept
from dlint.engine.roles import Roles
from dlint.frontends.modules import Modules
from dlint.workspace.asked import digest_of
from dlint.workspace.kinds import is_config, is_notebook

if TYPE_CHECKING:
    from dlint.engine.drivers import Drivers
    from dlint.semantics.names.imports import ImportMap
    from dlint.semantics.names.mentions import Mentions
    from dlint.semantics.names.programs import Programs, Resolved
    from dlint.workspace.text_index import Words

Paths = frozenset[str]


class Look(StrEnum):
    """As what a part is looked at."""

    MAIN = "main"
    TESTS = "tests"
    """Tests call the program in ways it is not used: they are apart, and give errors only."""
    NOTEBOOK = "notebook"
    """A notebook with what it imports: findings lie in it alone. What it does with modules that
    no script runs counts in their own program (see `drivers`)."""


class Part(NamedTuple):
    """One program, and how it is looked at."""

    look: Look
    seeds: tuple[str, ...]
    """The files with which the analysis begins."""
    files: Paths
    words: Words
    """The words of all that is searched for users, of other parts too: what another program says
    of a GPU is said of the project."""
    searched: Paths | None = None
    """The files in which users of a definition are looked for; None for all."""
    told: Paths | None = None
    """The files in which its findings lie; None for all."""


class Parts:
    """The parts of a project that have to do with what is reported."""

    def __init__(self, roles: Roles, modules: Modules, kept: Kept) -> None:
        self._roles = roles
        self._kept = kept
        self._modules = modules
        self._text = modules.text
        self._known = modules.words
        self._mentions: dict[str, Mentions] = {}

    def of(self, reported: Paths) -> Iterator[Part]:
        """All parts in which a finding can lie in a reported file, which all matter."""
        notebooks = frozenset(filter(is_notebook, reported))
        tests = frozenset(filter(self._roles.is_test, reported - notebooks))
        yield from self._main(reported - notebooks - tests)
        yield from self._tests(tests)
        for path in sorted(notebooks):
            yield from self._notebook(path)

    def _main(self, reported: Paths) -> Iterator[Part]:
        roles = self._roles
        if not self._may_hold_findings(reported):
            return
        seeds = [path for path in sorted(roles.main) if roles.is_seed(path)]
        if seeds:
            self._kept.open()
            words = self._words
            for own, files in self._programs.of(seeds, reported):
                notebooks = self._drivers.of(files)
                if notebooks:
                    yield self._driven(tuple(own), files, notebooks)
                else:
                    yield Part(Look.MAIN, tuple(own), files, words)

    def _driven(self, seeds: tuple[str, ...], files: Paths, notebooks: Paths) -> Part:
        """A program with the notebooks that run it, and all else that these bring together."""
        used = self._drivers.used_by(notebooks)
        joined = files | notebooks | self._programs.around(used)
        begun = filter(self._roles.is_seed, sorted(notebooks))
        return Part(Look.MAIN, (*seeds, *begun), joined, self._words_of_all, told=files)

    def _tests(self, reported: Paths) -> Iterator[Part]:
        roles = self._roles
        if not self._may_hold_findings(reported):
            return
        searched = frozenset(filter(roles.orders_samples, roles.files - roles.main))
        searched |= frozenset(filter(is_config, reported))
        seeds = sorted(filter(roles.is_test_seed, searched))
        if seeds:
            self._kept.open()
            words = self._words_of(searched)
            for own, files in self._made(Look.TESTS, roles.files).of(seeds, reported):
                yield Part(Look.TESTS, tuple(own), files, words, searched)

    def _notebook(self, path: str) -> Iterator[Part]:
        if self._roles.is_seed(path):
            self._kept.open()
            files = self._programs.around(self._resolved.by(path)) | {path}
            alone = frozenset({path})
            yield Part(Look.NOTEBOOK, (path,), files, self._words_of(alone), alone)

    @cached_property
    def _drivers(self) -> Drivers:
        """The notebooks that run what no script does."""
        from dlint.engine.drivers import Drivers

        return Drivers(self._roles, self._modules, self._kept.files, self._resolved.by)

    @cached_property
    def _resolved(self) -> Resolved:
        """Which of the files that are no tests a text names."""
        from dlint.semantics.names.programs import Resolved

        return Resolved(self._roles.main, self._imports, self._mentioned)

    def named_in(self, part: Part) -> Callable[[str], Iterable[str]]:
        """Which files of a part one has to do with by its own text."""
        from dlint.semantics.names.imports import ImportMap
        from dlint.semantics.names.programs import Resolved

        imports = ImportMap.of(part.files, self._roles.changes_path)
        return Resolved(part.files, imports, self._mentioned).by

    def _mentioned(self, path: str) -> Mentions:
        from dlint.semantics.names.mentions import Mentions, mentions

        found = self._mentions.get(path)
        if found is None:
            said = self._kept.files.said(path, "names", lambda: mentions(path, self._text(path)))
            found = self._mentions[path] = Mentions.of(said)
        return found

    def _may_hold_findings(self, reported: Paths) -> bool:
        if not any(map(self._roles.may_hold_findings, sorted(reported))):
            return False
        if self._roles.are_many:
            self._kept.open()
        return len(reported) > 1 or not any(map(self._roles.is_no_module, reported))

    @cached_property
    def _words(self) -> Words:
        return self._words_of(self._roles.main)

    def _words_of(self, files: Paths) -> Words:
        from dlint.workspace.text_index import Words

        return Words(files, self._text, self._known)

    @cached_property
    def _words_of_all(self) -> Words:
        return self._words_of(self._roles.main.union(filter(is_notebook, self._roles.bystanders)))

    @cached_property
    def _imports(self) -> ImportMap:
        from dlint.semantics.names.imports import ImportMap

        return ImportMap.of(self._roles.main, self._roles.changes_path)

    @cached_property
    def _programs(self) -> Programs:
        """Those of the files that are no tests."""
        return self._made(Look.MAIN, self._roles.main)

    def _made(self, look: Look, files: Paths) -> Programs:
        """The programs of some files: the same while each names what it named."""
        from dlint.semantics.names.programs import Programs

        key = digest_of([(path, self._named(path)) for path in sorted(files)])
        groups = self._kept.found(f"programs-{look}", key, lambda: self._joined(files).groups)
        return Programs.of_groups(files, groups)

    def _joined(self, files: Paths) -> Programs:
        from dlint.semantics.names.imports import ImportMap
        from dlint.semantics.names.programs import programs

        imports = ImportMap.of(files, self._roles.changes_path)
        return programs(files, imports, self._mentioned)

    def _named(self, path: str) -> str:
        """A digest of all that a file tells of what it belongs to."""

        def told() -> str:
            return digest_of((self._mentioned(path), self._roles.changes_path(path)))

        found: str = self._kept.files.said(path, "named", told)
        return found
