"""Settings files of which a program reads one, and nobody knows which: what they hold together.

Question: which files may a reader be given whose path is an option or a parameter, and what stands
at a place in them? Followed: files of the reader's kind that speak of loading, below the folder of
the module, or else below the next one around it. Given up on: more than `_MOST` files, places
where one file has a mapping and another a value, and more than `_MOST_VALUES` values.
"""

from __future__ import annotations

from collections.abc import Sequence

from dlint.frontends.settings_files import HIDDEN, Branch, Hidden, Leaf, Several, Tree
from dlint.workspace import asked
from dlint.workspace.kinds import kind_of, suffixes

_MOST = 60
_MOST_VALUES = 6
"""Files of which the values are told apart, where they are not all the same."""
DEPTHS = (range(3), range(3, 5))
"""How many folders down settings are looked for: where the first find none, by the others."""


def paths_below(folder: str, kind: str, depths: range = DEPTHS[0]) -> list[str]:
    """The files of one kind in a folder and those inside it, but for hidden ones."""
    patterns = [
        "*/" * depth + "*" + suffix
        for depth in depths
        for suffix in suffixes()
        if kind_of(suffix) == kind
    ]
    names = [name for pattern in patterns for name in asked.matching(folder, pattern)]
    return [f"{folder}/{name}" for name in names if not f"/{name}".count("/.")]


def joined(trees: Sequence[Tree]) -> Branch | None:
    """What mappings of several files hold at each place; None for none, or too many."""
    branches = [tree for tree in trees if isinstance(tree, Branch)]
    return _branch(branches) if 0 < len(branches) <= _MOST else None


def _branch(branches: Sequence[Branch]) -> Branch:
    names = dict.fromkeys(name for branch in branches for name in branch.items)
    items = {
        name: _joined([branch.items[name] for branch in branches if name in branch.items])
        for name in names
    }
    is_open = any(branch.is_open for branch in branches)
    return Branch(branches[0].path, branches[0].span, items, is_open)


def _joined(trees: Sequence[Tree]) -> Tree:
    first = trees[0]
    branches = [tree for tree in trees if isinstance(tree, Branch)]
    if len(branches) == len(trees):
        return _branch(branches)
    leaves = [tree for tree in trees if isinstance(tree, Leaf)]
    if len(leaves) < len(trees) or any(isinstance(leaf.value, Hidden) for leaf in leaves):
        return first if len(trees) == 1 else Leaf(first.path, first.span, HIDDEN)
    if len({(type(leaf.value), leaf.value) for leaf in leaves}) == 1:
        return first
    if len(leaves) > _MOST_VALUES:
        return Leaf(first.path, first.span, HIDDEN)
    return Several(first.path, first.span, leaves)
