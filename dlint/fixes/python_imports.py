"""The import statements a module begins with, and the name by which it knows `torch`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import chain

from dlint.findings.edits import Edit
from dlint.fixes.python_names import all_bindings, bindings, scopes_around
from dlint.workspace.source import Source


def last_leading_row(tree: ast.Module, before: int) -> int | None:
    """Last row of the last leading import that ends above the row `before`.

    Leading are the imports, plain or as the whole of a `try` or `if`, that nothing but a docstring
    and calls and settings (`sys.path.append(…)`, `os.environ[…] = …`) stands between.
    """
    last = None
    for statement in tree.body:
        if (statement.end_lineno or 0) >= before:
            break
        if _is_import_block(statement):
            last = _row_end(tree.body, statement.end_lineno or 0)
        elif not _is_setting(statement):
            break
    return last if last is not None and last < before else None


def _row_end(body: Sequence[ast.stmt], row: int) -> int:
    """The last row of the statements that begin on `row` behind a semicolon."""
    for statement in body:
        if statement.lineno == row:
            row = statement.end_lineno or row
    return row


def _is_import_block(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            rest = [*chain.from_iterable(h.body for h in handlers), *orelse, *final]
        case ast.If(body=body, orelse=rest) if not _names_main(statement.test):
            pass
        case _:
            return False
    return any(map(_is_import_block, body)) and all(map(_may_guard_import, [*body, *rest]))


def _may_guard_import(statement: ast.stmt) -> bool:
    simple = ast.Assign | ast.AnnAssign | ast.Expr | ast.Raise | ast.Pass
    return isinstance(statement, simple) or _is_import_block(statement)


def _names_main(test: ast.expr) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(test))


def _is_setting(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr():
            return True
        case ast.Assign(targets=targets):
            return all(
                isinstance(t, (ast.Attribute, ast.Subscript))
                or (isinstance(t, ast.Name) and t.id.startswith("__"))
                for t in targets
            )
    return False


def use_torch(
    source: Source, tree: ast.Module, text: str, row: int
) -> tuple[str, list[Edit]] | None:
    """`text` with `torch` spelled as the module knows it at `row`, and the import it needs.

    None when the module knows no torch there and cannot be given one.
    """
    named = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and n.id == "torch"]
    if not named:
        return text, []
    name = _torch_name(tree, row)
    if name is not None:
        return _renamed(text, named, name), []
    edit = _torch_import(source, tree, row)
    return None if edit is None else (text, [edit])


def _renamed(text: str, nodes: Sequence[ast.Name], name: str) -> str:
    lines = text.splitlines(keepends=True)
    for node in sorted(nodes, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        line = lines[node.lineno - 1].encode()
        start, end = node.col_offset, node.end_col_offset or 0
        lines[node.lineno - 1] = (line[:start] + name.encode() + line[end:]).decode()
    return "".join(lines)


def _torch_name(tree: ast.Module, row: int) -> str | None:
    names = {b.name: None for b in all_bindings(tree) if b.module == "torch"}
    usable = [name for name in names if _denotes_torch(tree, name, row)]
    return "torch" if "torch" in usable else next(iter(usable), None)


def _denotes_torch(tree: ast.Module, name: str, row: int) -> bool:
    scopes = scopes_around(tree, row)
    for scope in reversed(scopes):
        if found := [b for b in bindings(scope) if b.name == name]:
            return all(b.module == "torch" for b in found) and any(
                b.direct and b.row < row for b in found
            )
    found = [b for b in bindings(tree) if b.name == name]
    imports = [b for b in found if b.module == "torch"]
    in_function = any(not isinstance(s, ast.ClassDef) for s in scopes)
    return all(b.module == "torch" or b.is_none for b in found) and any(
        b.runtime and (in_function or b.row < row) for b in imports
    )


def _torch_import(source: Source, tree: ast.Module, row: int) -> Edit | None:
    """`import torch` at the top of the module, unless `torch` means something else in it."""
    bound = [b for b in all_bindings(tree) if b.name == "torch"]
    around = chain.from_iterable(map(bindings, scopes_around(tree, row)))
    if any(b.module != "torch" for b in bound) or any(b.name == "torch" for b in around):
        return None
    last = last_leading_row(tree, row)
    if last is None:
        return _first_import(source, tree, row)
    at = offset_below(source, last)
    beside = _first_torch_row(tree, last)
    at = at if beside is None else source.offset(beside, 1)
    return Edit(source.path, at, at, f"import torch{source.newline}")


def _first_import(source: Source, tree: ast.Module, row: int) -> Edit | None:
    """`import torch` in a module that begins with no import: below its docstring, or first."""
    first, newline = tree.body[0], source.newline
    if ast.get_docstring(tree, clean=False) is None:
        decorators = getattr(first, "decorator_list", [])
        at = source.offset(min(n.lineno for n in [first, *decorators]), 1)
        return Edit(source.path, at, at, f"import torch{newline}{newline}")
    end = first.end_lineno or row
    at = offset_below(source, end)
    return Edit(source.path, at, at, f"{newline}import torch{newline}") if end < row else None


def _first_torch_row(tree: ast.Module, last: int) -> int | None:
    """Row of the first import from below `torch` that has its row to itself."""
    rows = [s.lineno for s in tree.body]
    for statement in tree.body:
        modules = _modules(statement)
        if statement.lineno > last or not any(
            m.startswith("torch.") or m == "torch" for m in modules
        ):
            continue
        return statement.lineno if rows.count(statement.lineno) == 1 else None
    return None


def _modules(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), level=0):
            return [module]
    return []


def offset_below(source: Source, row: int) -> int:
    """Where the row below `row` begins; the end of the text if there is none."""
    return source.line_starts[row] if row < len(source.line_starts) else len(source.text)
