"""Operations on one config text, lowered to edits of single scalars or added keys.

The readers say where a value stands; comments, quotes, order and anchors are never written anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import yaml

from dlint.findings.edits import Edit, all_or_none
from dlint.findings.operations import (
    Operation,
    RemoveArgument,
    ReplaceExpression,
    SetArgument,
    SetKey,
    place_of,
)
from dlint.findings.places import Place
from dlint.frontends.nodes import documents, merged, pairs, span
from dlint.workspace import kinds
from dlint.workspace.source import Source

_TEXT = "tag:yaml.org,2002:str"
_WORDS: dict[object, str] = {True: "true", False: "false", None: "null"}


def lower_config(source: Source, operations: Sequence[Operation]) -> list[Edit] | None:
    """Edits for all operations on `source`; None when one of them cannot be lowered."""
    return all_or_none(_lowered(source, operation) for operation in operations)


def still_reads(path: str, text: str) -> bool:
    """Whether a text can be read as what its file is."""
    return bool(documents(path, text))


def set_value(source: Source, node: yaml.MappingNode, key: str, value: object) -> Edit | None:
    """Give a key of a mapping a number, a truth value or null, or add it with that."""
    text = _written(source, value)
    if text is None:
        return None
    for name, given in pairs(node):
        if name.value == key:
            is_near = name.end_mark.index < span(given)[0]
            return _rewritten(source, given, text) if is_near else None
    return _added(source, node, key, text)


def _rewritten(source: Source, node: yaml.Node, text: str) -> Edit | None:
    """Another text in place of a plain scalar."""
    start, end = span(node)
    is_here = _is_plain(node) and source.text[start:end] == node.value
    return Edit(source.path, start, end, text) if is_here else None


def _replaced(source: Source, place: Place, value: object) -> Edit | None:
    """Another value in place of the one that stands at a place."""
    text = _written(source, value)
    for document in documents(source.path, source.text):
        for node in _nodes(document, set()):
            if isinstance(node, yaml.ScalarNode) and span(node) == (place.start, place.end):
                return None if text is None else _rewritten(source, node, text)
    return None


def _lowered(source: Source, operation: Operation) -> Edit | None:
    match operation:
        case SetArgument(name=key, value=given) | SetKey(key=key, value=given):
            pass
        case RemoveArgument(name=key, placeholder=given):
            pass
        case ReplaceExpression(text=given):
            pass
        case _:
            return None
    try:
        value = ast.literal_eval(given)
    except (SyntaxError, ValueError):
        return None
    if isinstance(operation, ReplaceExpression):
        return _replaced(source, operation.target, value)
    node = _mapping_at(source, place_of(operation))
    if node is None:
        return None
    inner = merged(node).get("init_args")
    if isinstance(inner, yaml.MappingNode):
        node = inner
    there = [value for name, value in pairs(node) if name.value == key]
    if isinstance(operation, RemoveArgument) and not any(map(_is_plain, there)):
        return None
    return set_value(source, node, key, value)


def _is_plain(node: yaml.Node) -> bool:
    """Whether a value is a number, a truth value or null as it stands."""
    return isinstance(node, yaml.ScalarNode) and not node.style and node.tag != _TEXT


def _written(source: Source, value: object) -> str | None:
    """A value as the text of a config has it; TOML has nothing that stands for None."""
    if value is None and kinds.kind_of(source.path) == kinds.TOML:
        return None
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return str(value) if isinstance(value, int) else None


def _mapping_at(source: Source, place: Place) -> yaml.MappingNode | None:
    """The mapping at a place, or the one that has its first key there."""
    wanted = place.start, place.end
    for document in documents(source.path, source.text):
        for node in _nodes(document, set()):
            if not isinstance(node, yaml.MappingNode):
                continue
            keyed = ((key.start_mark.index, span(value)[1]) for key, value in pairs(node))
            if span(node) == wanted or wanted in keyed:
                return node
    return None


def _nodes(node: yaml.Node, seen: set[int]) -> Iterator[yaml.Node]:
    if id(node) in seen:
        return
    seen.add(id(node))
    yield node
    if isinstance(node, yaml.CollectionNode):
        for item in node.value:
            for part in item if isinstance(item, tuple) else (item,):
                yield from _nodes(part, seen)


def _added(source: Source, node: yaml.MappingNode, key: str, text: str) -> Edit | None:
    """A key behind the last one: in a row of its own where the last one has its own row."""
    entries = [(k, v) for k, v in pairs(node) if not _is_table(source, v)]
    if not entries or not key.isidentifier():
        return None
    end = span(entries[-1][1])[1]
    kind = kinds.kind_of(source.path)
    if node.flow_style:
        written = {kinds.JSON: f'"{key}": {text}', kinds.TOML: f"{key} = {text}"}
        between = _between(source, entries[-1][0]) if kind == kinds.JSON else " "
        return Edit(source.path, end, end, f",{between}{written.get(kind or '', f'{key}: {text}')}")
    row = source.position(max(end - 1, 0))[0]
    column = source.position(entries[0][0].start_mark.index)[1] - 1
    offset = source.offset(row, 1) + len(source.line(row))
    if source.text[end:offset].strip() and not source.text[end:offset].lstrip().startswith("#"):
        return None
    equals = " = " if kind == kinds.TOML else ": "
    return Edit(source.path, offset, offset, f"{source.newline}{' ' * column}{key}{equals}{text}")


def _is_table(source: Source, node: yaml.Node) -> bool:
    """Whether a value of TOML stands below a header of its own."""
    is_toml = kinds.kind_of(source.path) == kinds.TOML
    return is_toml and isinstance(node, yaml.CollectionNode) and not node.flow_style


def _between(source: Source, key: yaml.Node) -> str:
    """What stands between the items of an object: blanks, or a new row with its indentation."""
    start = key.start_mark.index
    before = source.text[:start]
    blanks = before[len(before.rstrip(" \t\r\n")) :]
    return blanks or " "
