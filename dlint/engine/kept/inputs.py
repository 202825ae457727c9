"""All that was asked for an answer, as JSON, and whether it would be answered so again.

Of a file that is the same nothing is asked again. Of one that changed, what was asked of it: where
that was its whole text, the answer is gone; else which words it holds, what it says, and, where it
was lowered, whether it lowers to the same but for places: then findings move with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.engine.kept.files import FileFacts
from dlint.engine.kept.looks import Looks
from dlint.frontends.modules import Modules
from dlint.workspace import asked, texts
from dlint.workspace.asked import Asked, digest_of

if TYPE_CHECKING:
    from dlint.workspace.text_index import Words

Json = Any
Moves = Mapping[str, Mapping[int, int] | None]
"""By the file that changed, where each offset lies now that had a meaning; None of a file of which
nothing was lowered."""


class Program(NamedTuple):
    """What answers are about, as far as words are looked up."""

    files: frozenset[str]
    words: Words
    seeds: frozenset[str]
    """The files with which the analysis begins."""

    @property
    def all_files(self) -> frozenset[str]:
        """Also those of which only words are looked up."""
        return self.files | self.words.searched


class Inputs:
    """Notes what was asked, and asks it again."""

    def __init__(
        self, files: FileFacts, modules: Modules, given: Mapping[str, Callable[[], object]]
    ) -> None:
        """`given` tells how questions are answered that are not about the file system."""
        self._files = files
        self._modules = modules
        self._given = given
        self._moved: dict[tuple[str, str], Mapping[int, int] | None] = {}

    def of(self, noted: Asked, program: Program) -> Json:
        """What was asked for an answer about a program, with what was answered."""
        questions, sayings = _by_path(noted)
        names = {path: self._modules.name(path) for path in noted.modules}
        whole = noted.texts | {path for path, name in names.items() if name is None}
        words = _Words(noted.words, noted.own_words, noted.user_words, noted.terms)
        return [
            [
                [
                    path,
                    self._files.digest_as_read(path),
                    names.get(path),
                    words.held(path, program),
                    sayings[path],
                ]
                for path in sorted(noted.files | program.all_files)
            ],
            questions,
            sorted(whole),
            words.to_json(),
            [[*look, digest] for look, digest in sorted(noted.looks.items())],
        ]

    def moves(self, kept: Json, program: Program, looks: Looks) -> Moves | None:
        """What has moved, by file, where all would be answered as it was; else None.

        `looks` tells whether what was read of a module that changed is the same.
        What is kept is that of the files as they are now then. Raises ValueError or TypeError for
        what is kept of nothing.
        """
        rows, questions, whole, kept_words, asked_of_files = kept
        words, known = _Words.of(kept_words), {path for path, *_ in rows}
        changed = [row for row in rows if self._files.digest(row[0]) != row[1]]
        holds = (
            frozenset(whole).isdisjoint(path for path, *_ in changed)
            and not any(words.held(path, program) for path in program.all_files - known)
            and all(self._answered(look) == digest for *look, digest in asked_of_files)
            and all(self._is_so(row, questions, words, program, looks) for row in changed)
        )
        if not holds:
            return None
        moves = {row[0]: None if row[2] is None else self._moves(row, looks) for row in changed}
        for row in changed:
            row[1] = self._files.digest(row[0])
            row[2] = None if row[2] is None else self._modules.name(row[0])
        return moves

    def _is_so(
        self, row: Json, questions: Json, words: _Words, program: Program, looks: Looks
    ) -> bool:
        """Whether a file that changed says what was asked as it did, if elsewhere."""
        path, _, name, held, sayings = row
        if words.held(path, program) != held:
            return False
        raw = self._modules.text(path)
        if not all(texts.answered(raw, *questions[number]) == said for number, said in sayings):
            return False
        return name is None or self._moves(row, looks) is not None

    def _moves(self, row: Json, looks: Looks) -> Mapping[int, int] | None:
        path, _, name, *_ = row
        if (path, name) not in self._moved:
            self._moved[path, name] = self._modules.moved(name, path)
        found = self._moved[path, name]
        return looks.moves(name, path) if found is None else found

    def _answered(self, look: list[str]) -> str:
        given = self._given.get(look[0])
        return asked.answered(tuple(look)) if given is None else digest_of(given())


class _Words:
    """The words of which it was asked which files hold them."""

    def __init__(
        self,
        everywhere: Iterable[bytes],
        own: Iterable[bytes],
        users: Iterable[bytes],
        terms: Mapping[frozenset[bytes], Iterable[str]],
    ) -> None:
        """Asked of all files, of those of the program, of these without its seeds, and of some."""
        self._plain = [frozenset(everywhere), frozenset(own), frozenset(users)]
        self._terms = terms

    def held(self, path: str, program: Program) -> str:
        """A digest of those words that a file holds of which it was asked; empty for none."""
        words = set(self._of_files.get(path, ()))
        everywhere, own, users = self._plain
        if path in program.words.searched:
            words |= everywhere
            if path in program.files:
                words |= own
                words |= frozenset() if path in program.seeds else users
        found = program.words.among(path, frozenset(words))
        return digest_of(sorted(found)) if found else ""

    @cached_property
    def _of_files(self) -> dict[str, set[bytes]]:
        """The words of which single files were asked."""
        found: defaultdict[str, set[bytes]] = defaultdict(set)
        for words, paths in self._terms.items():
            for path in paths:
                found[path] |= words
        return found

    def to_json(self) -> Json:
        """All of it; files by their numbers, as each was asked for many groups of words."""
        paths = sorted({path for paths in self._terms.values() for path in paths})
        numbers = {path: number for number, path in enumerate(paths)}
        terms = [
            [_spelled(words), sorted(map(numbers.__getitem__, asked))]
            for words, asked in self._terms.items()
        ]
        return [*map(_spelled, self._plain), paths, terms]

    @classmethod
    def of(cls, kept: Json) -> _Words:
        *plain, paths, terms = kept
        asked = {_words(words): [paths[n] for n in numbers] for words, numbers in terms}
        everywhere, own, users = map(_words, plain)
        return cls(everywhere, own, users, asked)


def _spelled(words: Iterable[bytes]) -> list[str]:
    return [word.decode("latin-1") for word in sorted(words)]


def _words(spelled: Iterable[str]) -> frozenset[bytes]:
    return frozenset(word.encode("latin-1") for word in spelled)


def _by_path(noted: Asked) -> tuple[list[Json], defaultdict[str, list[Json]]]:
    """The questions about single texts; by the path, their numbers with the answers."""
    numbers: dict[tuple[str, ...], int] = {}
    found: defaultdict[str, list[Json]] = defaultdict(list)
    for (path, *question), answer in sorted(noted.sayings.items()):
        number = numbers.setdefault(tuple(question), len(numbers))
        found[path].append([number, answer])
    return list(map(list, numbers)), found
