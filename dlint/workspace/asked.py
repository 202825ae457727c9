"""What an analysis asks of files: the one seam at which each question is noted with its answer.

An answer that is kept between runs holds as long as all of these are answered as before. So nothing
above this room asks the file system but through here (tests/test_idioms.py).
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Look = tuple[str, ...]
"""A question about the file system: its kind, and what it is asked of."""
Saying = tuple[str, ...]
"""A question about the text of one file: its path, the kind of the question, and its rest."""

_SHORT = 64
"""Characters of an answer that stands for itself: most are, and a run of one file hashes none."""


class Asked:
    """The questions of one analysis."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        """Files of which the text, or what is made of it, was asked."""
        self.modules: set[str] = set()
        """Files of which only that was asked which is lowered from the text."""
        self.words: set[bytes] = set()
        """Words of which the files of the project that hold them were asked."""
        self.own_words: set[bytes] = set()
        """The same, of the files of one program alone."""
        self.user_words: set[bytes] = set()
        """The same, but for those files of it with which its analysis begins."""
        self.terms: dict[frozenset[bytes], set[str]] = {}
        """Words of which it was asked whether single files hold them, with these files."""
        self.sayings: dict[Saying, int | str] = {}
        """Questions about the texts of single files, with their answers."""
        self.looks: dict[Look, str] = {}
        """Questions about the file system, with digests of the answers."""
        self.looked: Any = None
        """What was read of the modules, where that is noted, and the names they were asked for."""

    @property
    def files(self) -> set[str]:
        """The files of which anything was asked by their path."""
        compared = set().union(*self.terms.values())
        return self.texts | self.modules | compared | {path for path, *_ in self.sayings}

    def add(self, other: Asked) -> None:
        """Note what another one noted, too: of modules, that all of them was read."""
        self.looked = None
        self.texts |= other.texts
        self.modules |= other.modules
        self.words |= other.words
        self.own_words |= other.own_words
        self.user_words |= other.user_words
        for words, paths in other.terms.items():
            self.terms.setdefault(words, set()).update(paths)
        self.sayings |= other.sayings
        self.looks |= other.looks


_NOTING: ContextVar[Asked | None] = ContextVar("asked", default=None)


@contextmanager
def noting() -> Iterator[Asked]:
    """Note what is asked meanwhile, also for who notes already."""
    before, asked = _NOTING.get(), Asked()
    token = _NOTING.set(asked)
    try:
        yield asked
    finally:
        _NOTING.reset(token)
        if before is not None:
            before.add(asked)


@contextmanager
def unnoted() -> Iterator[None]:
    """Note nothing meanwhile: what is asked is no answer yet, but an index to answer from."""
    token = _NOTING.set(None)
    try:
        yield
    finally:
        _NOTING.reset(token)


def note_text(path: str) -> None:
    """The text of a file is asked for."""
    asked = _NOTING.get()
    if asked is not None:
        asked.texts.add(path)


def note_module(path: str) -> None:
    """What a file lowers to is asked for: nothing that only its text tells."""
    asked = _NOTING.get()
    if asked is not None:
        asked.modules.add(path)


def note_word(word: bytes, *, is_everywhere: bool) -> None:
    """It is asked which files of the project, or of one program, hold a word."""
    asked = _NOTING.get()
    if asked is not None:
        (asked.words if is_everywhere else asked.own_words).add(word)


def note_user_word(word: bytes) -> None:
    """It is asked which files of one program hold a word, of those that are not begun with."""
    asked = _NOTING.get()
    if asked is not None:
        asked.user_words.add(word)


def note_terms(path: str, words: frozenset[bytes]) -> None:
    """It is asked which of some words a file holds."""
    asked = _NOTING.get()
    if asked is not None:
        asked.terms.setdefault(words, set()).add(path)


def note_saying(saying: Saying, answer: int | str) -> None:
    """A question about the text of a file is answered so."""
    asked = _NOTING.get()
    if asked is not None:
        asked.sayings[saying] = answer


def note(asked_then: Asked) -> None:
    """What was asked when an answer was made is asked again, as the answer is used again."""
    asked = _NOTING.get()
    if asked is not None:
        asked.add(asked_then)


def note_answer(question: str, answer: object) -> None:
    """A question that this room cannot ask itself was answered so."""
    asked = _NOTING.get()
    if asked is not None:
        asked.looks[question,] = digest_of(answer)


def answered(look: Look) -> str:
    """The digest of the answer to a question about the file system, as it is now.

    Raises KeyError for a question of no kind that is known here.
    """
    return digest_of(_KINDS[look[0]](*look[1:]))


def digest_of(answer: object) -> str:
    """A digest of what is told by its `repr`, which stands for itself where it is short."""
    told = "" if isinstance(answer, bytes) else repr(answer)
    if 0 < len(told) <= _SHORT:
        return told
    from hashlib import blake2b

    raw = answer if isinstance(answer, bytes) else told.encode("utf-8", "surrogatepass")
    return blake2b(raw, digest_size=12).hexdigest()


def is_file(path: str | Path) -> bool:
    """Whether a plain file is there."""
    return _noted(_is_file, "file", path)


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there."""
    return _noted(_is_folder, "folder", path)


