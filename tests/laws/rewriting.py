"""What a rewriting is, and the edits with which it writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

import libcst as cst

from tests.laws.program import Module, Program, compiles

New = cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode]
Change = Callable[[cst.CSTNode], New]


class UnsoundError(Exception):
    """A rewriting wrote a program that is broken."""


class Rewriting(ABC):
    """Writes a program another way that means the same. The docstring says why it does."""

    name: ClassVar[str]
    keeps_fix: ClassVar[bool] = True
    """Whether the place that a fix edits is still there."""
    gains_fix: ClassVar[bool] = False
    """Whether it may make a place for a fix: what has a name can be spoken of a second time."""

    @abstractmethod
    def apply(self, program: Program) -> Mapping[str, str] | None:
        """All files of the new program; None where it cannot be applied soundly."""


class PerModule(Rewriting):
    """A rewriting that looks at one module at a time."""

    def apply(self, program: Program) -> Mapping[str, str] | None:
        files = dict(program.files)
        for path, module in program.modules.items():
            text = self.edit(module, program)
            if text is not None:
                files[path] = text
        return files

    @abstractmethod
    def edit(self, module: Module, program: Program) -> str | None:
        """The new text of a module; None if it stays."""


def rewritten(rewriting: Rewriting, program: Program) -> dict[str, str] | None:
    """The new program if the rewriting changes it; raises UnsoundError if it does not compile."""
    files = rewriting.apply(program)
    if files is None or files == program.files:
        return None
    for path, text in files.items():
        if path.endswith(".py") and text != program.files.get(path) and not compiles(text):
            raise UnsoundError(f"{rewriting.name} breaks {path}:\n{text}")
    return dict(files)


class Edits(cst.CSTTransformer):
    """Changes of single nodes of a module, made all at once."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self._module = module
        self._changes: dict[cst.CSTNode, list[Change]] = {}
        self._before: dict[cst.CSTNode, list[cst.CSTNode]] = {}
        self._after: dict[cst.CSTNode, list[cst.CSTNode]] = {}

    def change(self, node: cst.CSTNode, change: Change) -> None:
        """Put what a function makes of a node, its parts changed already, in its place."""
        self._changes.setdefault(node, []).append(change)

    def replace(self, node: cst.CSTNode, new: cst.CSTNode) -> None:
        """Put another node in the place of one."""
        self.change(node, lambda _: new)

    def before(self, statement: cst.BaseStatement, *added: cst.BaseStatement) -> None:
        """Add statements above one; its comments stay with it."""
        self._before.setdefault(statement, []).extend(added)

    def after(self, statement: cst.BaseStatement, *added: cst.BaseStatement) -> None:
        """Add statements below one."""
        self._after.setdefault(statement, []).extend(added)

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> New:  # type: ignore[override]
        """Make the changes of one node; the last of them may give several nodes."""
        new: New = updated_node
        for change in self._changes.get(original_node, []):
            assert isinstance(new, cst.CSTNode)
            new = change(new)
        above, below = self._before.get(original_node, []), self._after.get(original_node, [])
        if above or below:
            kept = [new] if isinstance(new, cst.CSTNode) else []
            return cst.FlattenSentinel([*above, *kept, *below])
        return new

    def __bool__(self) -> bool:
        return bool(self._changes or self._before or self._after)

    def code(self) -> str | None:
        """The new text; None if there is no change."""
        return self._module.tree.visit(self).code if self else None


def statement(text: str) -> cst.BaseStatement:
    """A statement from its text."""
    return cst.parse_statement(text)


def expression(text: str) -> cst.BaseExpression:
    """An expression from its text."""
    return cst.parse_expression(text)
