"""What a list of statements reads and sets, so that it can move into a function."""

from __future__ import annotations

import libcst as cst

from tests.laws.facts import Facts, targets
from tests.laws.quiet import has_any

_LEAVING = (cst.Return, cst.Yield, cst.Await, cst.Global, cst.Nonlocal, cst.Del, cst.Match)


class Region:
    """Statements, and the names in them."""

    def __init__(self, statements: list[cst.BaseStatement]) -> None:
        self.statements = statements
        self.facts = Facts()
        for statement in statements:
            statement.visit(self.facts)

    @property
    def stays_inside(self) -> bool:
        """Whether nothing in it leaves the list, or needs the function that it stands in."""
        if self.facts.is_strange or self.facts.imports or "super" in self.facts.variables:
            return False
        if any(has_any(s, *_LEAVING) for s in self.statements):
            return False
        return not any(_breaks_out(s) for s in self.statements)

    @property
    def names(self) -> list[str]:
        """All variables in it, in order."""
        return list(self.facts.variables)

    @property
    def sets(self) -> set[str]:
        """The variables that it binds."""
        return set(self.facts.bound)

    def sets_before_use(self) -> bool:
        """Whether each name that it binds is bound, always, before it is read."""
        known: set[str] = set()
        for statement in self.statements:
            reads, always = _effects(statement)
            if (reads - known) & self.sets:
                return False
            known |= always
        return True


def _effects(statement: cst.BaseStatement) -> tuple[set[str], set[str]]:
    """What a statement may read before it sets it, and what it always sets."""
    facts = Facts()
    statement.visit(facts)
    every = set(facts.variables)
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        small = statement.body[0]
        if isinstance(small, cst.Assign):
            bound = {n.value for t in small.targets for n in targets(t.target)}
            return _words(small.value), bound
    if isinstance(statement, cst.For):
        inner = Region(list(statement.body.body))  # type: ignore[arg-type]
        bound = {n.value for n in targets(statement.target)}
        own = {name for name in inner.sets | bound if name not in _words(statement.iter)}
        if not statement.orelse and _is_told(inner, bound):
            return every - own, set()
    if isinstance(statement, cst.With):
        inner = Region(list(statement.body.body))  # type: ignore[arg-type]
        bound = {n.value for i in statement.items if i.asname for n in targets(i.asname.name)}
        heads = {w for i in statement.items for w in _words(i.item)}
        if _is_told(inner, bound):
            return heads | (every - inner.sets - bound), bound
    return every, set()


def _is_told(inner: Region, bound: set[str]) -> bool:
    """Whether a body reads only what it or its head has set before."""
    known = set(bound)
    for statement in inner.statements:
        reads, always = _effects(statement)
        if (reads - known) & (inner.sets | bound):
            return False
        known |= always
    return True


def _words(node: cst.CSTNode) -> set[str]:
    facts = Facts()
    node.visit(facts)
    return set(facts.variables)


def _breaks_out(statement: cst.CSTNode) -> bool:
    """Whether a `break` or `continue` in it belongs to a loop around it."""
    if isinstance(statement, cst.For | cst.While):
        return statement.orelse is not None and _breaks_out(statement.orelse)
    if isinstance(statement, cst.FunctionDef | cst.ClassDef):
        return False
    if isinstance(statement, cst.Break | cst.Continue):
        return True
    return any(_breaks_out(child) for child in statement.children)


class Function:
    """A function or a module: what it binds and where each name is used."""

    def __init__(self, node: cst.FunctionDef | cst.Module) -> None:
        self.facts = Facts()
        node.visit(self.facts)
        own = {node.name.value} if isinstance(node, cst.FunctionDef) else set()
        self.bound = set(self.facts.bound) - own

    def uses_elsewhere(self, name: str, region: Region) -> bool:
        """Whether a name of a region is used outside of it, in this function."""
        everywhere = len(self.facts.variables.get(name, []))
        return everywhere > len(region.facts.variables.get(name, []))
