"""The data of a YAML, JSON or TOML text as a tree that says where each value stands."""

from __future__ import annotations

import yaml

from dlint.frontends.nodes import documents, merged, span
from dlint.frontends.settings_files import HIDDEN, Branch, Hidden, Leaf, Plain, Row, Tree

_TEXT = "tag:yaml.org,2002:str"
_KINDS = {
    f"tag:yaml.org,2002:{name}": kind
    for name, kind in (("int", int), ("float", float), ("bool", bool), ("null", type(None)))
}
_MOST = 10_000
"""Values of one file; aliases of aliases may stand for many more."""
_DEPTH = 40


class _TooManyError(Exception):
    """A file with more values, or deeper ones, than anybody sets by hand."""


def tree_of(path: str, text: str) -> Tree | None:
    """The tree of the one document of a text; None where there is none, or several."""
    found = documents(path, text)
    if len(found) != 1:
        return None
    try:
        return _Reader(path).tree(found[0])
    except _TooManyError:
        return None


class _Reader:
    def __init__(self, path: str) -> None:
        self._path = path
        self._left = _MOST

    def tree(self, node: yaml.Node, depth: int = 0) -> Tree:
        """What a node stands for."""
        self._left -= 1
        if self._left < 0 or depth > _DEPTH:
            raise _TooManyError
        if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
            items = {name: self.tree(value, depth + 1) for name, value in merged(node).items()}
            return Branch(self._path, span(node), items)
        if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
            return Row(self._path, span(node), [self.tree(item, depth + 1) for item in node.value])
        value = _value(node) if isinstance(node, yaml.ScalarNode) else HIDDEN
        return Leaf(self._path, span(node), value)


def _value(node: yaml.ScalarNode) -> Plain | Hidden:
    if node.tag == _TEXT:
        text: str = node.value
        return HIDDEN if text == "???" else text
    kind = _KINDS.get(node.tag)
    try:
        value = yaml.constructor.SafeConstructor().construct_object(node) if kind else HIDDEN
    except (yaml.YAMLError, ValueError):
        return HIDDEN
    return value if isinstance(value, int | float | None) and type(value) is kind else HIDDEN
