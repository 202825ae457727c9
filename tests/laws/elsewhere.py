"""Definitions that move to a file of their own."""

from __future__ import annotations

import builtins
import posixpath
from collections.abc import Mapping

import libcst as cst

from tests.laws.facts import Kind
from tests.laws.moves import is_import, loose
from tests.laws.program import Module, Program
from tests.laws.quiet import has_any
from tests.laws.regions import Region
from tests.laws.rewriting import Rewriting, statement

_DEFINING = (cst.FunctionDef, cst.ClassDef)


class _Elsewhere(Rewriting):
    """Moves definitions that use imports only to a file beside, and imports them from there.

    Imports of the project's own modules stay where they were, too: these may do something. Files
    that stand alone, beside each other, are left so: what nobody imports is judged by that. What a
    module offers stays where the module does something when it is imported: whoever took it from
    the new file would run none of that. A file with names that nothing binds is a part that is
    shown, as long as it stands alone.
    """

    kind: type[cst.FunctionDef] | type[cst.ClassDef]

    def apply(self, program: Program) -> Mapping[str, str] | None:
        files = dict(program.files)
        fresh = program.fresh()
        if len(program.modules) > 1 and not any(map(program.importers, program.modules)):
            return None
        if len(program.modules) == 1 and any(map(_is_part, program.modules.values())):
            return None
        for path, module in program.modules.items():
            alone = posixpath.dirname(path) == "" and not module.facts.is_strange
            alone = alone and not path.startswith(_MEANING)
            moved = [s for s in module.statements if self._may_move(s, module)] if alone else []
            if not moved or program.importers(path):
                continue
            name = next(fresh)
            files[f"{name}.py"] = _module_of(moved, module)
            files[path] = _without(moved, name, module, program)
        return files

    def _may_move(self, node: cst.BaseStatement, module: Module) -> bool:
        if not isinstance(node, self.kind) or node.decorators:
            return False
        if module.facts.bound[node.name.value] & {Kind.GLOBAL, Kind.IMPORT}:
            return False
        if _acts(module) and len(module.facts.variables[node.name.value]) < 2:
            return False
        used = Region([node])
        top = {Kind.GLOBAL, Kind.FUNCTION, Kind.CLASS}
        own = {w for w in module.facts.bound if module.facts.bound[w] & top}
        words = set(used.facts.variables) - {node.name.value}
        imports = {w for w in words if w in module.facts.imports}
        return not words & own and imports <= set(_top_imports(module))


def _is_part(module: Module) -> bool:
    """Whether a module reads names that neither it nor Python binds."""
    bound = {*module.facts.bound, *module.facts.imports, *dir(builtins)}
    return not bound.issuperset(n for n in module.facts.variables if not n.startswith("__"))


def _acts(module: Module) -> bool:
    """Whether importing a module does more than to define and to set variables."""
    return any(has_any(s, cst.Expr) for s in loose(module))


def _top_imports(module: Module) -> dict[str, cst.BaseStatement]:
    """The statements that import a word at the top of a module."""
    found: dict[str, cst.BaseStatement] = {}
    for node in module.statements:
        if is_import(node):
            found |= dict.fromkeys(Region([node]).facts.imports, node)
    return found


def _module_of(moved: list[cst.BaseStatement], module: Module) -> str:
    """The new file: all imports at the top, then what moved."""
    used = set(Region(moved).facts.variables)
    imports = [_only(s, used) for s in module.statements if is_import(s)]
    return cst.Module([]).with_changes(body=[*(i for i in imports if i), *moved]).code


def _only(line: cst.BaseStatement, used: set[str]) -> cst.BaseStatement | None:
    """An import with the names of it that are used; None if there are none."""
    names = set(Region([line]).facts.imports)
    if not names & used and not _must_be_first(line):
        return None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if not isinstance(small, cst.ImportFrom) or isinstance(small.names, cst.ImportStar):
        return line
    kept = [a for a in small.names if used & set(_bound(a)) or _must_be_first(line)]
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return line.with_changes(body=[small.with_changes(names=kept)])


def _is_own(line: cst.BaseStatement, module: Module, program: Program) -> bool:
    """Whether a statement imports a module of the project."""
    origins = Region([line]).facts.imports.values()
    return any(program.is_own(module, dotted) for found in origins for dotted in found)


def _bound(alias: cst.ImportAlias) -> list[str]:
    name = alias.asname.name if alias.asname else alias.name
    return [name.value] if isinstance(name, cst.Name) else []


def _must_be_first(line: cst.BaseStatement) -> bool:
    return "annotations" in Region([line]).facts.imports


_MEANING = ("bench", "test", "conftest", "profile")
"""How files begin whose name says what their code is for."""


def _without(moved: list[cst.BaseStatement], name: str, module: Module, program: Program) -> str:
    """The old file with an import where the first definition stood."""
    names = ", ".join(m.name.value for m in moved if isinstance(m, _DEFINING))
    added = statement(f"from {name} import {names}")
    body: list[cst.BaseStatement | None] = []
    for node in module.statements:
        if node is moved[0]:
            body.append(added)
        if node not in moved:
            body.append(node)
    left = set(Region([s for s in body if s and not is_import(s)]).facts.variables)
    used = [
        s for s in body if s and (s is added or not is_import(s) or _is_own(s, module, program))
    ]
    body = [s if s in used or s is None else _only(s, left) for s in body]
    return module.tree.with_changes(body=[s for s in body if s is not None]).code


class ClassesElsewhere(_Elsewhere):
    """Classes that use imports only stand in a file of their own."""

    name = "classes-elsewhere"
    kind = cst.ClassDef


class FunctionsElsewhere(_Elsewhere):
    """Functions that use imports only stand in a file of their own."""

    name = "functions-elsewhere"
    kind = cst.FunctionDef


ELSEWHERE = (ClassesElsewhere(), FunctionsElsewhere())
