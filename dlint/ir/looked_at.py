"""Which fields of an index somebody has read: noted by the classes of its objects.

Question: may an edit of a module change an answer? Only if it changes what was read of it. An
object that is armed has a class that derives from its own, with properties for the fields that
nobody has read yet. Who reads one gives the object the next class, and once all are read its plain
one: from then on nothing is slower than it was. Given up on: fields that say where an object
belongs and what it is called count as read with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, wraps
from typing import Any, TypeVar, cast

from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir import module as ir
from dlint.ir.remembering import when_forgotten

Json = Any
Fields = dict[str, str]
"""By field, the rows of a class of which it was read: the bits of a number, in hexadecimal."""
Looked = list[Any]
"""The same by the name of the class, and which questions were asked of which objects."""
Given = str | Span
"""A text, or a place in the module of the part that is asked of."""
Question = tuple[Given, ...]
"""The name of a question that is answered by code alone, and what else was given."""
Parts = dict[int, list[Question]]
"""By the identity of an object, what was asked of it."""

APART: dict[type, tuple[str, ...]] = {
    ir.Scope: ("body", "definitions", "final", "returns", "yields", "calls", "stores"),
    ir.ModuleIndex: ("scopes",),
    ir.Block: ("statements",),
    ir.Evaluate: ("value",),
    ir.Bind: ("value", "definitions", "stores"),
    ir.Return: ("value",),
    ir.Jump: ("value",),
    ir.If: ("test",),
    ir.Loop: ("iterable", "test", "definitions"),
    ir.With: ("items", "definitions"),
    ir.Define: ("definitions",),
    ir.Store: ("target", "value"),
    ex.Definition: ("value",),
    ex.Call: ("arguments",),
    ex.Constant: ("value",),
    ex.Sequence: ("items",),
    ex.Mapping: ("items",),
    ex.Format: ("parts",),
    ex.Opaque: ("children",),
}
"""The fields that are noted each by itself."""


class _Pause:
    """Whether what is read now is not noted."""

    def __init__(self) -> None:
        self.is_on = False


_pause = _Pause()


class unlooked:  # noqa: N801  # as `contextlib` names them; it is entered by the ten thousands
    """Note nothing meanwhile: what is asked is noted by its answer."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before, _pause.is_on = _pause.is_on, True

    def __exit__(self, *_: object) -> None:
        _pause.is_on = self._before


def arm(objects: Iterable[object]) -> None:
    """From now on, note which fields of some objects are read."""
    armed = {kind: _unread(kind, frozenset(fields)) for kind, fields in APART.items()}
    for one in objects:
        kind = armed.get(type(one))
        if kind is not None:
            one.__class__ = kind


def looked_at(objects: Sequence[object], told: Parts) -> Looked:
    """What was read of the objects of an index, which stand class by class."""
    rows: dict[type, list[frozenset[str]]] = defaultdict(list)
    questions: defaultdict[Question, list[int]] = defaultdict(list)
    kinds: dict[type, tuple[type, frozenset[str]]] = {}
    for number, one in enumerate(objects):
        known = kinds.get(type(one))
        if known is None:
            unread = getattr(type(one), "_unread", _NOTHING)
            known = kinds[type(one)] = plain(type(one)), unread
        if known[0] in APART:
            rows[known[0]].append(known[1])
        if id(one) in told:
            for question in told[id(one)]:
                questions[question].append(number)
    fields = {
        kind.__name__: {field: _bits(field, unread) for field in APART[kind]}
        for kind, unread in rows.items()
    }
    return [fields, [[*question, numbers] for question, numbers in questions.items()]]


_NOTHING: frozenset[str] = frozenset()


def _bits(field: str, unread: Iterable[frozenset[str]]) -> str:
    digits = "".join(["0" if field in row else "1" for row in unread])
    return f"{int(digits[::-1] or '0', 2):x}"


def plain(kind: type) -> type:
    """The class that an object would have if it were not armed."""
    found: type = getattr(kind, "_plain", kind)
    return found


class ByKind(dict[type, Any]):
    """A table by the classes of objects, armed or not; None for others."""

    def __missing__(self, kind: type) -> Any:
        found = self[kind] = self.get(plain(kind))
        return found


@cache
def _unread(kind: type, fields: frozenset[str]) -> type:
    """The class of objects of which some fields are unread."""
    if not fields:
        return kind
    noting = {field: _noting(kind, field, fields) for field in fields}
    own = {"__slots__": (), "_plain": kind, "_unread": fields, **noting}
    return type(kind.__name__, (kind,), own)


