"""A ModuleIndex as JSON and back: plain lists and numbers, so a file from anywhere is safe to load.

Objects are numbered, class by class, 0 standing for None; what they hold of each other are these
numbers. Each class is written as columns, one a field, which is what makes loading fast. Places are
numbered, too: many objects have the same, and each is made once.
"""

from __future__ import annotations

import dataclasses
import json
import marshal
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from operator import attrgetter, lt
from sys import intern
from typing import Any, Final, NamedTuple

from dlint.findings.places import Span
from dlint.ir import expressions, module
from dlint.ir.module import ModuleIndex, Scope
from dlint.ir.shared import spans

SCHEMA: Final = 4
"""Counts up when the format changes."""
_SPANS: Final = "spans"
_WITHOUT_REFERENCES: Final = 2
"""The version of `marshal` that looks for no objects written before."""


def to_json(index: ModuleIndex) -> str:
    """The whole index but for its path."""
    return written(index)[0]


def written(index: ModuleIndex) -> tuple[str, list[object]]:
    """The same, with its objects, class by class, in the order in which they are read again."""
    tables, objects = _tables(index)
    return json.dumps([SCHEMA, tables], separators=(",", ":")), objects


def _tables(index: ModuleIndex) -> tuple[dict[str, Any], list[object]]:
    """For each class, how many objects there are and its columns; and all objects."""
    groups = _reachable(index)
    numbers = _Numbers({id(None): 0})
    for item in chain.from_iterable(groups.values()):
        numbers[id(item)] = len(numbers)
    tables: dict[str, Any] = {
        kind.__name__: [len(group), _columns(kind, group, numbers)]
        for kind, group in groups.items()
    }
    tables["ModuleIndex"][1]["path"] = [""]
    tables[_SPANS] = [*chain.from_iterable(numbers.spans)]
    return tables, list(chain.from_iterable(groups.values()))


def from_json(text: str, path: str) -> ModuleIndex:
    """The index that `text` holds, as that of the file at `path`.

    Raises ValueError where `text` holds none, or one of another schema.
    """
    return read(text, path)[0]


def read(text: str, path: str) -> tuple[ModuleIndex, list[object]]:
    """The same, with its objects, class by class."""
    try:
        schema, tables = json.loads(text)
        if schema != SCHEMA:
            raise ValueError(f"schema {schema}, not {SCHEMA}")
        index, objects = _load(tables)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"no module index: {error!r}") from error
    index.path = path
    return index, objects


def packed(index: ModuleIndex) -> bytes:
    """The whole index but for its path, for another process of this run: a tenth of the JSON.

    Not to be kept: what is unpacked must be known to be sound.
    """
    return zlib.compress(marshal.dumps(_tables(index)[0], _WITHOUT_REFERENCES), 1)


def unpacked(packed: bytes, path: str) -> ModuleIndex:
    """What was packed, as the index of the file at `path`."""
    index, _ = _load(marshal.loads(zlib.decompress(packed)))
    index.path = path
    return index


def copied(index: ModuleIndex) -> tuple[ModuleIndex, list[object]]:
    """Another index that says the same, with its objects, class by class."""
    copy, objects = _load(_tables(index)[0])
    copy.path = index.path
    return copy, objects


def objects_of(index: ModuleIndex) -> list[object]:
    """The objects of an index, class by class: in the order of those of its copies."""
    return list(chain.from_iterable(_reachable(index).values()))


