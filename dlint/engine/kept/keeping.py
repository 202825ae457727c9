"""What is kept of one project, for one run; nothing where nothing may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dlint import rule_docs
from dlint.engine.kept.files import FileFacts
from dlint.engine.request import Request
from dlint.frontends.modules import Modules
from dlint.workspace.asked import Asked, digest_of
from dlint.workspace.reading import Sources

if TYPE_CHECKING:
    from dlint.engine.answer import Answer
    from dlint.engine.kept.answers import Answers
    from dlint.engine.kept.inputs import Program
    from dlint.engine.kept.passing_answers import PassingAnswers
    from dlint.engine.kept.storage import Storage
    from dlint.engine.parts import Part

Json = Any


class Kept:
    """What files say, and answers about parts.

    Rules of other packages may rest on what nobody notes: where one runs, answers are found anew,
    as they are where somebody watches how they are found.
    """

    def __init__(
        self, request: Request, sources: Sources, modules: Modules, *, is_watched: bool
    ) -> None:
        self._request = request
        self._sources = sources
        self._is_watched = is_watched
        self._storage: Storage | None = None
        self._answers: Answers | None = None
        self._passing: PassingAnswers | None = None
        self.files = FileFacts(sources)
        self._modules = modules
        self._given: dict[str, Callable[[], object]] = {}

    def open(self) -> None:
        """Look at what is kept: it pays where more is asked than of a few files."""
        request = self._request
        if self._storage is not None or request.answers_dir is None:
            return
        from dlint.engine.kept.answers import Answers
        from dlint.engine.kept.inputs import Inputs
        from dlint.engine.kept.storage import Storage, storage_at
        from dlint.engine.kept.version import version_key

        self._storage = Storage(storage_at(request.answers_dir, request.root), version_key())
        self.files.keep_in(self._storage)
        if not self._is_watched and _are_own(request.rules):
            self._modules.notes_looks = True
            inputs = Inputs(self.files, self._modules, self._given)
            self._answers = Answers(self._storage, inputs, self._sources, self._modules, request)
            if request.passing is not None:
                from dlint.engine.kept.passing_answers import PassingAnswers

                self._passing = PassingAnswers(request.passing, inputs, self._modules, request)

    def keeps(self, part: Part) -> bool:
        """Whether an answer about a part is kept, which then is about all its files."""
        return self._answers is not None and self._answers.may_keep(part)

    def give(self, question: str, answer: Callable[[], object]) -> None:
        """Tell how a question is answered now that is not about the file system."""
        self._given[question] = answer

    def get(self, part: Part) -> Answer | None:
        """The answer about a part that was kept and still holds."""
        if self._answers is not None and self.keeps(part):
            return self._answers.get(part)
        return None if self._passing is None else self._passing.get(*_named(part))

    def put(self, part: Part, answer: Answer, noted: Asked) -> None:
        """Keep an answer with what was asked for it."""
        if self._answers is not None and self.keeps(part):
            self._answers.put(part, answer, noted)
        elif self._passing is not None:
            self._passing.put(*_named(part), answer, noted)

    def found(self, name: str, key: str, find: Callable[[], Json]) -> Json:
        """What is kept under a name, if it was put there with the same key; else found and kept."""
        if self._storage is None:
            return find()
        kept = self._storage.get(name)
        if isinstance(kept, list) and kept[:1] == [key]:
            return kept[1]
        value = find()
        self._storage.put(name, [key, value])
        return value

    def save(self) -> None:
        """Write what is new."""
        if self._storage is not None:
            self.files.save()
            self._storage.save()


def _named(part: Part) -> tuple[str, Program]:
    """A part with open texts: what it is kept under, and what answers about it are about."""
    from dlint.engine.kept.inputs import Program

    files = (part.files, part.searched, part.told)
    sorted_files = [None if paths is None else sorted(paths) for paths in files]
    program = Program(part.files, part.words, frozenset(part.seeds))
    return digest_of((part.look.value, part.seeds, sorted_files)), program


def _are_own(rules: frozenset[str]) -> bool:
    """Whether all rules are those of dlint."""
    return all(rule_docs.summaries()[name].package is None for name in rules)
