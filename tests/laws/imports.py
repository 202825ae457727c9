"""Imports written another way: what is imported is the same object under another name."""

from __future__ import annotations

from typing import cast

import libcst as cst

from tests.laws.api import MODULES, SUBMODULES
from tests.laws.facts import Kind, dotted_name, root, source_of
from tests.laws.program import Module, Program
from tests.laws.rewriting import Edits, PerModule, statement


class _Imports(PerModule):
    """Walks over the import statements of a module."""

    def edit(self, module: Module, program: Program) -> str | None:
        facts = module.facts
        if facts.is_strange or program.importers(module.path):
            return None
        edits = Edits(module)
        fresh = program.fresh()
        for line in _import_lines(module.tree):
            (node,) = line.body
            if isinstance(node, cst.ImportFrom):
                self.from_import(node, module, program, edits, lambda: next(fresh))
            elif isinstance(node, cst.Import):
                self.plain_import(line, node, module, program, edits, lambda: next(fresh))
        return edits.code()

    def from_import(self, node, module, program, edits, fresh) -> None:  # type: ignore[no-untyped-def]
        """Change one from-import."""

    def plain_import(self, line, node, module, program, edits, fresh) -> None:  # type: ignore[no-untyped-def]
        """Change one `import`."""


def _import_lines(tree: cst.Module) -> list[cst.SimpleStatementLine]:
    found = []

    class Visitor(cst.CSTVisitor):
        def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:  # noqa: N802
            if len(node.body) == 1 and isinstance(node.body[0], cst.Import | cst.ImportFrom):
                found.append(node)
            return False

    tree.visit(Visitor())
    return found


def _is_free(word: str, module: Module) -> bool:
    """Whether a word means one import in the whole module and is in no string."""
    facts = module.facts
    return (
        facts.bound[word] == {Kind.IMPORT}
        and len(facts.imports[word]) == 1
        and word not in facts.strings
        and word not in facts.deferred
    )


def _uses(word: str, module: Module) -> list[cst.Name]:
    return module.facts.variables.get(word, [])


def _times_imported(word: str, module: Module) -> int:
    """How often a word is imported."""
    return sum(
        (a.asname.name.value if a.asname else a.name.value) == word  # type: ignore[union-attr]
        for _, a in module.facts.imported
        if a.asname is None or isinstance(a.asname.name, cst.Name)
    )


class ImportAliases(_Imports):
    """`from m import DataLoader as alfa`, `import torch as bravo`: a name for the same object."""

    name = "import-aliases"

    def from_import(self, node, module, program, edits, fresh) -> None:  # type: ignore[no-untyped-def]
        """Give each imported name an alias."""
        if isinstance(node.names, cst.ImportStar) or source_of(node) == "__future__":
            return
        for alias in node.names:
            old = alias.asname.name if alias.asname else alias.name
            if not isinstance(old, cst.Name) or not _is_free(old.value, module):
                continue
            if _times_imported(old.value, module) == 1:
                _alias(alias, old.value, module, edits, fresh())

    def plain_import(self, line, node, module, program, edits, fresh) -> None:  # type: ignore[no-untyped-def]
        """Give a module an alias, if it is named by one word."""
        for alias in node.names:
            old = alias.asname.name if alias.asname else alias.name
            if not isinstance(old, cst.Name) or not _is_free(old.value, module):
                continue
            if _plain_imports(old.value, module) == 1:
                _alias(alias, old.value, module, edits, fresh())


def _plain_imports(word: str, module: Module) -> int:
    """How many `import` statements bind a word."""
    lines = [line.body[0] for line in _import_lines(module.tree)]
    names = [a for n in lines if isinstance(n, cst.Import) for a in n.names]
    bound = [a.asname.name if a.asname else root(a.name) for a in names]
    return sum(isinstance(b, cst.Name) and b.value == word for b in bound)


