"""OmegaConf's `${a.b}`: what stands at the other place, where the same tree has it."""

from __future__ import annotations

from dataclasses import replace

from dlint.findings.regexes import lazily
from dlint.frontends.settings_files import HIDDEN, Branch, Leaf, Row, Tree

_REFERENCE = lazily(r"\$\{(\.*)([\w.]+)\}")
_DEPTH = 8

Parents = tuple[Branch, ...]


def resolved(tree: Tree) -> Tree:
    """The tree with what its interpolations stand for; one that leads nowhere is hidden."""
    return _resolved(tree, ())


def _resolved(tree: Tree, parents: Parents) -> Tree:
    if isinstance(tree, Branch):
        inner = (*parents, tree)
        items = {name: _resolved(part, inner) for name, part in tree.items.items()}
        return replace(tree, items=items)
    if isinstance(tree, Row):
        return replace(tree, items=[_resolved(part, parents) for part in tree.items])
    return _leaf(tree, parents, _DEPTH) if isinstance(tree, Leaf) else tree


def _leaf(leaf: Leaf, parents: Parents, depth: int) -> Leaf:
    if not isinstance(leaf.value, str) or "${" not in leaf.value:
        return leaf
    match = _REFERENCE.fullmatch(leaf.value)
    found = None if match is None or depth == 0 else _referred(match[1], match[2], parents)
    value = HIDDEN if found is None else _leaf(*found, depth - 1).value
    return replace(leaf, value=value)


def _referred(dots: str, names: str, parents: Parents) -> tuple[Leaf, Parents] | None:
    """The leaf behind a path, and the mappings around it."""
    around = parents[: len(parents) - len(dots) + 1] if dots else parents[:1]
    *inner, last = names.split(".")
    for name in inner:
        part = around[-1].items.get(name) if around else None
        if not isinstance(part, Branch) or part.is_open:
            return None
        around = (*around, part)
    leaf = around[-1].items.get(last) if around else None
    return (leaf, around) if isinstance(leaf, Leaf) else None
