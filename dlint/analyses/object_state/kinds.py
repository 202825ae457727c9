"""The kinds of what an object may hold that matter when it is sent to, or copied by, a process.

One table: which calls of libraries make a thing of a kind, in the words of a message, and which of
their methods give the same thing back. Files and handles are told by what they carry instead:
see `ObjectState.file_data`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from dlint.analyses.object_state.origins import Question
from dlint.ir import expressions as ex
from dlint.library_facts.generators import GENERATORS, RESEEDING
from dlint.library_facts.pickling import OBJECTS


class HeldKind(StrEnum):
    """A kind of thing that an object holds."""

    GENERATOR = "a random generator"
    UNPICKLABLE = "an object that no pickler takes"


class KindFacts(NamedTuple):
    """What makes a thing of a kind, by the paths of libraries, and the methods that give it back.

    `elements`: whether a container of such things counts as one; `choices`: whether it counts
    where the object holds it or something else.
    """

    makers: Mapping[str, str]
    same: frozenset[str] = frozenset()
    elements: bool = False
    choices: bool = True

    @property
    def question(self) -> Question:
        """What is followed to find where a thing of the kind is made."""
        return Question(self._same_thing, self.elements, self.choices)

    def _same_thing(self, call: ex.Call) -> Iterable[ex.Expression]:
        """The transfer of the kind: a method that gives its object back stands for it."""
        callee = call.function
        is_same = call.name in self.same and isinstance(callee, ex.Attribute)
        return (callee.value,) if is_same and isinstance(callee, ex.Attribute) else ()


KINDS: dict[HeldKind, KindFacts] = {
    HeldKind.GENERATOR: KindFacts(GENERATORS, RESEEDING),
    HeldKind.UNPICKLABLE: KindFacts(OBJECTS, elements=True, choices=False),
}
