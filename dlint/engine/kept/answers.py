"""Answers about parts, kept with all that was asked for them, and used while that is unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dlint.engine.answer import Answer
from dlint.engine.kept import edits
from dlint.engine.kept.inputs import Inputs, Program
from dlint.engine.kept.looks import Looks
from dlint.engine.kept.moving import moved
from dlint.engine.kept.storage import Storage
from dlint.frontends.modules import Modules
from dlint.workspace.asked import Asked, digest_of
from dlint.workspace.reading import Sources

if TYPE_CHECKING:
    from dlint.engine.parts import Part
    from dlint.engine.request import Request

Json = Any


class Answers:
    """What is kept of one project under some rules."""

    def __init__(
        self,
        storage: Storage,
        inputs: Inputs,
        sources: Sources,
        modules: Modules,
        request: Request,
    ) -> None:
        self._storage = storage
        self._modules = modules
        self._inputs = inputs
        self._sources = sources
        self._reported = request.reported
        self._rules = digest_of(sorted(request.rules))

    def get(self, part: Part) -> Answer | None:
        """The answer about a part, if all that was asked for it would be answered as it was."""
        name = self._name(part)
        try:
            inputs, answer, kept = self._storage.get(name)
            looks = Looks(lambda: self._storage.get(_looks(name)), self._modules.unchanged)
            moves = self._inputs.moves(inputs, _program(part), looks)
            if moves is None:
                return None
            answer = moved(answer, moves)
            found = Answer.from_json(answer)
            edits.tell(found.diagnostics, kept, self._sources, moves)
        except (ValueError, TypeError, LookupError, AttributeError):
            return None
        made = self._made(found)
        if moves or made != kept:
            self._storage.put(name, [inputs, answer, made])
        if looks.is_new:
            self._storage.put(_looks(name), looks.kept)
        self._storage.use(name)
        self._storage.use(_looks(name))
        return found

    def may_keep(self, part: Part) -> bool:
        """Whether a part consists of files alone: an editor's texts pass."""
        return not any(map(self._sources.is_changed, part.files))

    def put(self, part: Part, answer: Answer, noted: Asked) -> None:
        """Keep an answer, unless it rests on what is no file, or a rule failed."""
        if answer.crashes or any(map(self._sources.is_changed, noted.files)):
            return
        if not self.may_keep(part):
            return
        inputs = self._inputs.of(noted, _program(part))
        self._storage.put(self._name(part), [inputs, answer.to_json(), self._made(answer)])
        self._storage.put(_looks(self._name(part)), noted.looked)
        self._storage.use(self._name(part))
        self._storage.use(_looks(self._name(part)))

    def _made(self, answer: Answer) -> list[Json]:
        return list(edits.made(answer.diagnostics, self._sources, self._reported))

    def _name(self, part: Part) -> str:
        searched = None if part.searched is None else sorted(part.searched)
        return digest_of((part.look.value, part.seeds, sorted(part.files), searched, self._rules))


def _looks(name: str) -> str:
    return f"{name}-looks"


def _program(part: Part) -> Program:
    return Program(part.files, part.words, frozenset(part.seeds))
