"""Names that some file of a project speaks of, in code or in a text of it."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.names.import_graph import word_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from dlint.ir.module import ModuleIndex, Scope
    from dlint.semantics.project import Project

_AS_A_MODULE = (
    rb"\b(?:from|import\w*|run|load)\b[^\n]{0,300}\b%(stem)s\b"
    rb"|\bimport\s*\([^)]{0,2000}\b%(stem)s\b|\b%(stem)s[.:]%(name)s\b"
)
"""How a file says that it has a module, or something in it: `import pkg.stem`, `stem.name`."""


def is_spoken_of(
    project: Project, name: str, path: str, besides: AbstractSet[str] = frozenset()
) -> bool:
    """Whether another file has a name, elsewhere than where it defines something of that name.

    Configs, scripts, tests and notebooks count, the files `besides` do not.
    """
    word = name.encode()
    spoken = re.compile(rb"(?<!def )(?<!class )\b" + re.escape(word) + rb"\b")
    holders = set(project.words.holders(word)) - {path} - besides
    holders |= {p for p in project.bystanders() if project.words.is_in(p, word)}
    return any(project.says(holder, spoken) for holder in sorted(holders))


def may_take(project: Project, other: str, path: str, name: str) -> bool:
    """Whether a test or notebook may use something that a module defines.

    It holds both names, and one of them as that of a module: many a notebook defines a `train_step`
    of its own, and speaks of `train` rows.
    """
    word, stem = name.encode(), word_of(path)
    pair = frozenset({word, stem})
    if not pair <= project.words.among(other, pair):
        return False
    parts = {b"stem": re.escape(stem), b"name": re.escape(word)}
    return project.says(other, re.compile(_AS_A_MODULE % parts))


def uses_name(module: ModuleIndex, name: str) -> bool:
    """Whether a module does more with a name than to import it, or has it in a text."""
    return any(_says(part, name) for scope in module.scopes for part in parts_of(scope))


def has_itself(module: ModuleIndex, path: str) -> bool:
    """Whether a module does more with one that it imports than to take what it names.

    `getattr(helper, name)` and `helper.__dict__`, but not `helper.run()`.
    """
    stem = PurePath(path).stem
    names = {stem} | {d.name for s in module.scopes for d in s.definitions if _is_of(d.value, stem)}
    parts = [part for scope in module.scopes for part in parts_of(scope)]
    taken = {p.value for p in parts if isinstance(p, ex.Attribute) and p.name != "__dict__"}
    return any(
        (isinstance(part, ex.Reference) and part.name in names)
        or (isinstance(part, ex.Attribute) and part.name == stem)
        for part in parts
        if part not in taken
    )


def _is_of(value: ex.Expression, stem: str) -> bool:
    """Whether an import gives a module of this name."""
    if not isinstance(value, ex.Imported):
        return False
    return (value.name or value.module.rpartition(".")[2]) == stem


def mentions(module: ModuleIndex, name: str, *, bare: bool = False) -> bool:
    """Whether a module names a function or class elsewhere than where it calls it.

    With `bare`, an attribute of this name counts of imported modules alone: `train.run`.
    """
    for scope in module.scopes:
        called = [call.function for call in scope.calls]
        for part in parts_of(scope):
            if _is_named(part, name, bare) and part not in called:
                return True
    return False


def _is_named(part: ex.Expression, name: str, bare: bool) -> bool:
    if isinstance(part, ex.Reference):
        return part.own_name == name
    if not isinstance(part, ex.Attribute) or part.own_name != name:
        return False
    home = part.value.definition if isinstance(part.value, ex.Reference) else None
    return not bare or (home is not None and isinstance(home.value, ex.Imported))


def parts_of(scope: Scope) -> Iterator[ex.Expression]:
    """All expressions of one scope."""
    yield from walk.parts(scope.body)
    if scope.kind == "lambda":
        yield from (part for result in scope.returns for part in walk.walk(result))


def _says(part: ex.Expression, name: str) -> bool:
    """Whether an expression is a name, or a text that may hold it: `"module:name"`."""
    if isinstance(part, ex.Reference | ex.Attribute):
        return part.own_name == name
    return isinstance(part, ex.Constant) and isinstance(part.value, str) and name in part.value
