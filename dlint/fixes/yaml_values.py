"""Operations on one YAML source, lowered to edits of single scalars or added keys.

PyYAML says where a value stands; comments, quotes, order and anchors are never written anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import yaml

from dlint.dialects.yaml_nodes import documents, merged, pairs, span
from dlint.fixes.edits import Edit
from dlint.fixes.operations import (
    Operation,
    RemoveArgument,
    ReplaceExpression,
    SetArgument,
    SetKey,
    place_of,
)
from dlint.places import Place
from dlint.source import Source

_WORDS: dict[object, str] = {True: "true", False: "false", None: "null"}


def lower_yaml(source: Source, operations: Sequence[Operation]) -> list[Edit] | None:
    """Edits for all operations on `source`; None when one of them cannot be lowered."""
    edits: list[Edit] = []
    for operation in operations:
        edit = _lowered(source, operation)
        if edit is None:
            return None
        edits.append(edit)
    return edits


def is_yaml(text: str) -> bool:
    """Whether a text can be read."""
    return bool(documents(text))


def _lowered(source: Source, operation: Operation) -> Edit | None:
    match operation:
        case SetArgument(name=key, value=given) | SetKey(key=key, value=given):
            text = _scalar(given)
        case RemoveArgument(name=key, placeholder=given):
            text = _scalar(given)
        case ReplaceExpression(target=place, text=given):
            return _replaced(source, place, _scalar(given))
        case _:
            return None
    node = _mapping_at(source, place_of(operation))
    if node is None or text is None:
        return None
    inner = merged(node).get("init_args")
    if isinstance(inner, yaml.MappingNode):
        node = inner
    for name, value in pairs(node):
        if name.value == key:
            start, end = span(value)
            is_plain = name.end_mark.index < start and source.text[start:end] == value.value
            return Edit(source.path, start, end, text) if is_plain else None
    return None if isinstance(operation, RemoveArgument) else _added(source, node, key, text)


def _replaced(source: Source, place: Place, text: str | None) -> Edit | None:
    """Another value in place of a plain one."""
    for document in documents(source.text):
        for node in _nodes(document, set()):
            if not isinstance(node, yaml.ScalarNode) or span(node) != (place.start, place.end):
                continue
            is_plain = source.text[place.start : place.end] == node.value
            known = text is not None and is_plain
            return Edit(source.path, place.start, place.end, text or "") if known else None
    return None


def _scalar(value: str) -> str | None:
    """A Python literal as YAML writes it."""
    try:
        literal = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return None
    if literal is None or isinstance(literal, bool):
        return _WORDS[literal]
    return str(literal) if isinstance(literal, int) else None


def _mapping_at(source: Source, place: Place) -> yaml.MappingNode | None:
    for document in documents(source.text):
        for node in _nodes(document, set()):
            if isinstance(node, yaml.MappingNode) and span(node) == (place.start, place.end):
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
    """A key behind the last one: in a row of its own where the mapping is a block."""
    entries = list(pairs(node))
    if not entries:
        return None
    if node.flow_style:
        end = span(entries[-1][1])[1]
        return Edit(source.path, end, end, f", {key}: {text}")
    end = span(entries[-1][1])[1]
    row = source.position(max(end - 1, 0))[0]
    column = source.position(entries[0][0].start_mark.index)[1] - 1
    offset = source.offset(row, 1) + len(source.line(row))
    if source.text[end:offset].strip() and not source.text[end:offset].lstrip().startswith("#"):
        return None
    return Edit(source.path, offset, offset, f"{source.newline}{' ' * column}{key}: {text}")