def _noting(kind: type, field: str, fields: frozenset[str]) -> property:
    slot = kind.__dict__[field]
    following: list[type] = []

    def read(one: Any) -> Any:
        if not _pause.is_on:
            if not following:
                following.append(_unread(kind, fields - {field}))
            one.__class__ = following[0]
        return slot.__get__(one)

    return property(read, slot.__set__)


def table_name(of: Callable[..., object]) -> str:
    """The name of a table that a function makes of a module."""
    return f"{of.__module__}:{of.__qualname__}"


class Names(dict[str, list[Any]]):
    """What a module holds by name, which notes the names that it is asked for."""

    __slots__ = ("_asked", "_missed")

    def __init__(self, path: str, table: str, found: dict[str, list[Any]]) -> None:
        super().__init__(found)
        self._asked = NAMES.asked[path, table]
        self._missed = NAMES.missed[table]

    def get(self, name: str, default: Any = ()) -> Any:
        """What has a name."""
        if dict.__contains__(self, name):
            self._asked.add(name)
            return dict.__getitem__(self, name)
        self._missed.add(name)
        return default

    def __getitem__(self, name: str) -> list[Any]:
        found: list[Any] = self.get(name)
        return found

    def __contains__(self, name: object) -> bool:
        is_there = dict.__contains__(self, name)
        (self._asked if is_there else self._missed).add(name)  # type: ignore[arg-type]
        return is_there

    def among(self, names: Iterable[str]) -> set[str]:
        """Those of some names that it holds."""
        wanted = frozenset(names)
        found = set(wanted & dict.keys(self))
        self._asked |= found
        self._missed |= wanted - found
        return found

    def __len__(self) -> int:
        self._asked.add(None)
        return dict.__len__(self)

    def __iter__(self) -> Iterator[str]:
        self._asked.add(None)
        return dict.__iter__(self)

    def keys(self) -> Any:
        self._asked.add(None)
        return dict.keys(self)

    def values(self) -> Any:
        self._asked.add(None)
        return dict.values(self)

    def items(self) -> Any:
        self._asked.add(None)
        return dict.items(self)

    def unnoted(self) -> dict[str, list[Any]]:
        """All of it, for what notes by itself which names it is asked for."""
        return dict(dict.items(self))


class _Names:
    """The names that were asked of modules."""

    def __init__(self) -> None:
        self.asked: defaultdict[tuple[str, str], set[str | None]] = defaultdict(set)
        """By module and table; None where all names of a table were asked."""
        self.missed: defaultdict[str, set[str]] = defaultdict(set)
        """By table, the names that some modules were asked for that do not hold them."""
        self.everywhere: defaultdict[str, set[str]] = defaultdict(set)
        """By table, the names that all modules were asked for."""

    def to_json(self) -> Json:
        """All of it; of None, names that are none."""
        asked: dict[str, dict[str, list[str | None]]] = defaultdict(dict)
        for (path, table), names in self.asked.items():
            if names:
                asked[path][table] = [None] if None in names else [*names]
        others = [
            {t: [*names] for t, names in kept.items()} for kept in (self.missed, self.everywhere)
        ]
        return [asked, *others]

    def forget(self) -> None:
        """Nothing was asked."""
        self.asked.clear()
        self.missed.clear()
        self.everywhere.clear()


NAMES = _Names()


class _Told:
    """The questions that were asked of parts of modules and are answered by their code alone."""

    def __init__(self) -> None:
        self.asked: defaultdict[Question, dict[object, None]] = defaultdict(dict)
        """By the name of the question, and what else was given, the parts."""

    def by_part(self) -> Parts:
        """What was asked of each part."""
        found: Parts = defaultdict(list)
        for question, parts in self.asked.items():
            for part in parts:
                found[id(part)].append(question)
        return found


TOLD = _Told()
when_forgotten(TOLD.asked.clear)
Asking = TypeVar("Asking", bound=Callable[..., Any])


def told_by_code(question: Asking) -> Asking:
    """A question about a part of a module, answered by its code alone: what is read for it is not
    noted, as the answer will be compared. Else it is given texts at most, and places of what is
    read: they are given again where that lies then.
    """
    name = table_name(question)

    @wraps(question)
    def told(part: object, *given: Given) -> Any:
        if _pause.is_on:
            return question(part, *given)
        TOLD.asked[(name, *given)][part] = None
        _pause.is_on = True
        try:
            return question(part, *given)
        finally:
            _pause.is_on = False

    return cast(Asking, told)


def ask_everywhere(of: Callable[..., object], name: str) -> None:
    """Note that the tables that a function makes of all modules are asked for a name."""
    NAMES.everywhere[table_name(of)].add(name)


when_forgotten(NAMES.forget)
