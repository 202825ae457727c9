"""Methods of a program that nothing in the project names.

Question: does a place lie in a method that no code calls. Asked of classes of programs alone
(`unused`), and of notebooks whose cells use some of their functions (`uncalled`), that derive from
nothing but classes of the project and bases that call no method by its name but the usual ones. A
name that stands anywhere outside of unused methods, in code, texts, configs, tests or notebooks,
counts as use, whatever it belongs to; of a notebook's methods, what stands in the notebook. The
definition of a method of this name elsewhere does not. Given up on, so that the answer is no:
decorated methods, special ones, modules that look names up at run time. Each module is looked at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from dlint.analyses.idle.spoken_names import is_spoken_of
from dlint.analyses.idle.uncalled import UncalledInNotebooks
from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, ModuleIndex, Scope
from dlint.library_facts.entry_names import CALLED_METHODS, PLAIN_BASES

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place

_LOOKS_UP = lazily(rb"\b(?:getattr|eval|exec|locals|globals|__dict__|methodcaller)\b")


class UnusedMethods:
    """The methods of programs that nothing names, each module looked at once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._project = context.project
        self._known: dict[str, list[Scope]] = {}

    def around(self, place: Place) -> Scope | None:
        """The unused method that holds a place; None where there is none."""
        return walk.first_around(self._unused(place.path), place.start)

    def _unused(self, path: str) -> list[Scope]:
        if path not in self._known:
            facts = self._project.load(path) if self._project.is_loaded(path) else None
            spoken = None if facts is None else self._spoken(facts.module)
            found = [] if facts is None or spoken is None else self._unnamed(facts.module, spoken)
            self._known[path] = found
        return self._known[path]

    def _spoken(self, module: ModuleIndex) -> Callable[[str], bool] | None:
        """What says whether other texts speak of a name; None where nothing is known of a module.

        A notebook has but its magics.
        """
        path = module.path
        if module.is_notebook:
            magics = self._context[UncalledInNotebooks].magics(path)
            looks_up = any("getattr" in _named(scope) for scope in module.scopes)
            return None if magics is None or looks_up else magics.__contains__
        if self._project.says(path, _LOOKS_UP):
            return None
        is_program = self._context[UnusedDefinitions].is_of_run_program(path)
        return partial(is_spoken_of, self._project, path=path) if is_program else None

    def _unnamed(self, module: ModuleIndex, is_spoken: Callable[[str], bool]) -> list[Scope]:
        """The methods to whose names nothing comes that is used itself."""
        waiting = [m for cls in module.classes if self._is_plain(cls) for m in _methods(cls)]
        waiting = [m for m in waiting if not is_spoken(m.name)]
        used = {n for s in module.scopes if not _is_within_any(s, waiting) for n in _named(s)}
        while True:
            found = [method for method in waiting if method.name in used]
            if not found:
                return waiting
            waiting = [method for method in waiting if method not in found]
            inner = (s for s in module.scopes if _is_within_any(s, found))
            used |= {name for scope in inner for name in _named(scope)}

    def _is_plain(self, cls: Class) -> bool:
        """Whether no library calls methods of a class, but for those that all know."""
        classes = self._context.solver.classes
        if cls.decorators or not classes.is_whole(cls):
            return False
        return PLAIN_BASES.issuperset(classes.externals(cls))


def _methods(cls: Class) -> Iterator[Scope]:
    for name, method in cls.methods.items():
        special = name.startswith("__") or name in CALLED_METHODS
        if not special and not method.decorators:
            yield method


def _is_within_any(scope: Scope, methods: list[Scope]) -> bool:
    return any(walk.is_within(scope, method) for method in methods)


def _named(scope: Scope) -> Iterator[str]:
    """The names that the code of a scope speaks, also as texts."""
    for statement in walk.statements(scope.body):
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if isinstance(part, ex.Reference | ex.Attribute):
                    yield part.own_name
                elif isinstance(part, ex.Constant) and isinstance(part.value, str):
                    yield part.value
