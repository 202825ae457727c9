"""How each word of a module is used: as a variable, an attribute, a keyword, or in a string."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from enum import Enum, auto

import libcst as cst


def words(text: str) -> list[str]:
    """The words of a table."""
    return text.split()


WORD = re.compile(r"[^\W\d]\w*")


class Kind(Enum):
    """What binds a word."""

    LOCAL = auto()
    GLOBAL = auto()
    PARAMETER = auto()
    FUNCTION = auto()
    NESTED = auto()
    """A function or class within a function."""
    CLASS = auto()
    MEMBER = auto()
    """A variable in the body of a class."""
    METHOD = auto()
    IMPORT = auto()


class Facts(cst.CSTVisitor):
    """One walk over a module without any metadata."""

    def __init__(self) -> None:
        super().__init__()
        self.bound: dict[str, set[Kind]] = defaultdict(set)
        self.variables: dict[str, list[cst.Name]] = defaultdict(list)
        self.attributes: dict[str, list[cst.Attribute]] = defaultdict(list)
        self.keywords: dict[str, list[tuple[cst.Arg, cst.Call]]] = defaultdict(list)
        self.imports: dict[str, set[str]] = defaultdict(set)
        """The dotted names that the imports of a word denote, dots of relative ones in front."""
        self.imported: list[tuple[str, cst.ImportAlias]] = []
        """Names of from-imports with the module they come from."""
        self.strings: set[str] = set()
        """Words within strings that are no docstrings."""
        self.is_strange = False
        """Whether names may be used in a way that cannot be seen."""
        self.reads_locals = False
        """Whether variables of functions may be used by a text, or come from a star import."""
        self.deferred: set[str] = set()
        """Words of `global` and `nonlocal` statements."""
        self._scopes: list[type] = [cst.Module]
        self._apart: set[cst.Name] = set()

    def visit_Name(self, node: cst.Name) -> None:  # noqa: N802
        if node not in self._apart:
            self.variables[node.value].append(node)
        if node.value in _STRANGE:
            self.is_strange = True
        if node.value in _READING:
            self.reads_locals = True

    def visit_Attribute(self, node: cst.Attribute) -> None:  # noqa: N802
        self._apart.add(node.attr)
        self.attributes[node.attr.value].append(node)

    def visit_Call(self, node: cst.Call) -> None:  # noqa: N802
        for arg in node.args:
            if arg.keyword is not None:
                self._apart.add(arg.keyword)
                self.keywords[arg.keyword.value].append((arg, node))

    def visit_SimpleString(self, node: cst.SimpleString) -> None:  # noqa: N802
        self.strings.update(WORD.findall(node.value))

    def visit_FormattedStringText(self, node: cst.FormattedStringText) -> None:  # noqa: N802
        self.strings.update(WORD.findall(node.value))

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
        kinds: dict[type, Kind] = {cst.Module: Kind.FUNCTION, cst.ClassDef: Kind.METHOD}
        self.bound[node.name.value].add(kinds.get(self._scopes[-1], Kind.NESTED))
        self._scopes.append(cst.FunctionDef)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:  # noqa: N802
        del original_node
        self._scopes.pop()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:  # noqa: N802
        at_top = self._scopes[-1] is cst.Module
        self.bound[node.name.value].add(Kind.CLASS if at_top else Kind.NESTED)
        if self._scopes[-1] is cst.ClassDef:
            self.bound[node.name.value].add(Kind.MEMBER)
        self._scopes.append(cst.ClassDef)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:  # noqa: N802
        del original_node
        self._scopes.pop()

    def visit_Param(self, node: cst.Param) -> None:  # noqa: N802
        self.bound[node.name.value].add(Kind.PARAMETER)

    def visit_Lambda(self, node: cst.Lambda) -> None:  # noqa: N802
        del node
        self._scopes.append(cst.FunctionDef)

    def leave_Lambda(self, original_node: cst.Lambda) -> None:  # noqa: N802
        del original_node
        self._scopes.pop()

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:  # noqa: N802
        self._bind(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:  # noqa: N802
        self._bind(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:  # noqa: N802
        self._bind(node.target)

    def visit_For(self, node: cst.For) -> None:  # noqa: N802
        self._bind(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:  # noqa: N802
        self._bind(node.name)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:  # noqa: N802
        self._bind(node.target)

    def visit_CompFor(self, node: cst.CompFor) -> None:  # noqa: N802
        for name in targets(node.target):
            self.bound[name.value].add(Kind.LOCAL)

    def visit_NameItem(self, node: cst.NameItem) -> None:  # noqa: N802
        self.deferred.add(node.name.value)
        self.bound[node.name.value].add(Kind.GLOBAL)

    def visit_Match(self, node: cst.Match) -> None:  # noqa: N802
        del node
        self.is_strange = self.reads_locals = True

    def visit_Import(self, node: cst.Import) -> bool:  # noqa: N802
        for alias in node.names:
            dotted = dotted_name(alias.name) or ""
            name = alias.asname.name if alias.asname else root(alias.name)
            self._import(name, dotted if alias.asname else dotted.partition(".")[0])
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:  # noqa: N802
        if isinstance(node.names, cst.ImportStar):
            self.is_strange = self.reads_locals = True
            return False
        module = source_of(node)
        for alias in node.names:
            self.imported.append((module, alias))
            name = alias.asname.name if alias.asname else alias.name
            self._import(name, f"{module}.{dotted_name(alias.name)}")
        return False

    def _import(self, name: cst.BaseExpression | None, dotted: str) -> None:
        if isinstance(name, cst.Name):
            self.bound[name.value].add(Kind.IMPORT)
            self.imports[name.value].add(dotted)

    def _bind(self, target: cst.BaseExpression) -> None:
        kinds: dict[type, Kind] = {cst.Module: Kind.GLOBAL, cst.ClassDef: Kind.MEMBER}
        for name in targets(target):
            self.bound[name.value].add(kinds.get(self._scopes[-1], Kind.LOCAL))

    def qualified(self, node: cst.BaseExpression) -> str | None:
        """The dotted name that an expression denotes by the imports; None if it is not plain."""
        dotted = dotted_name(node)
        if dotted is None:
            return None
        first, dot, rest = dotted.partition(".")
        if self.bound.get(first) != {Kind.IMPORT} or len(self.imports[first]) != 1:
            return None
        (origin,) = self.imports[first]
        return f"{origin}{dot}{rest}"


_STRANGE = frozenset(
    words("""
        locals globals vars exec eval getattr setattr hasattr delattr __import__ inspect fire typer
        click import_module attrgetter
    """)
)


_READING = frozenset({"locals", "vars", "exec", "eval", "globals"})


def targets(node: cst.BaseExpression) -> Iterator[cst.Name]:
    """The names that an assignment to this expression binds."""
    if isinstance(node, cst.Name):
        yield node
    elif isinstance(node, cst.Tuple | cst.List):
        for element in node.elements:
            yield from targets(element.value)


def dotted_name(node: cst.BaseExpression) -> str | None:
    """`a.b.c` as a text; None if it is another expression."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        before = dotted_name(node.value)
        return None if before is None else f"{before}.{node.attr.value}"
    return None


def root(node: cst.BaseExpression) -> cst.BaseExpression:
    """What an attribute chain begins with."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node


def source_of(node: cst.ImportFrom) -> str:
    """The module of a from-import, the dots of a relative one in front."""
    return "." * len(node.relative) + ((node.module and dotted_name(node.module)) or "")
