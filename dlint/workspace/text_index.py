"""Which files hold which words: what a search asks before anything is parsed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from dlint.workspace import texts
from dlint.workspace.asked import note_terms, note_user_word, note_word, unnoted

_BETWEEN = bytes(c if c > 127 or chr(c).isalnum() or c == ord("_") else 32 for c in range(256))


_FEW = 2
"""Words that are sought in a text of which the words are not known."""
_MANY = 200
"""Files of a program for which words are looked up in all that is searched, once for all."""


def words_in(text: bytes, known: dict[bytes, bytes] | None = None) -> frozenset[bytes]:
    """The identifiers and numbers that stand anywhere in a text, comments included.

    Those that are `known` already are taken from there, which all others are added to.
    """
    words = set(text.translate(_BETWEEN).split())
    return frozenset(words if known is None else map(known.setdefault, words, words))


class Words:
    """The words of files, each read at most once; searches look at the `searched` ones."""

    def __init__(
        self,
        searched: frozenset[str],
        text: Callable[[str], bytes],
        words: Callable[[str], frozenset[bytes]] | None = None,
    ) -> None:
        """`words` may know the words of a file already."""
        self.searched = searched
        self._text = text
        self._find = words or (lambda path: words_in(text(path)))
        self._words: dict[str, frozenset[bytes]] = {}
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
        return words & known

    def _may_hold(self, path: str, words: frozenset[bytes]) -> bool:
        """Whether a word stands in a text, perhaps within others: that is known sooner."""
        text = self._text(path)
        return any(word in text for word in words)

    def is_in(self, path: str, word: bytes) -> bool:
        """Whether a file holds a word."""
        return bool(self.among(path, frozenset({word})))

    def _of(self, path: str) -> frozenset[bytes]:
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
    def _all(self) -> list[tuple[str, frozenset[bytes]]]:
        """The words of each file that is searched."""
        with unnoted():
            return [(path, self._of(path)) for path in self.searched]

    def is_called(self, path: str, name: str) -> bool:
        """Whether a file has a call of this name, or a class that derives from it."""
        return texts.is_called(self._text, path, name)
