"""The tree of a TOML text, with places, in the nodes that PyYAML has for a YAML text.

`tomllib` says whether the text is right; what is read here is only where things stand.
"""

from __future__ import annotations

import re
import tomllib

import yaml

from dlint.findings.regexes import lazily
from dlint.frontends.json_files import mark

_TAG = "tag:yaml.org,2002:"
_BLANKS = lazily(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACES = lazily(r"[ \t]*")
_KEY = lazily(r"[\w-]+|\"(?:\\.|[^\"\\])*\"|'[^']*'")
_STRING = lazily(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.S)
_PLAIN = lazily(r"[^\s,\]}#]+(?: \d[^\s,\]}#]*)?")


def compose(text: str) -> yaml.Node:
    """The tree of a text. Raises ValueError for what is no TOML."""
    tomllib.loads(text)
    return _Reader(text).document()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._tables: dict[tuple[int, str], yaml.Node] = {}
        """What stands under each key of a table, by the identity of the table."""

    def document(self) -> yaml.Node:
        """The whole text as a mapping."""
        root = _table(0)
        table = root
        while self._skip(_BLANKS) < len(self._text):
            if self._at("["):
                table = self._header(root)
            else:
                self._pair(table)
        root.end_mark = mark(len(self._text))
        return root

    def _header(self, root: yaml.MappingNode) -> yaml.MappingNode:
        """The table that `[a.b]` opens; `[[a.b]]` adds one to a list."""
        start = self._position
        self._position += 2 if self._text.startswith("[[", start) else 1
        *outer, last = self._keys()
        is_item = self._text.startswith("[[", start)
        self._position += 2 if is_item else 1
        table = root
        for key in outer:
            table = self._inner(table, key)
        if not is_item:
            return self._inner(table, last)
        found = _table(start)
        there = self._tables.get((id(table), last.value))
        if isinstance(there, yaml.SequenceNode):
            there.value.append(found)
            return found
        items = yaml.SequenceNode(_TAG + "seq", [found], mark(start), mark(start))
        self._put(table, last, items)
        return found

    def _inner(self, table: yaml.MappingNode, key: yaml.ScalarNode) -> yaml.MappingNode:
        """The table under a key, which may be the last of a list of them."""
        there = self._tables.get((id(table), key.value))
        inner = there.value[-1] if isinstance(there, yaml.SequenceNode) else there
        if isinstance(inner, yaml.MappingNode):
            return inner
        made = _table(key.start_mark.index)
        self._put(table, key, made)
        return made

    def _put(self, table: yaml.MappingNode, key: yaml.ScalarNode, value: yaml.Node) -> None:
        table.value.append((key, value))
        self._tables.setdefault((id(table), key.value), value)

    def _pair(self, table: yaml.MappingNode) -> None:
        *outer, last = self._keys()
        for key in outer:
            table = self._inner(table, key)
        self._skip(_SPACES)
        self._position += 1
        self._skip(_SPACES)
        value = self._value()
        self._put(table, last, value)
        table.end_mark = value.end_mark

    def _keys(self) -> list[yaml.ScalarNode]:
        """A dotted key; what follows it is next."""
        found: list[yaml.ScalarNode] = []
        while True:
            self._skip(_SPACES)
            match = _KEY.match(self._text, self._position)
            if match is None:
                raise ValueError(f"no key at character {self._position}")
            name = _string(match[0]) if match[0][0] in "\"'" else match[0]
            marks = mark(match.start()), mark(match.end())
            found.append(yaml.ScalarNode(_TAG + "str", name, *marks))
            self._position = match.end()
            self._skip(_SPACES)
            if not self._at("."):
                return found
            self._position += 1

    def _value(self) -> yaml.Node:
        start = self._position
        if self._at("["):
            return self._array(start)
        if self._at("{"):
            return self._inline(start)
        string = _STRING.match(self._text, start)
        match = string or _PLAIN.match(self._text, start)
        if match is None:
            raise ValueError(f"no value at character {start}")
        self._position = match.end()
        kind = "str" if string else _kind(match[0])
        value = _string(match[0]) if string else match[0]
        style = match[0][0] if string else None
        return yaml.ScalarNode(_TAG + kind, value, mark(start), mark(match.end()), style)

    def _array(self, start: int) -> yaml.SequenceNode:
        items: list[yaml.Node] = []
        self._position += 1
        while self._skip(_BLANKS) and not self._at("]"):
            items.append(self._value())
            self._skip(_BLANKS)
            self._position += self._at(",")
        self._position += 1
        end = mark(self._position)
        return yaml.SequenceNode(_TAG + "seq", items, mark(start), end, flow_style=True)

    def _inline(self, start: int) -> yaml.MappingNode:
        table = _table(start)
        self._position += 1
        while self._skip(_BLANKS) and not self._at("}"):
            self._pair(table)
            self._skip(_BLANKS)
            self._position += self._at(",")
        self._position += 1
        table.flow_style, table.end_mark = True, mark(self._position)
        return table

    def _at(self, character: str) -> bool:
        return self._text.startswith(character, self._position)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._position)
        assert found is not None
        self._position = found.end()
        return self._position


def _table(start: int) -> yaml.MappingNode:
    return yaml.MappingNode(_TAG + "map", [], mark(start), mark(start), flow_style=False)


def _string(written: str) -> str:
    if "\\" not in written and written[:3] not in ('"""', "'''"):
        return written[1:-1]
    found = tomllib.loads(f"x = {written}")["x"]
    return str(found)


def _kind(word: str) -> str:
    if word in ("true", "false"):
        return "bool"
    if word.isdecimal():
        return "int"
    found = tomllib.loads(f"x = {word}")["x"]
    return {int: "int", float: "float"}.get(type(found), "timestamp")
