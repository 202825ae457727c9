"""Answers about parts, kept with all that was asked for them, and used while that is unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dlint.engine.answer import Answer
from dlint.engine.kept.files import FileFacts
from dlint.engine.kept.storage import Storage
from dlint.workspace import asked
from dlint.workspace.asked import Asked, digest_of
from dlint.workspace.reading import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dlint.engine.parts import Part
    from dlint.workspace.text_index import Words

Json = Any


class Answers:
    """What is kept of one project under some rules."""

    def __init__(
        self, storage: Storage, files: FileFacts, sources: Sources, rules: frozenset[str]
    ) -> None:
        self._storage = storage
        self._files = files
        self._sources = sources
        self._rules = digest_of(sorted(rules))
        self._states: dict[frozenset[str], str] = {}
        self._given: dict[str, Callable[[], object]] = {}

    def give(self, question: str, answer: Callable[[], object]) -> None:
        """Tell how a question is answered now that is not about the file system."""
        self._given[question] = answer

    def get(self, part: Part) -> Answer | None:
        """The answer about a part, if all that was asked for it would be answered as it was."""
        name = self._name(part)
        try:
            texts, own, everywhere, looks, answer = self._storage.get(name)
            if not (
                self._are_texts(texts)
                and self._are_looks(looks)
                and self._are_words(own, part.words, part.files)
                and self._are_words(everywhere, part.words, part.words.searched)
            ):
                return None
            found = Answer.from_json(answer)
        except (ValueError, TypeError, LookupError):
            return None
        self._storage.use(name)
        return found

    def put(self, part: Part, answer: Answer, noted: Asked) -> None:
        """Keep an answer, unless it rests on what is no file, or a rule failed."""
        if answer.crashes or any(map(self._sources.is_changed, noted.texts)):
            return
        texts = {path: self._files.digest_as_read(path) for path in sorted(noted.texts)}
        own = self._held(noted.own_words, part.words, part.files)
        everywhere = self._held(noted.words, part.words, part.words.searched)
        looks = [[*look, digest] for look, digest in sorted(noted.looks.items())]
        self._storage.put(self._name(part), [texts, own, everywhere, looks, answer.to_json()])
        self._storage.use(self._name(part))

    def _name(self, part: Part) -> str:
        searched = None if part.searched is None else sorted(part.searched)
        return digest_of((part.look.value, part.seeds, sorted(part.files), searched, self._rules))

    def _are_texts(self, kept: Mapping[str, str]) -> bool:
        return all(self._files.digest(path) == digest for path, digest in kept.items())

    def _are_looks(self, kept: Iterable[list[str]]) -> bool:
        return all(self._answered(look) == digest for *look, digest in kept)

    def _answered(self, look: list[str]) -> str:
        given = self._given.get(look[0])
        return asked.answered(tuple(look)) if given is None else digest_of(given())

    def _held(self, asked_for: Iterable[bytes], words: Words, files: frozenset[str]) -> Json:
        """Words with the files that hold them, beside the state of all these files."""
        names = sorted(word.decode(errors="surrogateescape") for word in asked_for)
        return [self._state(files), {name: _holders(name, words, files) for name in names}]

    def _are_words(self, kept: Json, words: Words, files: frozenset[str]) -> bool:
        """Whether the same files hold words, which need be looked up only where files changed."""
        state, held = kept
        if not held or state == self._state(files):
            return True
        return all(_holders(name, words, files) == digest for name, digest in held.items())

    def _state(self, files: frozenset[str]) -> str:
        """A digest of the content of some files."""
        known = self._states.get(files)
        if known is None:
            pairs = [(path, self._files.digest(path)) for path in sorted(files)]
            known = self._states[files] = digest_of(pairs)
        return known


def _holders(name: str, words: Words, files: frozenset[str]) -> str:
    return digest_of(sorted(words.holders_in(files, name.encode(errors="surrogateescape"))))
