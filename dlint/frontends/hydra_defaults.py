"""Hydra's composition: a primary config, and the files that its defaults list chooses.

What a file outside the project would give, or one that nothing names, is left open: nobody knows
what stands there. (hydra/_internal/defaults_list.py, hydra/_internal/config_loader_impl.py)
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.regexes import lazily
from dlint.frontends.interpolations import resolved
from dlint.frontends.settings_files import HIDDEN, Branch, Leaf, Row, Tree
from dlint.workspace.spelling import normal

if TYPE_CHECKING:
    from dlint.frontends.documents import Documents

_PACKAGE = lazily(r"^#\s*@package[ \t]+(\S+)\s*$", re.M)
_DEPTH = 8
_MOST = 200
"""Files of one composition."""
_SUFFIX = ".yaml"


class _UnknownError(Exception):
    """A composition of which not even the outline is known."""


class _Choice(NamedTuple):
    """One entry of a defaults list."""

    group: str
    """The folder below the config folder; empty for a file named by itself."""
    option: str | None
    """None for one that is not known."""
    package: str | None


def composed(
    documents: Documents, folder: str, name: str, *, is_own_last: bool = False
) -> Tree | None:
    """The composed tree with its interpolations followed; None where too much is unknown.

    `is_own_last`: without a `_self_`, a file overrides its defaults list, as since Hydra 1.1.
    """
    try:
        composer = _Composer(documents, folder, is_own_last=is_own_last)
        return resolved(composer.file("", name, "", _DEPTH))
    except _UnknownError:
        return None


class _Composer:
    def __init__(self, documents: Documents, folder: str, *, is_own_last: bool) -> None:
        self._documents = documents
        self._folder = folder
        self._is_own_last = is_own_last
        self._overrides: dict[str, str | None] = {}
        self._left = _MOST

    def file(self, group: str, name: str, package: str, depth: int) -> Branch:
        """What one file and its own defaults give, from the root of the tree on."""
        path = normal(f"{self._folder}/{group}/{name.removesuffix(_SUFFIX)}{_SUFFIX}")
        self._left -= 1
        tree = self._documents.tree(path) if depth and self._left > 0 else None
        if not isinstance(tree, Branch):
            raise _UnknownError
        header = _PACKAGE.search(self._documents.text(path) or "")
        package = _packaged(header[1], group, package) if header else package
        own = Branch(path, tree.span, {k: v for k, v in tree.items.items() if k != "defaults"})
        parts = self._parts(tree, group, package, depth)
        return self._joined(_placed(own, package), parts)

    def _joined(self, own: Branch, parts: list[Branch | None]) -> Branch:
        """The parts in order; `None` stands for the file itself, which may be first or last."""
        if None in parts:
            whole = [own if part is None else part for part in parts]
            return _merged(whole)
        others = [part for part in parts if part is not None]
        if self._is_own_last:
            return _merged([*others, own])
        return _agreed(_merged([own, *others]), _merged([*others, own]))

    def _parts(self, tree: Branch, group: str, package: str, depth: int) -> list[Branch | None]:
        listed = tree.items.get("defaults")
        if listed is None:
            return [None]
        if not isinstance(listed, Row):
            raise _UnknownError
        found: list[Branch | None] = []
        choices = list(self._choices(listed, group))
        for choice in choices:
            if choice is None:
                found.append(None)
            elif choice.option is not None or choice.group:
                found.append(self._chosen(choice, group, package, depth, listed))
        return found

    def _choices(self, listed: Row, group: str) -> Iterator[_Choice | None]:
        """The entries that add something; overrides are kept for whoever is overridden."""
        entries = [_entry(item) for item in listed.items]
        for key, value in entries:
            if key.startswith("override "):
                name = key.removeprefix("override ").strip()
                self._overrides.setdefault(name.partition("@")[0].lstrip("/"), value)
        for key, value in entries:
            if key == "_self_":
                yield None
            elif not key.startswith(("override ", "hydra/", "/hydra/")):
                yield from self._choice(key, value, group)

    def _choice(self, key: str, value: str | None, group: str) -> Iterator[_Choice]:
        key = key.removeprefix("optional ").strip()
        name, _, package = key.partition("@")
        if value == "null":
            return
        if value == "":
            yield _Choice("", name, package or None)
            return
        path = name[1:] if name.startswith("/") else posixpath.normpath(f"{group}/{name}")
        yield _Choice(path.strip("/"), self._overrides.get(path.strip("/"), value), package or None)

    def _chosen(self, choice: _Choice, group: str, package: str, depth: int, listed: Row) -> Branch:
        """What one entry adds; where that is not known, its package is left open."""
        if not choice.group:
            option = choice.option or ""
            home = "" if option.startswith("/") else group
            where = package if choice.package is None else _below(package, choice.package)
            return self.file(home, option.lstrip("/"), where, depth - 1)
        around = package if choice.group.startswith(f"{group}/") or not group else ""
        own = choice.group.removeprefix(f"{group}/") if group else choice.group
        name = own.replace("/", ".") if choice.package is None else choice.package
        where = _below(around, name)
        try:
            if choice.option is None:
                raise _UnknownError
            return self.file(choice.group, choice.option, where, depth - 1)
        except _UnknownError:
            if not where:
                raise
            return _placed(Branch(listed.path, listed.span, {}, is_open=True), where)


def _entry(item: Tree) -> tuple[str, str | None]:
    """Name and option of an entry; "" for a file named by itself, None where it is not known."""
    if isinstance(item, Leaf) and isinstance(item.value, str) and "${" not in item.value:
        return item.value, ""
    if not isinstance(item, Branch) or len(item.items) != 1:
        raise _UnknownError
    ((key, value),) = item.items.items()
    if not isinstance(value, Leaf):
        return key, None
    if value.value is None:
        return key, "null"
    known = isinstance(value.value, str | int) and "${" not in str(value.value)
    return key, str(value.value) if known and not isinstance(value.value, bool) else None


def _packaged(header: str, group: str, package: str) -> str:
    """The package that a file asks for itself."""
    if header == "_global_":
        return ""
    if header in ("_group_", "_name_"):
        return package if header == "_name_" else group.replace("/", ".")
    return header


def _below(package: str, name: str) -> str:
    if name.startswith("_global_"):
        return name.removeprefix("_global_").lstrip(".")
    return f"{package}.{name}".strip(".") if name != "_here_" else package


def _placed(tree: Branch, package: str) -> Branch:
    """A tree under the keys of a package."""
    for name in reversed(package.split(".") if package else ()):
        tree = Branch(tree.path, tree.span, {name: tree})
    return tree


def _merged(trees: list[Branch]) -> Branch:
    """One tree over the other, the later ones above."""
    found = trees[0]
    for tree in trees[1:]:
        items = dict(found.items)
        for name, part in tree.items.items():
            below = items.get(name)
            both = isinstance(below, Branch) and isinstance(part, Branch)
            items[name] = _merged([below, part]) if both else part  # type: ignore[list-item]
        found = Branch(tree.path, tree.span, items, found.is_open or tree.is_open)
    return found


def _agreed(one: Branch, other: Branch) -> Branch:
    """What two orders of merging agree on: Hydra 1.0 and 1.1 differ without a `_self_`."""
    items: dict[str, Tree] = {}
    for name, part in one.items.items():
        second = other.items[name]
        if isinstance(part, Branch) and isinstance(second, Branch):
            items[name] = _agreed(part, second)
        elif isinstance(part, Leaf) and isinstance(second, Leaf) and part.value == second.value:
            items[name] = part
        else:
            items[name] = part if part is second else Leaf(part.path, part.span, HIDDEN)
    return Branch(one.path, one.span, items, one.is_open)