def _alias(alias: cst.ImportAlias, old: str, module: Module, edits: Edits, new: str) -> None:
    as_name = cst.AsName(
        name=cst.Name(new),
        whitespace_before_as=cst.SimpleWhitespace(" "),
        whitespace_after_as=cst.SimpleWhitespace(" "),
    )
    edits.change(alias, lambda a: a.with_changes(asname=as_name))
    for use in _uses(old, module):
        edits.replace(use, cst.Name(new))


class ModuleAttributes(_Imports):
    """`import torch.utils.data as alfa` and `alfa.DataLoader` for `from ... import DataLoader`.

    The attribute of the module is what the from-import took, unless somebody sets it: only
    libraries, and only names that are no modules themselves.
    """

    name = "module-attributes"

    def from_import(self, node, module, program, edits, fresh) -> None:  # type: ignore[no-untyped-def]
        """Import the module in place of its names."""
        source = source_of(node)
        if isinstance(node.names, cst.ImportStar) or source not in MODULES:
            return
        olds = [a.asname.name if a.asname else a.name for a in node.names]
        names = [cast("cst.Name", a.name).value for a in node.names]
        words = [cast("cst.Name", old).value for old in olds]
        if not all(_is_free(w, module) and _times_imported(w, module) == 1 for w in words):
            return
        if set(names) & SUBMODULES or program.is_own(module, source):
            return
        new = fresh()
        imported = cast("cst.SimpleStatementLine", statement(f"import {source} as {new}")).body[0]
        edits.replace(node, imported)
        for word, name in zip(words, names, strict=True):
            for use in _uses(word, module):
                edits.replace(use, cst.Attribute(cst.Name(new), cst.Name(name)))


class FromImports(_Imports):
    """`from torch.utils.data import DataLoader` for `torch.utils.data.DataLoader`.

    The from-import stands below the import of the module. Names of modules and names that the
    program sets are left.
    """

    name = "from-imports"

    def plain_import(self, line, node, module, program, edits, fresh) -> None:  # type: ignore[no-untyped-def]
        """Import what is used of a module by its name."""
        if len(node.names) != 1:
            return
        alias = node.names[0]
        bound = (
            alias.asname.name.value if alias.asname else cast("cst.Name", root(alias.name)).value
        )
        if not _is_free(bound, module) or _plain_imports(bound, module) != 1:
            return
        chains = _chains(bound, module, program)
        by_name: dict[str, list[cst.Attribute]] = {}
        for chain in chains:
            by_name.setdefault(module.facts.qualified(chain) or "", []).append(chain)
        for dotted, uses in by_name.items():
            source, _, name = dotted.rpartition(".")
            if not any(u in _stored(module) for u in uses):
                new = fresh()
                edits.after(line, statement(f"from {source} import {name} as {new}"))
                for use in uses:
                    edits.replace(use, cst.Name(new))


def _chains(word: str, module: Module, program: Program) -> list[cst.Attribute]:
    """The uses of an import that are a name in a module and no module."""
    return [
        node
        for name, nodes in module.facts.attributes.items()
        for node in nodes
        if name not in SUBMODULES
        and isinstance(root(node), cst.Name)
        and (dotted_name(node) or "").partition(".")[0] == word
        and (module.facts.qualified(node.value) or "") in MODULES
        and (module.facts.qualified(node) or "") not in MODULES
        and not program.is_own(module, module.facts.qualified(node) or "")
    ]


def _stored(module: Module) -> set[cst.CSTNode]:
    """The expressions that something is assigned to."""
    found: set[cst.CSTNode] = set()

    class Visitor(cst.CSTVisitor):
        def visit_AssignTarget(self, node: cst.AssignTarget) -> None:  # noqa: N802
            found.add(node.target)

        def visit_AugAssign(self, node: cst.AugAssign) -> None:  # noqa: N802
            found.add(node.target)

        def visit_Del(self, node: cst.Del) -> None:  # noqa: N802
            found.add(node.target)

    module.tree.visit(Visitor())
    return found


IMPORTS = (ImportAliases(), ModuleAttributes(), FromImports())
