"""Functions within functions that the function around them never names.

Question: does a place lie in such a function? Nobody else can come to it: its name is a local one.
So it is of any module, whoever imports it. What it names itself does not count. Given up on, so
that the answer is no: decorated functions, names that are declared `nonlocal` or `global`, and
functions that look names up at run time. Each place is looked at by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.idle.spoken_names import parts_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import ModuleIndex, Scope

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place

_LOOKS_UP = frozenset({"eval", "exec", "locals", "vars", "f_locals", "inspect"})


class UnusedInner:
    """The functions within functions that nothing names, each module looked at once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[str, list[Scope]] = {}

    def around(self, place: Place) -> Scope | None:
        """The unused function that holds a place; None where there is none."""
        return walk.first_around(self._unused(place.path), place.start)

    def _unused(self, path: str) -> list[Scope]:
        if path not in self._known:
            project = self._context.project
            facts = project.load(path) if project.is_loaded(path) else None
            self._known[path] = [] if facts is None else unused_inner(facts.module)
        return self._known[path]


@told_by_code
def unused_inner(module: ModuleIndex) -> list[Scope]:
    """The functions of a module that lie in others, which never name them."""
    inner = (s for s in module.scopes if s.kind == "function" and not s.decorators)
    return [scope for scope in inner if _is_unnamed(scope)]


def _is_unnamed(scope: Scope) -> bool:
    around = scope.parent
    if around is None or around.kind != "function" or scope.name == "<lambda>":
        return False
    if scope.name in around.globals or scope.name in around.nonlocals:
        return False
    named = set(_names_beside(around, scope))
    return scope.name not in named and not named & _LOOKS_UP


def _names_beside(around: Scope, scope: Scope) -> Iterator[str]:
    """The names that a function and all within it read, but for one part of it, attributes too."""
    for other in around.module.scopes:
        if walk.is_within(other, around) and not walk.is_within(other, scope):
            given = (one for p in other.parameters for one in (p.default, p.annotation) if one)
            parts = [*parts_of(other), *(part for one in given for part in walk.walk(one))]
            yield from (p.name for p in parts if isinstance(p, ex.Reference | ex.Attribute))
