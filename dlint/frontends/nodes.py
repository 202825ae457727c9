"""The tree of a config text, with places, in PyYAML's nodes, and what it stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from dlint.findings.regexes import lazily
from dlint.ir.expressions import Constant, Opaque
from dlint.workspace import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.findings.places import Span

_PLAIN = {
    f"tag:yaml.org,2002:{name}": kind
    for name, kind in (("int", int), ("float", float), ("bool", bool), ("null", type(None)))
}
_MERGE = "tag:yaml.org,2002:merge"
_REFERENCE = lazily(r"\$\{(?P<hydra>[\w.]+)\}|[@%](?P<monai>\w+(?:(?:#|::)\w+)*)")
_HYPER_REFERENCE = lazily(r"<(\w+)((?:\[\w+\])*)>")
_REF = "!ref"
_DEPTH = 8

Pair = tuple[yaml.ScalarNode, yaml.Node]


def documents(path: str, text: str) -> list[yaml.Node]:
    """The documents of a text; none where it is not what its name says, as a template is not."""
    try:
        match kinds.kind_of(path):
            case kinds.JSON:
                from dlint.frontends.json_files import compose

                return [compose(text)]
            case kinds.TOML:
                from dlint.frontends.toml_files import compose

                return [compose(text)]
            case kinds.SHELL:
                return []
        return [node for node in yaml.compose_all(text, yaml.SafeLoader) if node is not None]
    except (yaml.YAMLError, RecursionError, ValueError):
        return []


def span(node: yaml.Node) -> Span:
    """The characters of a node: of a block those from its first key up to its last value."""
    start = node.start_mark.index
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        start = node.value[0][0].start_mark.index
    last = node
    seen = {id(node)}
    while isinstance(last, yaml.CollectionNode) and last.value and not last.flow_style:
        item = last.value[-1]
        last = item[1] if isinstance(item, tuple) else item
        if last.end_mark.index < start or id(last) in seen:
            return start, node.end_mark.index
        seen.add(id(last))
    return start, last.end_mark.index


def pairs(node: yaml.Node) -> Iterator[Pair]:
    """The keys and values of a mapping, without what it merges in."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                yield key, value


def merged(node: yaml.Node) -> dict[str, yaml.Node]:
    """The values of a mapping by key; those behind `<<` where it does not give them itself."""
    return _merged(node, _DEPTH, {})


def _merged(
    node: yaml.Node, depth: int, known: dict[tuple[int, int], dict[str, yaml.Node]]
) -> dict[str, yaml.Node]:
    """What is merged in many times, as it may be by aliases of aliases, is looked at once."""
    if (id(node), depth) in known:
        return known[id(node), depth]
    found: dict[str, yaml.Node] = {}
    if isinstance(node, yaml.MappingNode) and depth:
        for part in _merging(node):
            found.update(_merged(part, depth - 1, known))
    found.update((key.value, value) for key, value in pairs(node))
    known[id(node), depth] = found
    return found


def _merging(node: yaml.MappingNode) -> Iterator[yaml.Node]:
    """The mappings behind `<<`, each once; the last has the last word."""
    for key, value in node.value:
        if key.tag == _MERGE:
            parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
            yield from {id(part): part for part in reversed(parts)}.values()


def text_at(mapping: dict[str, yaml.Node], key: str) -> str | None:
    """The string under a key."""
    node = mapping.get(key)
    return node.value if isinstance(node, yaml.ScalarNode) else None


def constant(
    node: yaml.ScalarNode, parents: tuple[yaml.Node, ...], depth: int = _DEPTH
) -> Constant | Opaque:
    """The value of a scalar; unknown for text that something else may fill in.

    `${a.b}` is looked up in the file, from the top or, with leading dots, from where it stands;
    so are MONAI's `@a::b` and hyperpyyaml's `!ref <a[b]>`.
    """
    kind = _PLAIN.get(node.tag)
    if kind is not None:
        value = _constructed(node)
        if isinstance(value, kind) and isinstance(value, int | float | None):
            return Constant(span(node), value)
        return Opaque(span(node))
    names, around = _reference(node, parents)
    found = _referred(names, around) if names else None
    if found is not None and depth:
        value = constant(found[0], found[1], depth - 1)
        return Constant(span(node), value.value) if isinstance(value, Constant) else value
    return Opaque(span(node))


def _constructed(node: yaml.ScalarNode) -> object:
    try:
        return yaml.constructor.SafeConstructor().construct_object(node)
    except (yaml.YAMLError, ValueError):
        return node


def _reference(
    node: yaml.ScalarNode, parents: tuple[yaml.Node, ...]
) -> tuple[list[str], tuple[yaml.Node, ...]]:
    """The names by which a scalar refers to another, and the mappings that the first is in."""
    if node.tag == _REF:
        hyper = _HYPER_REFERENCE.fullmatch(node.value)
        return ([hyper[1], *re.findall(r"\w+", hyper[2])] if hyper else []), parents[:1]
    found = _REFERENCE.fullmatch(node.value)
    if found is None:
        return [], ()
    if found["monai"]:
        return re.split("#|::", found["monai"]), parents[:1]
    path = found["hydra"]
    names = path.lstrip(".")
    dots = len(path) - len(names)
    around = parents[:1] if dots == 0 else parents[: len(parents) - dots + 1]
    return names.split("."), around


def _referred(
    names: list[str], around: tuple[yaml.Node, ...]
) -> tuple[yaml.ScalarNode, tuple[yaml.Node, ...]] | None:
    """The scalar that names lead to, and the mappings around it."""
    for name in names:
        node = merged(around[-1]).get(name) if around else None
        if node is None:
            return None
        around = (*around, node)
    last = around[-1]
    return (last, around[:-1]) if isinstance(last, yaml.ScalarNode) else None