def moved(before: str, after: str) -> dict[int, int] | None:
    """Where the offsets of one index lie in another; None where they differ in more than places.

    Nothing changes its order: of two offsets in the one, the greater is the greater in the other.
    Left out is the beginning or end of the module where other things begin or end there, too, and
    lie elsewhere now. Raises ValueError where a text holds no index.
    """
    (schema, old), (other, new) = json.loads(before), json.loads(after)
    if schema != SCHEMA or other != SCHEMA or old.keys() != new.keys():
        return None
    here, there = spans(old[_SPANS]), spans(new[_SPANS])
    whole = here[_of_module(old)], there[_of_module(new)]
    places: dict[int, int] = {}
    for kind, fields in _FIELDS.items():
        (count, columns), (new_count, new_columns) = old[kind.__name__], new[kind.__name__]
        if count != new_count:
            return None
        for name, codec in fields.items():
            if codec is not _SPAN:
                if not _are_alike(columns[name], new_columns[name]):
                    return None
                continue
            for number, other in {*zip(columns[name], new_columns[name], strict=True)}:
                pair = here[number], there[other]
                if pair != whole and not agree(places, *pair):
                    return None
    moved_to = [places[offset] for offset in sorted(places)]
    return with_whole(places, *whole) if all(map(lt, moved_to, moved_to[1:])) else None


def _are_alike(column: list[Any], other: list[Any]) -> bool:
    """Whether two columns hold the same: `1`, `1.0` and `True` are equal, and not the same."""
    return column == other and list(map(type, column)) == list(map(type, other))


def _of_module(tables: dict[str, Any]) -> int:
    """The span of the module itself, which what it binds in the end has, too."""
    _, columns = tables[Scope.__name__]
    span: int = columns["span"][columns["kind"].index("module")]
    return span


def agree(places: dict[int, int], before: Sequence[int], after: Sequence[int]) -> bool:
    """Note where a span lies now; whether that agrees with what is noted."""
    return all(places.setdefault(a, b) == b for a, b in zip(before, after, strict=True))


def with_whole(
    places: dict[int, int], before: Sequence[int], after: Sequence[int]
) -> dict[int, int]:
    """The places with the ends of the module, where nothing that lies elsewhere now has them."""
    for a, b in zip(before, after, strict=True):
        if places.setdefault(a, b) != b:
            del places[a]
    return places


class _Codec(NamedTuple):
    """How the values of a field are written and read, a whole column at a time."""

    held: Callable[[Any], Iterable[object]]
    """The objects that one value holds."""
    encode: Callable[[Iterable[Any], _Numbers], list[object]]
    """Given the number of each object by its id."""
    decode: Callable[[list[Any], _Objects], Iterable[object]]
    """Given all objects by number."""


class _Numbers(dict[int, int]):
    """The numbers of the objects of an index by their ids, with those of their spans."""

    def __init__(self, known: dict[int, int]) -> None:
        super().__init__(known)
        self.spans: dict[Span, int] = {}


class _Objects(list[Any]):
    """The objects of an index by their numbers, with the spans that they have."""

    def __init__(self, spans: list[Span]) -> None:
        super().__init__([None])
        self.spans = spans


def _nothing(_: object) -> Iterable[object]:
    return ()


_PLAIN = _Codec(_nothing, lambda column, _: list(column), lambda column, _: column)
_TEXT = _PLAIN._replace(
    decode=lambda column, _: [None if text is None else intern(text) for text in column]
)
"""Names above all, of which the same stand in all modules."""
_SPAN = _Codec(
    _nothing,
    lambda column, numbers: [numbers.spans.setdefault(span, len(numbers.spans)) for span in column],
    lambda column, objects: map(objects.spans.__getitem__, column),
)
_NAMES = _Codec(
    _nothing,
    lambda column, _: [sorted(value) for value in column],
    lambda column, _: map(frozenset, column),
)
_OBJECT = _Codec(
    lambda value: (value,),
    lambda column, numbers: [numbers[id(value)] for value in column],
    lambda column, objects: map(objects.__getitem__, column),
)
_OBJECTS = _Codec(
    lambda value: value,
    lambda column, numbers: [[numbers[id(item)] for item in value] for value in column],
    lambda column, objects: ([objects[number] for number in row] for row in column),
)
_TUPLE = _OBJECTS._replace(
    decode=lambda column, objects: (tuple([objects[n] for n in row]) for row in column)
)
_PAIRS = _Codec(
    chain.from_iterable,
    lambda column, numbers: [[[numbers[id(a)], numbers[id(b)]] for a, b in v] for v in column],
    lambda column, objects: (tuple([(objects[a], objects[b]) for a, b in row]) for row in column),
)
_BY_NAME = _Codec(
    lambda value: value.values(),
    lambda column, numbers: [{name: numbers[id(i)] for name, i in v.items()} for v in column],
    lambda column, objects: ({name: objects[n] for name, n in row.items()} for row in column),
)
_SCALARS: Final = {"str", "int", "float", "bool", "None"}


