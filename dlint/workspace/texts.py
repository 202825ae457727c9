"""Questions about the text of one file, each noted with its answer instead of the whole text.

So what was said of a program holds while a file that was only searched is edited elsewhere. Kinds
of questions have names, by which they are asked again of another text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dlint.findings.regexes import lazily
from dlint.workspace.asked import digest_of, note_saying, unnoted

if TYPE_CHECKING:
    from dlint.workspace.written_imports import Written

Text = Callable[[str], bytes]
"""The text at a path."""
Plain = int | str
Kept = Callable[[str, str, Callable[[], Any]], Any]
"""The answer to a question about the text at a path, where it is known; else it is found."""
ALL_TAKEN = lazily(rb"import\s+\*")
"""An import of all that a module holds."""
_SIZES = 4_096
"""Bytes in which the sizes of texts are counted."""
_REMEMBERED = 32_768
"""Answers about texts that are kept in a process: an editor's asks them again at each key."""


def kept_nowhere(_: str, __: str, answer: Callable[[], Any]) -> Any:
    """Nothing is known."""
    return answer()


def says(text: Text, path: str, pattern: re.Pattern[bytes], kept: Kept = kept_nowhere) -> bool:
    """Whether a pattern is found in the text at a path."""
    question, name = _pattern(pattern)

    def found() -> bool:
        with unnoted():
            return _matches(pattern, text(path))

    answer = bool(kept(path, name, found))
    note_saying((path, *question), answer)
    return answer


def holds(text: Text, path: str, word: bytes) -> bool:
    """Whether some bytes stand in the text at a path."""
    return bool(_asked(text, path, "holds", word.decode("latin-1")))


def holding(text: Text, path: str, words: Iterable[str], kept: Kept = kept_nowhere) -> list[str]:
    """Those of some words that stand in the text at a path, also within others."""
    question = ("holding", *words)

    def found() -> Plain:
        with unnoted():
            return _told(text(path), *question)

    answer = str(kept(path, _named(question), found))
    note_saying((path, *question), answer)
    return answer.splitlines()


def is_called(text: Text, path: str, name: str) -> bool:
    """Whether a text has a call of this name, a class that derives from it, or another name for
    it by an import.
    """
    return bool(_asked(text, path, "called", name))


def full_names(text: Text, path: str, words: Iterable[str]) -> list[str]:
    """What the text at a path calls, or hands on of its imports, by full names that hold a word."""
    return str(_asked(text, path, "full names", *words)).splitlines()


def rough_size(text: Text, path: str) -> int:
    """The size of a text, in bytes, rounded up so that few edits change it."""
    return _SIZES * int(_asked(text, path, "size"))


def imports(text: Text, path: str, kept: Kept = kept_nowhere) -> tuple[Written, ...]:
    """The imports in the text at a path, wherever they stand."""

    from dlint.workspace.written_imports import as_written, written_imports

    def found() -> tuple[Written, ...]:
        with unnoted():
            return written_imports(text(path))

    written = as_written(kept(path, "imports", found))
    note_saying((path, "imports"), digest_of(written))
    return written


def import_words(text: Text, path: str, kept: Kept = kept_nowhere) -> frozenset[bytes]:
    """Words among which are all that the imports in the text at a path consist of."""

    def found() -> str:
        with unnoted():
            return b" ".join(sorted(_import_words(text(path)))).decode("latin-1")

    words = frozenset(str(kept(path, "import words", found)).encode("latin-1").split())
    note_saying((path, "import words"), _digest_of_words(words))
    return words


def top_imports(text: Text, path: str) -> tuple[Written, ...]:
    """Those that run whenever the module does."""
    from dlint.workspace.written_imports import top_of

    with unnoted():
        found = top_of(text(path))
    note_saying((path, "top"), digest_of(found))
    return found


def answered(raw: bytes, kind: str, *given: str) -> Plain:
    """The answer to a question about a text. Raises KeyError for a kind that is not known."""
    return _told(raw, kind, *given)


def _asked(text: Text, path: str, kind: str, *given: str) -> Plain:
    with unnoted():
        answer = _told(text(path), kind, *given)
    note_saying((path, kind, *given), answer)
    return answer


@lru_cache
def _pattern(pattern: re.Pattern[bytes]) -> tuple[tuple[str, ...], str]:
    """The question after a pattern, and what its answers are kept under."""
    question = ("says", pattern.pattern.decode("latin-1"), str(pattern.flags))
    return question, _named(question)


@lru_cache
def _named(question: tuple[str, ...]) -> str:
    """What the answers to a question are kept under."""
    return f"{question[0]} {digest_of(question)}"


@lru_cache(_REMEMBERED)
def _told(raw: bytes, kind: str, *given: str) -> Plain:
    return _KINDS[kind](raw, *given)


@lru_cache(_REMEMBERED)
def _matches(pattern: re.Pattern[bytes], raw: bytes) -> bool:
    return pattern.search(raw) is not None


def _says(raw: bytes, pattern: str, flags: str) -> bool:
    return re.search(pattern.encode("latin-1"), raw, int(flags)) is not None


def _holds(raw: bytes, word: str) -> bool:
    return word.encode("latin-1") in raw


def _holding(raw: bytes, *words: str) -> str:
    return "\n".join(word for word in words if word.encode() in raw)


def _is_called(text: bytes, name: str) -> bool:
    word = name.encode()
    at = text.find(word)
    while at >= 0:
        line = text[text.rfind(b"\n", 0, at) + 1 : at].lstrip()
        whole = not (text[at - 1 : at].isalnum() or text[at - 1 : at] == b"_")
        behind = text[at + len(word) : at + len(word) + len(b" as ")]
        called = whole and (behind.startswith(b"(") or behind == b" as ")
        if line.startswith(b"class ") or (called and not line.endswith(b"def ")):
            return True
        at = text.find(word, at + 1)
    return False


def _imports(raw: bytes) -> str:
    from dlint.workspace.written_imports import written_imports

    return digest_of(written_imports(raw))


def _spoken(raw: bytes) -> str:
    return _digest_of_words(_import_words(raw))


def _digest_of_words(words: frozenset[bytes]) -> str:
    return digest_of(sorted(words))


@lru_cache(_REMEMBERED)
def _import_words(raw: bytes) -> frozenset[bytes]:
    from dlint.workspace.written_imports import import_words

    return import_words(raw)


def _top(raw: bytes) -> str:
    from dlint.workspace.written_imports import top_of

    return digest_of(top_of(raw))


def _full_names(raw: bytes, *words: str) -> str:
    from dlint.workspace import written_names

    return "\n".join(sorted(written_names.full_names(raw, words)))


def _size(text: bytes) -> int:
    return -(-len(text) // _SIZES)


_KINDS: dict[str, Callable[..., Plain]] = {
    "says": _says,
    "holds": _holds,
    "holding": _holding,
    "called": _is_called,
    "full names": _full_names,
    "size": _size,
    "imports": _imports,
    "import words": _spoken,
    "top": _top,
}
