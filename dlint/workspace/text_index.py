"""Which files hold which words: what a search asks before anything is parsed."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property

from dlint.workspace import texts
from dlint.workspace.asked import note_terms, note_user_word, note_word, unnoted

_BETWEEN = bytes(c if c > 127 or chr(c).isalnum() or c == ord("_") else 32 for c in range(256))


_FEW = 2
"""Words that are sought in a text of which the words are not known."""
_MANY = 200
"""Files of a program for which words are looked up in all that is searched, once for all."""


class WordSet:
    """The words of one text, as sorted numbers: 400 words take 1.6 KB, as a set some 20."""

    __slots__ = ("_number_of", "_numbers")

    def __init__(self, words: Iterable[bytes], number_of: dict[bytes, int]) -> None:
        """`number_of` numbers the words of many texts; those that are new to it are added."""
        self._number_of = number_of
        self._numbers = array(
            "I", sorted([number_of.setdefault(word, len(number_of)) for word in words])
        )

    def __contains__(self, word: bytes) -> bool:
        number = self._number_of.get(word)
        if number is None:
            return False
        at = bisect_left(self._numbers, number)
        return at < len(self._numbers) and self._numbers[at] == number

    def among(self, words: frozenset[bytes]) -> frozenset[bytes]:
        """Which of some words these are."""
        return frozenset([word for word in words if word in self])


def words_in(text: bytes, number_of: dict[bytes, int] | None = None) -> WordSet:
    """The identifiers and numbers that stand anywhere in a text, comments included.

    With `number_of`, texts of which the words are many times the same share them.
    """
    words = set(text.translate(_BETWEEN).split())
    return WordSet(words, {} if number_of is None else number_of)


class Words:
    """The words of files, each read at most once; searches look at the `searched` ones."""

    def __init__(
        self,
        searched: frozenset[str],
        text: Callable[[str], bytes],
        words: Callable[[str], WordSet] | None = None,
    ) -> None:
        """`words` may know the words of a file already."""
        self.searched = searched
        self._text = text
        self._find = words or (lambda path: words_in(text(path)))
        self._words: dict[str, WordSet] = {}
        self._searches: dict[bytes, frozenset[str]] = {}

    def among(self, path: str, words: frozenset[bytes]) -> frozenset[bytes]:
        """Which of some words a file holds."""
        note_terms(path, words)
        known = self._words.get(path)
        if known is None:
            with unnoted():
                if len(words) <= _FEW and not self._may_hold(path, words):
                    return frozenset()
                known = self._of(path)
        return known.among(words)

    def _may_hold(self, path: str, words: frozenset[bytes]) -> bool:
        """Whether a word stands in a text, perhaps within others: that is known sooner."""
        text = self._text(path)
        return any(word in text for word in words)

    def is_in(self, path: str, word: bytes) -> bool:
        """Whether a file holds a word."""
        return bool(self.among(path, frozenset({word})))

    def _of(self, path: str) -> WordSet:
        words = self._words.get(path)
        if words is None:
            words = self._words[path] = self._find(path)
        return words

    def holders_in(self, files: frozenset[str], word: bytes) -> frozenset[str]:
        """Those of some files, which one program consists of, that are searched and hold a word."""
        note_word(word, is_everywhere=False)
        return self._found_in(files, word)

    def users_in(self, files: frozenset[str], word: bytes) -> frozenset[str]:
        """The same for who has no use for the files with which the analysis of these begins."""
        note_user_word(word)
        return self._found_in(files, word)

    def _found_in(self, files: frozenset[str], word: bytes) -> frozenset[str]:
        if len(files) < _MANY:
            with unnoted():
                return frozenset(p for p in files & self.searched if word in self._of(p))
        return self._found(word) & files

    def holders(self, word: bytes) -> frozenset[str]:
        """The searched files that hold a word."""
        note_word(word, is_everywhere=True)
        return self._found(word)

    def _found(self, word: bytes) -> frozenset[str]:
        """The files that hold a word, looked for once."""
        found = self._searches.get(word)
        if found is None:
            found = frozenset([path for path, words in self._all if word in words])
            self._searches[word] = found
        return found

    @cached_property
    def _all(self) -> list[tuple[str, WordSet]]:
        """The words of each file that is searched."""
        with unnoted():
            return [(path, self._of(path)) for path in self.searched]

    def is_called(self, path: str, name: str) -> bool:
        """Whether a file has a call of this name, or a class that derives from it."""
        return texts.is_called(self._text, path, name)