def exists(path: str | Path) -> bool:
    """Whether anything is there."""
    return _noted(_exists, "exists", path)


def is_small(path: str | Path, most: int) -> bool:
    """Whether a file is there that has fewer bytes."""
    found = _is_small(str(path), str(most))
    _note(("small", str(path), str(most)), found)
    return found


def names_in(folder: str | Path, pattern: str, before: str = "") -> tuple[str, ...]:
    """The names in a folder that a regular expression takes, in order, with what is put before.

    None where the folder cannot be listed.
    """
    found = _names(str(folder), pattern, before)
    _note(("names", str(folder), pattern, before), found)
    return found


def content(path: str | Path, most: int) -> bytes | None:
    """The first bytes of a file; None where there is none that can be read."""
    found = _content(str(path), str(most))
    _note(("content", str(path), str(most)), found)
    return found


def holds(path: str | Path, pattern: str, most: int) -> bool:
    """Whether a regular expression matches somewhere in the first bytes of a plain file."""
    found = _holds(str(path), pattern, str(most))
    _note(("holds", str(path), pattern, str(most)), found)
    return found


def matching(folder: str | Path, pattern: str) -> tuple[str, ...]:
    """The paths in a folder that match a pattern, relative to it and in order."""
    found = _matching(str(folder), pattern)
    _note(("matching", str(folder), pattern), found)
    return found


def beginning_of(file: str | Path, most: int) -> str:
    """The first characters of a plain file, empty where there is none that can be read."""
    raw = content(file, 4 * most) if is_file(file) else None
    return _text(raw or b"")[:most]


def _text(raw: bytes) -> str:
    is_wide = raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    text = raw.decode("utf-16" if is_wide else "utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _noted(ask: Callable[[str], T], kind: str, path: str | Path) -> T:
    found = ask(str(path))
    _note((kind, str(path)), found)
    return found


def _note(look: Look, answer: object) -> None:
    asked = _NOTING.get()
    if asked is not None and look not in asked.looks:
        asked.looks[look] = digest_of(answer)


def _is_file(path: str) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def _is_folder(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def _exists(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except (OSError, ValueError):
        return None


def _is_small(path: str, most: str) -> bool:
    found = _size(path)
    return found is not None and found < int(most)


def _names(folder: str, pattern: str, before: str) -> tuple[str, ...]:
    taken = re.compile(pattern)
    try:
        names = [before + name for name in os.listdir(folder)]  # noqa: PTH208
    except (OSError, ValueError):
        return ()
    return tuple(sorted(name for name in names if taken.fullmatch(name)))


def _content(path: str, most: str) -> bytes | None:
    try:
        with Path(path).open("rb") as file:
            return file.read(int(most))
    except (OSError, ValueError):
        return None


def _holds(path: str, pattern: str, most: str) -> bool:
    raw = _content(path, most) if _is_file(path) else None
    return raw is not None and re.search(pattern, _text(raw)) is not None


def _matching(folder: str, pattern: str) -> tuple[str, ...]:
    try:
        return tuple(sorted(p.relative_to(folder).as_posix() for p in Path(folder).glob(pattern)))
    except OSError:
        return ()


_KINDS: dict[str, Callable[..., object]] = {
    "file": _is_file,
    "folder": _is_folder,
    "exists": _exists,
    "small": _is_small,
    "names": _names,
    "content": _content,
    "holds": _holds,
    "matching": _matching,
}
