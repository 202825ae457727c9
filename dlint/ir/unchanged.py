"""Whether two indexes are the same as far as one of them was read.

Question: would an analysis that read some fields of the one module find the same in the other? Both
are gone along side by side, from the module and from what was asked of it by name, through the
fields that were read alone. An object of the one then stands for one of the other; what is plain
is the same; and offsets keep their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import lt
from typing import Any, NamedTuple

from dlint.ir.looked_at import APART, Looked
from dlint.ir.module import ModuleIndex
from dlint.ir.serial import FIELDS, SPANS, agree, with_whole

Pairs = Iterable[tuple[Any, Any]]
Answers = Callable[[str], "Callable[..., Any] | None"]
"""What answers a question of a name by code alone; None where there is none."""


class Unchanged(NamedTuple):
    """How the one index lies in the other."""

    places: dict[int, int]
    """Where offsets of the one lie in the other."""
    looked: Looked
    """What was read, as of the other."""


class _DifferentError(Exception):
    """Something that was read differs."""


@dataclass(frozen=True, slots=True)
class Read:
    """An index with its objects, class by class."""

    index: ModuleIndex
    objects: Sequence[object]


def unchanged(
    before: Read, after: Read, looked: Looked, asked: Pairs, answers: Answers
) -> Unchanged | None:
    """How an index lies in another that is the same as far as `looked` and `asked` tell.

    None where it is not. `asked` is what was asked of both by name.
    """
    walk = _SideBySide(before, after, looked)
    try:
        for one, other in asked:
            walk.same(one, other)
        walk.go()
        walk.ask(answers)
        return Unchanged(walk.all_places(), walk.looked_there())
    except _DifferentError:
        return None


class _SideBySide:
    def __init__(self, before: Read, after: Read, looked: Looked) -> None:
        self._before = before.objects
        self._rows, self._there = _rows(before.objects), _rows(after.objects)
        self._numbers = {id(one): number for number, one in enumerate(after.objects)}
        fields, self._questions = looked
        self._looked = {
            (kind, field): int(bits, 16)
            for kind, rows in fields.items()
            for field, bits in rows.items()
        }
        self._stands_for: dict[int, Any] = {}
        self._is_stood_for: set[int] = set()
        self._todo: list[tuple[Any, Any]] = []
        self._places: dict[int, int] = {}
        self._found: Counter[tuple[str, str]] = Counter()
        self._bits: Counter[tuple[str, str]] = Counter()
        self._whole = (list(before.index.body.span), list(after.index.body.span))
        self.same(before.index, after.index)

    def go(self) -> None:
        """Go along all that was read."""
        while self._todo:
            one, other = self._todo.pop()
            kind = type(one)
            apart = APART.get(kind, ())
            for field in FIELDS[kind]:
                if field not in apart or self._was_read(one, other, kind.__name__, field):
                    self._go_into(one, other, field)

    def ask(self, answers: Answers) -> None:
        """Ask parts of the one, and those that they stand for, what was asked."""
        waiting = [(*asked, n) for *asked, numbers in self._questions for n in numbers]
        while waiting:
            later = [one for one in waiting if not self._asks(answers, *one)]
            if len(later) == len(waiting):
                raise _DifferentError
            waiting = later
            self.go()

    def _asks(self, answers: Answers, name: str, *asked: Any) -> bool:
        """Ask one question of both; whether it is known yet of what to ask the other."""
        *given, number = asked
        part, there = self._before[number], [self._there_of(what) for what in given]
        if id(part) not in self._stands_for or None in there:
            return False
        answer = answers(name)
        if answer is None:
            raise _DifferentError
        here = [what if isinstance(what, str) else tuple(what) for what in given]
        self.same(answer(part, *here), answer(self._stands_for[id(part)], *there))
        return True

    def _there_of(self, given: Any) -> Any:
        """What is given to ask the other: a text, or where a place lies there; None if unknown."""
        if isinstance(given, str):
            return given
        if list(given) == self._whole[0]:
            return tuple(self._whole[1])
        start, end = map(self._places.get, given)
        return None if start is None or end is None else (start, end)

    def same(self, one: Any, other: Any) -> None:
        """Note that two values have to be the same."""
        if type(one) is not type(other):
            raise _DifferentError
        if type(one) in FIELDS:
            self._pair(one, other)
        elif isinstance(one, list | tuple):
            if len(one) != len(other):
                raise _DifferentError
            for a, b in zip(one, other, strict=True):
                self.same(a, b)
        elif isinstance(one, dict):
            self.same([*one], [*other])
            self.same([*one.values()], [*other.values()])
        elif one != other:
            raise _DifferentError

    def all_places(self) -> dict[int, int]:
        """Where the offsets lie that were read."""
        there = [self._places[offset] for offset in sorted(self._places)]
        if not all(map(lt, there, there[1:])):
            raise _DifferentError
        return with_whole(self._places, *self._whole)

    def looked_there(self) -> Looked:
        """What was read of the one, as of the other; all of it must have been found."""
        if any(bits.bit_count() != self._found[key] for key, bits in self._looked.items()):
            raise _DifferentError
        fields = {
            kind.__name__: {name: f"{self._bits[kind.__name__, name]:x}" for name in names}
            for kind, names in APART.items()
        }
        questions = [
            [
                name,
                *map(self._there_of, given),
                [self._numbers[id(self._stands_for[id(self._before[n])])] for n in numbers],
            ]
            for name, *given, numbers in self._questions
        ]
        return [fields, questions]

    def _go_into(self, one: Any, other: Any, field: str) -> None:
        a, b = getattr(one, field), getattr(other, field)
        if field not in SPANS[type(one)]:
            if field != "path":
                self.same(a, b)
            return
        pair = (list(a), list(b))
        if pair != self._whole and not agree(self._places, *pair):
            raise _DifferentError

    def _was_read(self, one: object, other: object, kind: str, field: str) -> bool:
        if not self._looked.get((kind, field), 0) >> self._rows[id(one)] & 1:
            return False
        self._found[kind, field] += 1
        self._bits[kind, field] |= 1 << self._there[id(other)]
        return True

    def _pair(self, one: object, other: object) -> None:
        known = self._stands_for.get(id(one))
        if known is None and id(other) not in self._is_stood_for:
            self._stands_for[id(one)] = other
            self._is_stood_for.add(id(other))
            self._todo.append((one, other))
        elif known is not other:
            raise _DifferentError


def _rows(objects: Sequence[object]) -> dict[int, int]:
    """By the identity of an object, how many of its class stand before it."""
    seen: Counter[type] = Counter()
    rows = {}
    for one in objects:
        rows[id(one)] = seen[type(one)]
        seen[type(one)] += 1
    return rows
