"""The modules of one analysis: read and lowered when first asked for, or found to be none."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dlint.findings.places import Place
from dlint.workspace import asked, scan
from dlint.workspace.asked import Asked
from dlint.workspace.errors import DlintCrash
from dlint.workspace.kinds import PYTHON, is_config, is_shell, kind_of
from dlint.workspace.reading import Sources
from dlint.workspace.source import FileProblem, Source, UnreadableError

if TYPE_CHECKING:
    from dlint.ir.looked_at import Looked
    from dlint.ir.module import ModuleIndex
    from dlint.ir.store import Store
    from dlint.ir.unchanged import Answers, Pairs, Read, Unchanged
    from dlint.workspace.text_index import WordSet


class Helpers(Protocol):
    """Other processes that lower modules while this one asks for some of them."""

    def expect(self, paths: Iterable[str]) -> None:
        """These modules are asked for next."""

    def lowered(self, path: str) -> bytes | None:
        """The index of a module; None where it is not handed over: it may be kept by now."""

    def end(self) -> None:
        """Nothing is asked of them any more."""


class Modules:
    """Texts and indexes by path.

    `cache_dir` is where indexes are kept between runs, but for those of `passing` texts: an editor
    hands in a new one at every key. `cache_key` is what entries are found by, beside the text.
    """

    def __init__(
        self,
        sources: Sources,
        cache_dir: Path | None,
        passing: Container[str] = (),
        cache_key: bytes = b"",
    ) -> None:
        self.problems: dict[str, FileProblem] = {}
        """Files that were asked for and are no modules, and why."""
        self.oversized: set[str] = set()
        """Python files that were asked for and are too large to be read."""
        self._sources = sources
        self._cache_dir = cache_dir
        self._cache_key = cache_key
        self._passing = passing
        self._store: Store | None = None
        self._texts: dict[str, Source | None] = {}
        self._indexes: dict[str, ModuleIndex | None] = {}
        self._ahead: dict[str, bytes] = {}
        """Indexes that another process has lowered, until they are asked for."""
        self._helpers: Helpers | None = None
        self._number_of: dict[bytes, int] = {}
        """The words of all files, each once, by which their sets are kept."""
        self._objects: dict[str, Sequence[object]] = {}
        """The objects of indexes of which it is noted what is read of them, class by class."""
        self._watched: set[str] = set()
        self.notes_looks = False
        """Whether that is noted of what is lowered or read from now on."""
        self._others: dict[str, Asked] = {}
        """Of modules with the settings of others, what was asked of those."""

    def text(self, path: str) -> bytes:
        """The text of a file, for searches; one that cannot be read is empty."""
        asked.note_text(path)
        source = self._source(path)
        return b"" if source is None else source.searchable

    def words(self, path: str) -> WordSet:
        """The words of a file; none of one that cannot be read."""
        from dlint.workspace.text_index import WordSet, words_in

        asked.note_text(path)
        source = self._source(path)
        if source is None:
            return WordSet((), self._number_of)
        found: WordSet | None = source.kept.get(words_in)
        if found is None:
            found = source.kept[words_in] = words_in(source.searchable, self._number_of)
        return found

    def glance(self, path: str) -> bytes:
        """The bytes of a config file, for searches, without looking at them as a text."""
        return self._sources.glance(path)

    @property
    def large(self) -> set[str]:
        """Configs that were too large for a glance."""
        return self._sources.large

    def notices(self, path: str) -> tuple[str, ...]:
        """What of a file is left out, and why."""
        source = self._source(path)
        return () if source is None else source.notices

    def get(self, path: str) -> ModuleIndex | None:
        """The index of a file; None where there is a problem. Raises DlintCrash."""
        index = self._got(path)
        if index is None or path in self._others or kind_of(path) != PYTHON:
            asked.note_text(path)
        else:
            asked.note_module(path)
        if path in self._others:
            asked.note(self._others[path])
        return index

    def name(self, path: str) -> str | None:
        """The name under which the index of a file is kept; None where it is not."""
        source = self._source(path)
        if source is not None and path in self._passing:
            return asked.digest_of(source.searchable) if self._is_copied(source) else None
        if source is None or self._kept_in is None:
            return None
        return self._kept_in.name(source)

    def moved(self, name: str, path: str) -> Mapping[int, int] | None:
        """Where what is kept under a name lies in a file now; None where more than that changed."""
        if path in self._passing:
            return None
        index, source = self._got(path), self._source(path)
        if index is None or source is None or self._kept_in is None or path in self._others:
            return None
        return self._kept_in.moved(name, source)

    def unchanged(
        self,
        name: str,
        path: str,
        looked: Looked,
        asked: Callable[[Read, Read], Pairs],
        answers: Answers,
    ) -> Unchanged | None:
        """How what is kept under a name lies in a file now, as far as it was read; None where what
        was read is not the same."""
        index, source = self._got(path), self._source(path)
        if index is None or source is None or self._kept_in is None or path in self._others:
            return None
        return self._kept_in.unchanged(name, source, looked, asked, answers)

    def untouched(self, path: str) -> Read | None:
        """The index of a passing text as nobody has read it, where an analysis has a copy of it."""
        source = self._source(path)
        if source is None or not self._is_copied(source):
            return None
        from dlint.ir.serial import objects_of
        from dlint.ir.unchanged import Read

        with _blaming(path):
            index = self._first(source)
        return None if index is None else Read(index, objects_of(index))

    def looked_at(self, paths: Iterable[str]) -> dict[str, Looked]:
        """What was read of the indexes of some files, where that is noted."""
        if not self._objects:
            return {}
        from dlint.ir.looked_at import TOLD, looked_at

        noted, told = self._watched & self._objects.keys(), TOLD.by_part()
        return {path: looked_at(self._objects[path], told) for path in paths if path in noted}

    def _got(self, path: str) -> ModuleIndex | None:
        if path not in self._indexes:
            source = self._source(path)
            index = self._indexes[path] = None if source is None else self._index(source)
            if source is not None and index is not None and scan.sets_loaders(source.searchable):
                from dlint.frontends.python_files import add_loaders

                with asked.noting() as others:
                    add_loaders(index, source.searchable, self._whole)
                self._others[path] = others
                self._objects.pop(path, None)
        return self._indexes[path]

    def _whole(self, path: str) -> ModuleIndex | None:
        """The index of a file, of which all counts as read."""
        index = self.get(path)
        self._objects.pop(path, None)
        return index

    def watch(self, path: str) -> None:
        """From now on, note what is read of the index of a file."""
        if path in self._objects and path not in self._watched:
            from dlint.ir.looked_at import arm

            self._watched.add(path)
            arm(self._objects[path])

    def lacks(self, path: str) -> bool:
        """Whether the index of a Python file is neither here nor kept, and another process may
        make it."""
        is_here = path in self._indexes or path in self._ahead
        if kind_of(path) != PYTHON or is_here or path in self._passing:
            return False
        source = self._source(path)
        return source is not None and (self._kept_in is None or self._kept_in.lacks(source))

    def prepare(self) -> None:
        """Import what files are lowered with, once for all processes that are forked from here."""
        import dlint.ir.lower
        import dlint.ir.serial  # noqa: F401

    def ahead(self, path: str) -> bytes | None:
        """Lower a Python file for another process: its index, for that one to `take`.

        None where that one finds it in the cache, or there is none. Raises DlintCrash.
        """
        source = self._source(path)
        if source is None or not self.lacks(path):
            return None
        from dlint.ir.serial import packed

        with _blaming(path):
            index = self._lowered(source)
        return packed(index) if index is not None and self.lacks(path) else None

    def take(self, path: str, packed: bytes) -> None:
        """The index of a file, which another process has lowered."""
        self._ahead[path] = packed

    def begin_help(self, helpers: Helpers | None) -> None:
        """Ask others, too, for what is to be lowered, until the end of help."""
        self._helpers = helpers

    def expect(self, paths: Iterable[str]) -> None:
        """These modules are asked for next."""
        if self._helpers is not None:
            self._helpers.expect(paths)

    def end_help(self) -> None:
        """From now on, few modules are asked for that are not lowered yet."""
        if self._helpers is not None:
            self._helpers.end()
            self._helpers = None

    def is_valid(self, path: str) -> bool:
        """Whether a file is Python, as far as is known without lowering it."""
        source = self._source(path)
        if source is None or path in self._indexes or is_config(path):
            return path not in self.problems
        if path in self._ahead:
            return True
        store = self._store
        if store is not None and store.holds(source):
            return True
        valid = _compiles(source.passing_text)
        if valid and store is not None and path not in self._passing:
            store.put_mark(source)
        return valid

    def source(self, path: str) -> Source | None:
        """A file as it is read; None where it cannot be."""
        asked.note_text(path)
        try:
            return self._sources.get(path)
        except UnreadableError:
            return None

    def _source(self, path: str) -> Source | None:
        if path not in self._texts:
            try:
                self._texts[path] = self._sources.get(path)
            except UnreadableError as error:
                self._texts[path] = None
                if not is_shell(path):
                    self.problems[path] = FileProblem(Place(path, 0, 0), str(error), False)
        return self._texts[path]

    def _index(self, source: Source) -> ModuleIndex | None:
        with _blaming(source.path):
            if is_shell(source.path):
                from dlint.frontends.shell_trainers import lower_shell

                return lower_shell(source)
            if is_config(source.path):
                from dlint.frontends.config_files import lower_config

                return lower_config(source)
            return self._known(source)

    def _known(self, source: Source) -> ModuleIndex | None:
        """The index of a Python file; a copy of one of which it is noted what is read, and which is
        there for the next analysis."""
        index = self._first(source)
        if index is None or not self._is_copied(source):
            return index
        from dlint.ir.serial import copied

        copy, self._objects[source.path] = copied(index)
        return copy

    def _is_copied(self, source: Source) -> bool:
        path = source.path
        is_noted = self.notes_looks and path in self._passing and kind_of(path) == PYTHON
        return is_noted and not scan.sets_loaders(source.searchable)

    def _first(self, source: Source) -> ModuleIndex | None:
        """The index of a Python file: of the same text it is the same, unless it is added to."""
        index: ModuleIndex | None = source.kept.get(Modules)
        if index is None:
            index = self._stored(source) or self._lowered(source)
            if index is not None and not scan.sets_loaders(source.searchable):
                source.kept[Modules] = index
                if self._passing:
                    index.remember()  # an editor asks it again at every key
        return index

    def _stored(self, source: Source) -> ModuleIndex | None:
        packed = self._ahead.pop(source.path, None)
        if packed is None and self._helpers is not None:
            packed = self._helpers.lowered(source.path)
        if packed is not None:
            from dlint.ir.serial import unpacked

            return unpacked(packed, source.path)
        found = None if self._kept_in is None else self._kept_in.read(source)
        return None if found is None else self._noted(source, found)

    def _noted(self, source: Source, found: Read) -> ModuleIndex:
        """An index, of which it is noted from now on what is read of it."""
        if self.notes_looks and not self._passing and kind_of(source.path) == PYTHON:
            self._objects[source.path] = found.objects
        return found.index

    @property
    def _kept_in(self) -> Store | None:
        if self._store is None and self._cache_dir is not None:
            from dlint.ir.store import Store

            self._store = Store(self._cache_dir, self._cache_key)
        return self._store

    def _lowered(self, source: Source) -> ModuleIndex | None:
        from dlint.ir.lower import lower
        from dlint.workspace import bounds, memory, parse_cost
        from dlint.workspace.parsing import SyntaxProblem

        megabytes = bounds.megabytes_to_parse(source.text)
        if megabytes > parse_cost.MOST:
            self.oversized.add(source.path)
            return None
        try:
            index = lower(source)
        except SyntaxProblem as problem:
            from dlint.frontends.broken_files import problem_of

            told = problem_of(source, problem)
            if told is not None:
                self.problems[source.path] = told
            return None
        finally:
            if megabytes > parse_cost.MUCH:
                memory.give_back()
        if self._store is not None and source.path not in self._passing:
            return self._noted(source, self._store.put(source, index))
        return index


@contextmanager
def _blaming(path: str) -> Iterator[None]:
    """Whatever ends the lowering of a file is a crash about it."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # what the parser panics with is no Exception
        raise DlintCrash(path) from error


def _compiles(text: str) -> bool:
    """Whether the running Python takes a text; it is quick to tell, but may be too old to."""
    import warnings
    from symtable import symtable

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            symtable(text, "<module>", "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
