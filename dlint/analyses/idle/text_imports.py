"""Modules that are imported by a text: `import_module(name)`, and loaders of files.

Question: may a module be one that some file imports by a text. Where the text begins with a name
that is written there, it may be what lies under that name. Where it does not, it may be any module
that defines something of what is taken from the imported one: `load(path).config` takes `config`.
Followed: names of a function that holds the imported module, and functions that return it, by
their names. Given up on, so that any module may be imported: whatever else is done with an imported
module, `__import__`, `run_path`. Budget: `_MOST` files that name a function, `_DEEP` functions that
return from one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.idle.spoken_names import mentions, parts_of
from dlint.analyses.written_arguments import written
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind
from dlint.semantics.names.text_parts import written_begin

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Scope

_BY_TEXT = (b"import_module", b"__import__", b"run_path", b"spec_from_file_location")
_IMPORTING = lazily(
    rb"""(?:spec_from_file_location|(?:import_module|__import__|run_path)\s*\((?:\s*f?["']([\w.]+))?)"""
)
"""A call that imports by a text, and how the text begins where that is written there."""
_SPELLED = lazily(r"[\w.]+")
_NAMING = frozenset({"import_module", "__import__", "run_path"})
"""Calls that are given the name of a module, or of its file."""
_MAKING = frozenset({"import_module", "module_from_spec"})
_LOST = frozenset({"__import__", "run_path", "load_module", "SourceFileLoader"})
"""Calls whose modules are not followed."""
_RUNNING = frozenset({"exec_module", "reload"})
"""Functions that are given a module and do not hand it on."""
_MOST, _DEEP = 40, 2


class TextImports:
    """Which modules may be imported by a text."""

    def __init__(self, context: AnalysisContext) -> None:
        self._project = context.project

    def may_take(self, path: str) -> bool:
        """Whether some file imports a module by a text that may be the name of this one."""
        parts = path.removesuffix(".py").encode().split(b"/")
        if any(begin.split(b".")[0] in parts for begin in self._begins if begin):
            return True
        return b"" in self._begins and self._defines_what_is_taken(path)

    @cached_property
    def _begins(self) -> frozenset[bytes]:
        """How the texts begin, empty where that is not written."""
        return frozenset(begin for path in self._holders for begin in self._begins_in(path))

    def _begins_in(self, path: str) -> set[bytes]:
        """The same of one file; where a text has a name, it is what the name is bound to."""
        text = self._project.text(path)
        found = set(_IMPORTING.findall(text))
        few = len(self._holders) <= _MOST
        module = self._project.lower(path) if b"" in found and few else None
        if module is None or b"spec_from_file_location" in text:
            return found
        calls = (call for scope in module.scopes for call in scope.calls)
        return {_begin(call) for call in calls if call.name in _NAMING}

    @cached_property
    def _holders(self) -> list[str]:
        words = self._project.words
        return sorted({path for word in _BY_TEXT for path in words.holders(word)})

    def _defines_what_is_taken(self, path: str) -> bool:
        """Whether a module defines something that is taken; what it imports lies elsewhere."""
        module = self._project.lower(path)
        if self._taken is None or module is None:
            return True
        own = (d.name for d in module.body.definitions if not isinstance(d.value, ex.Imported))
        return not self._taken.isdisjoint(own)

    @cached_property
    def _taken(self) -> frozenset[str] | None:
        """The names that are taken from modules imported by a text; None where any may be."""
        try:
            modules = self._indexes(self._holders)
            return frozenset(n for m in modules for n in self._of_module(m, _MAKING, _DEEP))
        except _AnyNameError:
            return None

    def _indexes(self, paths: list[str]) -> Iterator[ModuleIndex]:
        if len(paths) > _MOST:
            raise _AnyNameError
        for path in paths:
            module = self._project.lower(path)
            if module is None:
                raise _AnyNameError
            yield module

    def _of_module(self, module: ModuleIndex, makers: frozenset[str], deep: int) -> Iterator[str]:
        """The names taken in one file from what calls of some functions return."""
        for scope in module.scopes:
            for call in scope.calls:
                if call.name in _LOST:
                    raise _AnyNameError
                if call.name in makers and not (call.name in _NAMING and _begin(call)):
                    yield from self._of_value(scope, call, deep)

    def _of_value(self, scope: Scope, call: ex.Call, deep: int) -> Iterator[str]:
        """The names taken of what one call returns."""
        statement = call.statement
        taken = _attributes(scope, call)
        if taken:
            yield from taken
        elif call in scope.returns:
            yield from self._of_callers(scope, deep)
        elif isinstance(statement, Bind) and statement.value is call and not statement.stores:
            for definition in statement.definitions:
                yield from self._of_name(scope, definition.name, deep)
        else:
            raise _AnyNameError

    def _of_name(self, scope: Scope, name: str, deep: int) -> Iterator[str]:
        """The names taken of a variable; it is no other thing to other files."""
        if scope.kind != "function" or name in scope.globals:
            raise _AnyNameError
        inner = list(walk.scopes_within(scope))
        allowed: list[ex.Expression] = []
        for part in (p for s in inner for p in parts_of(s)):
            if isinstance(part, ex.Attribute) and _is_name(part.value, name):
                yield part.name
                allowed.append(part.value)
            elif isinstance(part, ex.Call) and part.name in _RUNNING:
                allowed += [a.value for a in part.arguments if _is_name(a.value, name)]
        if any(_is_name(result, name) for result in scope.returns):
            allowed += scope.returns
            yield from self._of_callers(scope, deep)
        named = [p for s in inner for p in parts_of(s) if _is_name(p, name)]
        if any(part not in allowed for part in named):
            raise _AnyNameError

    def _of_callers(self, scope: Scope, deep: int) -> Iterator[str]:
        """The names taken of what a function returns, wherever its name is called."""
        project, word = self._project, scope.name.encode()
        if scope.kind != "function" or scope.decorators or not deep:
            raise _AnyNameError
        holders = {*project.words.holders(word)}
        holders |= {p for p in project.bystanders() if project.words.is_in(p, word)}
        code = [p for p in sorted(holders) if p.endswith((".py", ".ipynb"))]
        for module in self._indexes(code):
            if mentions(module, scope.name):
                raise _AnyNameError
            yield from self._of_module(module, frozenset({scope.name}), deep - 1)


class _AnyNameError(Exception):
    """Any name may be taken from a module that is imported by a text."""


def _begin(call: ex.Call) -> bytes:
    """How the text begins by which a call imports, as far as names and files are spelled."""
    text = written(call, 0, "name")
    found = None if text is None else _SPELLED.match(written_begin(text))
    return b"" if found is None else found[0].encode()


def _attributes(scope: Scope, value: ex.Expression) -> list[str]:
    """The attributes that are taken from an expression at its place."""
    parts = (p for p in parts_of(scope) if isinstance(p, ex.Attribute))
    return [part.name for part in parts if part.value is value]


def _is_name(expression: ex.Expression, name: str) -> bool:
    return isinstance(expression, ex.Reference) and expression.name == name
