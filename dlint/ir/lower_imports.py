"""Import statements: libcst -> definitions."""

from __future__ import annotations

import libcst as cst

from dlint.ir.expressions import Definition, Imported
from dlint.ir.lower_context import STATEMENTS, Context
from dlint.ir.module import Define


@STATEMENTS.lowers("Import", "LazyImport")
def lower_import(context: Context, node: cst.Import) -> None:
    statement = Define(context.spans[node], (), context.block)
    context.begin(statement)
    statement.definitions = tuple([_import(context, alias) for alias in node.names])


def _import(context: Context, alias: cst.ImportAlias) -> Definition:
    span = context.spans[alias]
    if alias.asname is None:
        name = imported_name(alias)
        return context.environment.bind(span, name, Imported(span, name, None))
    target = alias.asname.name
    assert isinstance(target, cst.Name)
    module = _dotted_name(alias.name)
    return context.environment.bind(span, target.value, Imported(span, module, None))


@STATEMENTS.lowers("ImportFrom", "LazyImportFrom")
def lower_import_from(context: Context, node: cst.ImportFrom) -> None:
    statement = Define(context.spans[node], (), context.block)
    context.begin(statement)
    module, level = _dotted_name(node.module), len(node.relative)
    if isinstance(node.names, cst.ImportStar):
        star = Imported(statement.span, module, "*", level)
        context.module.star_imports.append(star)
        return
    statement.definitions = tuple(
        [_import_from(context, alias, module, level) for alias in node.names]
    )


def _import_from(context: Context, alias: cst.ImportAlias, module: str, level: int) -> Definition:
    span, name = context.spans[alias], imported_name(alias)
    bound = name
    if alias.asname is not None:
        assert isinstance(alias.asname.name, cst.Name)
        bound = alias.asname.name.value
    return context.environment.bind(span, bound, Imported(span, module, name, level))


def _dotted_name(node: cst.CSTNode | None) -> str:
    """`a.b.c` of a name or a chain of attributes, empty for None."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if isinstance(node, cst.Name):
        parts.append(node.value)
    return ".".join(reversed(parts))


def imported_name(alias: cst.ImportAlias) -> str:
    """The name that `import a.b` or `from m import a` binds where it has no `as`."""
    return _dotted_name(alias.name).partition(".")[0]
