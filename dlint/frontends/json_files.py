"""The tree of a JSON text, with places, in the nodes that PyYAML has for a YAML text."""

from __future__ import annotations

import json

import yaml

from dlint.findings.regexes import lazily

_DECODER = json.JSONDecoder()
_BLANKS = lazily(r"[ \t\n\r]*")
_PLAIN = lazily(r"true|false|null|-?(?:0|[1-9]\d*)(?P<part>\.\d+)?(?P<power>[eE][+-]?\d+)?")
_DEPTH = 100
_TAG = "tag:yaml.org,2002:"


class NotJsonError(ValueError):
    """A text that is no JSON."""


def mark(index: int) -> yaml.Mark:
    """A place in a text as PyYAML has it; rows and columns are not asked for."""
    return yaml.Mark("", index, 0, 0, None, 0)


def compose(text: str) -> yaml.Node:
    """The tree of a text. Raises NotJsonError."""
    reader = _Reader(text)
    node = reader.value(reader.skip(0), 0)
    if reader.skip(node.end_mark.index) != len(text):
        raise NotJsonError("more than one value")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, position: int) -> int:
        """Where the next character that is no blank stands."""
        found = _BLANKS.match(self._text, position)
        return position if found is None else found.end()

    def value(self, start: int, depth: int) -> yaml.Node:
        """The value that begins at an offset."""
        if depth > _DEPTH:
            raise NotJsonError("nested too deeply")
        match self._text[start : start + 1]:
            case "{":
                return self._object(start, depth)
            case "[":
                return self._array(start, depth)
            case '"':
                return self._string(start)
        return self._plain(start)

    def _plain(self, start: int) -> yaml.ScalarNode:
        found = _PLAIN.match(self._text, start)
        if found is None:
            raise NotJsonError(f"no value at character {start}")
        word = found[0]
        kind = "float" if found["part"] or found["power"] else "int"
        kind = {"true": "bool", "false": "bool", "null": "null"}.get(word, kind)
        return yaml.ScalarNode(_TAG + kind, word, mark(start), mark(found.end()))

    def _string(self, start: int) -> yaml.ScalarNode:
        if self._text[start : start + 1] != '"':
            raise NotJsonError(f"no string at character {start}")
        try:
            value, end = _DECODER.raw_decode(self._text, start)
        except ValueError as error:
            raise NotJsonError(str(error)) from error
        return yaml.ScalarNode(_TAG + "str", value, mark(start), mark(end), style='"')

    def _array(self, start: int, depth: int) -> yaml.SequenceNode:
        items: list[yaml.Node] = []
        position = self.skip(start + 1)
        while self._text[position : position + 1] != "]":
            items.append(self.value(position, depth + 1))
            position = self._next(items[-1], "]")
        end = mark(position + 1)
        return yaml.SequenceNode(_TAG + "seq", items, mark(start), end, flow_style=True)

    def _object(self, start: int, depth: int) -> yaml.MappingNode:
        pairs: list[tuple[yaml.Node, yaml.Node]] = []
        position = self.skip(start + 1)
        while self._text[position : position + 1] != "}":
            key = self._string(position)
            colon = self.skip(key.end_mark.index)
            if self._text[colon : colon + 1] != ":":
                raise NotJsonError(f"no colon at character {colon}")
            value = self.value(self.skip(colon + 1), depth + 1)
            pairs.append((key, value))
            position = self._next(value, "}")
        end = mark(position + 1)
        return yaml.MappingNode(_TAG + "map", pairs, mark(start), end, flow_style=True)

    def _next(self, node: yaml.Node, closing: str) -> int:
        """Where the next item begins, or the closing bracket stands."""
        position = self.skip(node.end_mark.index)
        if self._text[position : position + 1] == closing:
            return position
        if self._text[position : position + 1] != ",":
            raise NotJsonError(f"no comma at character {position}")
        position = self.skip(position + 1)
        if self._text[position : position + 1] == closing:
            raise NotJsonError(f"nothing behind the comma before character {position}")
        return position
