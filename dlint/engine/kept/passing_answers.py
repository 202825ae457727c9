"""Answers about texts that an editor has open, kept in its process: a key that changes nothing that
was read of a text ends none of them.

Each is told of the text that it was found in, however many keys ago that was, and is there again
once that text is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dlint.engine.answer import Answer
from dlint.engine.kept.inputs import Inputs, Program
from dlint.engine.kept.looks import Looks
from dlint.engine.kept.moving import moved
from dlint.engine.kept.passing import Entry, Passing
from dlint.frontends.modules import Modules
from dlint.ir.unchanged import Read, unchanged
from dlint.workspace import kinds
from dlint.workspace.asked import Asked, digest_of

if TYPE_CHECKING:
    from dlint.engine.request import Request
    from dlint.ir.looked_at import Looked
    from dlint.ir.unchanged import Answers, Pairs, Unchanged

Json = Any


class PassingAnswers:
    """What is kept of one project under some rules, about some reported files."""

    def __init__(
        self, passing: Passing, inputs: Inputs, modules: Modules, request: Request
    ) -> None:
        self._passing = passing
        self._inputs = inputs
        self._modules = modules
        read_as = sorted((suffix, str(kinds.kind_of(suffix))) for suffix in kinds.suffixes())
        asked = (str(request.root), sorted(request.rules), sorted(request.reported), read_as)
        self._asked = digest_of(asked)

    def get(self, part: str, program: Program) -> Answer | None:
        """The answer about a part, if all that was asked for it would be answered as it was."""
        for entry in self._passing.of(self._name(part)):
            try:
                found = self._moved(entry, program)
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                continue
            if found is not None:
                return found
        return None

    def put(self, part: str, program: Program, answer: Answer, noted: Asked) -> None:
        """Keep an answer, unless a rule failed."""
        if answer.crashes:
            return
        found = {path: self._modules.untouched(path) for path in noted.modules}
        read = {path: index for path, index in found.items() if index is not None}
        inputs = self._inputs.of(noted, program)
        looked = noted.looked or [{}, {}, {}, {}]
        told = json.loads(json.dumps(answer.to_json()))  # places are lists there, as in `moved`
        entry = Entry(inputs, told, looked, read)
        self._passing.of(self._name(part)).appendleft(entry)

    def _moved(self, entry: Entry, program: Program) -> Answer | None:
        rows, *others = entry.inputs
        inputs, looked = [[list(row) for row in rows], *others], [dict(entry.looked[0])]
        looks = Looks(lambda: [*looked, *entry.looked[1:]], self._comparing(entry.read))
        moves = self._inputs.moves(inputs, program, looks)
        return None if moves is None else Answer.from_json(moved(entry.answer, moves))

    def _comparing(self, before: Mapping[str, Read]) -> Callable[..., Unchanged | None]:
        def compared(
            _: str,
            path: str,
            looked: Looked,
            asked: Callable[[Read, Read], Pairs],
            answers: Answers,
        ) -> Unchanged | None:
            one, other = before.get(path), self._modules.untouched(path)
            if one is None or other is None:
                return None
            return unchanged(one, other, looked, asked(one, other), answers)

        return compared

    def _name(self, part: str) -> str:
        return digest_of((part, self._asked))
