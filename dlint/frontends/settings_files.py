"""Settings files as plain data: expressions that know in which file, and where, they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dlint.ir.expressions import Constant, Expression, Mapping, Opaque, Sequence
from dlint.ir.module import ModuleIndex, Scope

if TYPE_CHECKING:
    from dlint.findings.places import Span

Keys = tuple[str, ...]
Plain = str | int | float | bool | None


class Hidden:
    """The value of a leaf that is not known: a tag, an interpolation that leads nowhere."""


HIDDEN = Hidden()


@dataclass(slots=True, eq=False)
class Leaf:
    """One value, where it stands, and what it is."""

    path: str
    span: Span
    value: Plain | Hidden


@dataclass(slots=True, eq=False)
class Branch:
    """A mapping. `is_open`: it may hold more keys than these, or others in their place."""

    path: str
    span: Span
    items: dict[str, Tree]
    is_open: bool = False


@dataclass(slots=True, eq=False)
class Row:
    """A list."""

    path: str
    span: Span
    items: list[Tree]


@dataclass(slots=True, eq=False)
class Several:
    """One place in several files, of which one is read: what each of them has there."""

    path: str
    span: Span
    leaves: list[Leaf]


Tree = Leaf | Branch | Row | Several


@dataclass(slots=True, eq=False)
class Document:
    """What one reading of settings gives. `is_default`: the command line may give others.

    `among`: of how many files one is read, where nobody knows which; 0 where it is known. `files`:
    what each of these holds.
    """

    is_default: bool
    scope: Scope
    among: int = 0
    files: tuple[Branch, ...] = ()
    root: Expression = field(init=False)


@dataclass(slots=True, eq=False)
class Setting(Constant):
    """A value in a settings file, behind these keys."""

    path: str
    keys: Keys
    document: Document


@dataclass(slots=True, eq=False)
class Settings(Opaque):
    """What stands at one place of several files, of which one is read."""

    choices: tuple[Setting, ...] = ()


@dataclass(slots=True, eq=False)
class Interpolated(Opaque):
    """`${a.b}` of which the file that it stands in knows nothing."""

    path: str = ""
    names: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Group(Mapping):
    """A mapping in a settings file, behind these keys."""

    path: str
    keys: Keys
    document: Document
    is_open: bool = False


def lowered(tree: Tree, *, is_default: bool, among: int = 0) -> Document:
    """The expressions of a tree, in a scope of their own that nothing else is in."""
    index = ModuleIndex(tree.path)
    index.body = Scope("module", "<module>", "<module>", tree.span, index)
    index.scopes.append(index.body)
    document = Document(is_default, index.body, among)
    document.root = _expression(tree, (), document, is_open=False)
    return document


def _expression(tree: Tree, keys: Keys, document: Document, *, is_open: bool) -> Expression:
    """`is_open`: nobody knows what else is written to these keys."""
    if isinstance(tree, Branch):
        is_open |= tree.is_open
        items = tuple(
            (Constant(part.span, name), _expression(part, (*keys, name), document, is_open=is_open))
            for name, part in tree.items.items()
        )
        return Group(tree.span, items, tree.path, keys, document, is_open)
    if isinstance(tree, Row):
        rows = tuple(
            _expression(part, (*keys, str(number)), document, is_open=is_open)
            for number, part in enumerate(tree.items)
        )
        return Sequence(tree.span, "list", rows)
    if is_open:
        return Opaque(tree.span)
    if isinstance(tree, Several):
        found = (_setting(leaf, keys, document) for leaf in tree.leaves)
        return Settings(tree.span, choices=tuple(s for s in found if isinstance(s, Setting)))
    return _setting(tree, keys, document)


def _setting(leaf: Leaf, keys: Keys, document: Document) -> Expression:
    if isinstance(leaf.value, Hidden):
        return Opaque(leaf.span)
    return Setting(leaf.span, leaf.value, leaf.path, keys, document)