def _codec(annotation: str) -> _Codec:
    if annotation == "Span":
        return _SPAN
    if annotation in ("str", "str | None"):
        return _TEXT
    if annotation.startswith("Literal[") or _SCALARS.issuperset(annotation.split(" | ")):
        return _PLAIN
    generic, _, parameter = annotation.partition("[")
    if generic == "tuple":
        return _PAIRS if parameter.startswith("tuple[") else _TUPLE
    return {"list": _OBJECTS, "dict": _BY_NAME, "frozenset": _NAMES}.get(generic, _OBJECT)


def _fields() -> dict[type, dict[str, _Codec]]:
    named = {**vars(expressions), **vars(module)}
    return {
        kind: {field.name: _codec(str(field.type)) for field in dataclasses.fields(kind)}
        for kind in named.values()
        if isinstance(kind, type) and dataclasses.is_dataclass(kind)
    }


_FIELDS: Final = _fields()
FIELDS: Final = {kind: tuple(fields) for kind, fields in _FIELDS.items()}
"""What the objects of each class hold."""
SPANS: Final = {
    kind: frozenset(name for name, codec in fields.items() if codec is _SPAN)
    for kind, fields in _FIELDS.items()
}
"""The fields that are places."""
_HOLDING: Final = {
    kind: [(name, codec.held) for name, codec in fields.items() if codec.held is not _nothing]
    for kind, fields in _FIELDS.items()
}
"""The fields that hold objects."""


def _reachable(index: ModuleIndex) -> dict[type, list[object]]:
    """Every object of the index once, by class."""
    groups: dict[type, list[object]] = {kind: [] for kind in _FIELDS}
    seen = {id(None)}
    stack: list[object] = [index]
    while stack:
        item = stack.pop()
        if id(item) not in seen:
            seen.add(id(item))
            kind = type(item)
            groups[kind].append(item)
            for name, held in _HOLDING[kind]:
                stack.extend(held(getattr(item, name)))
    return groups


def _columns(kind: type, group: list[object], numbers: _Numbers) -> dict[str, list[object]]:
    return {
        name: codec.encode(map(attrgetter(name), group), numbers)
        for name, codec in _FIELDS[kind].items()
    }


def _load(tables: dict[str, Any]) -> tuple[ModuleIndex, list[object]]:
    kinds = {kind.__name__: kind for kind in _FIELDS}
    objects = _Objects(spans(tables[_SPANS]))
    del tables[_SPANS]
    if tables.keys() != kinds.keys():
        raise ValueError("other classes")
    for name, (count, columns) in tables.items():
        if any(len(column) != count for column in columns.values()):
            raise ValueError(f"columns of {name} of other lengths")
        objects.extend(map(object.__new__, repeat(kinds[name], count)))
    start = 1
    found: list[ModuleIndex] = []
    for name, (count, columns) in tables.items():
        group = objects[start : start + count]
        _fill(kinds[name], group, columns, objects)
        start += count
        found += group if kinds[name] is ModuleIndex else ()
    (index,) = found
    return index, objects[1:]


def _fill(
    kind: type, group: list[object], columns: dict[str, list[Any]], objects: _Objects
) -> None:
    codecs = _FIELDS[kind]
    if columns.keys() != codecs.keys():
        raise ValueError(f"other fields of {kind.__name__}")
    for name, column in columns.items() if group else ():
        decoded = codecs[name].decode(column, objects)
        deque(map(getattr(kind, name).__set__, group, decoded), maxlen=0)
