"""Functions and classes of a notebook that no cell comes to.

Question: does a place lie in a function or class, defined at the top of a cell, that no code of the
notebook uses which is itself run, its cells taken from top to bottom; also as a later cell defines
it anew before any uses it. Followed: names in the code of cells, in texts (`"f"`, `"f(x)"`) and in
magics, through what they name. What is used may be run from then on at any time. Given up on, so
that the answer is no: decorated definitions, notebooks that look names up at run time, run each
other, or are exported as a library, and those whose cells use none of their functions, and do no
work themselves: they may be a library, too. Each notebook is read once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.idle.notebook_text import is_run_by_others, words_of_magics
from dlint.analyses.idle.spoken_names import parts_of
from dlint.analyses.idle.unused import is_handed_on, scope_of
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Define, Evaluate, Loop, ModuleIndex, Scope
from dlint.semantics.names.names import BUILTINS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place

_RUNNING = frozenset({"eval", "exec"})
_LOOKING_UP = frozenset({"globals", "locals", "vars", "__main__"}) | _RUNNING
_CALLED = lazily(r"(\w+)\(")


class _Top(NamedTuple):
    """A function or class at the top of a cell, and from where to where its name stands for it."""

    scope: Scope
    begun: float
    ended: float


class _Use(NamedTuple):
    """A name that is read, and when."""

    name: str
    at: float
    is_lasting: bool
    """Whether it may be read at any later time, too."""


class UncalledInNotebooks:
    """The definitions of notebooks that no cell comes to, each notebook looked at once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._project = context.project
        self._known: dict[str, list[_Top]] = {}
        self._magics: dict[str, frozenset[str] | None] = {}

    def around(self, place: Place) -> Scope | None:
        """The function or class that holds a place; None where there is none, or it is run."""
        self._look(place.path)
        tops = (top.scope for top in self._known[place.path])
        return walk.first_around(tops, place.start)

    def is_replaced(self, scope: Scope) -> bool:
        """Whether a later cell gives the name of such a definition to something else."""
        tops = self._known.get(scope.module.path, [])
        return any(top.scope is scope and top.ended < math.inf for top in tops)

    def magics(self, path: str) -> frozenset[str] | None:
        """The words of a notebook's magics, where it is a program by itself; else None."""
        self._look(path)
        return self._magics[path]

    def _look(self, path: str) -> None:
        if path in self._known:
            return
        self._known[path], self._magics[path] = [], None
        facts = self._project.load(path) if self._project.is_loaded(path) else None
        if facts is None or not facts.module.is_notebook or _looks_up(facts.module):
            return
        tops = _tops(facts.module)
        magics = words_of_magics(path) if tops else None
        used = set() if magics is None else _used(facts.module, tops, magics)
        runs = bool(used) or _does_work(facts.module)
        if magics is not None and runs and not is_run_by_others(self._project, path):
            self._magics[path] = magics
            self._known[path] = [top for top in tops if top.scope not in used]


def _does_work(module: ModuleIndex) -> bool:
    """Whether cells go through something, or hand on what others made: it is there to be run."""
    return any(
        isinstance(s, Loop) or (isinstance(s, Evaluate) and _takes_what_was_made(s.value, module))
        for s in module.body.body.statements
    )


def _takes_what_was_made(value: ex.Expression, module: ModuleIndex) -> bool:
    """Whether an expression is a call, but of Python's functions, of something a cell has made."""
    if not isinstance(value, ex.Call) or value.name in BUILTINS:
        return False
    given = (part for argument in value.arguments for part in walk.walk(argument.value))
    names = {part.name for part in given if isinstance(part, ex.Reference)}
    made = [d.value for name in names for d in walk.bindings_of(module.body, name)]
    return any(isinstance(part, ex.Call) for value in made for part in walk.walk(value))


def _looks_up(module: ModuleIndex) -> bool:
    """Whether a notebook may find what it holds by texts that are not written there."""
    parts = [part for scope in module.scopes for part in parts_of(scope)]
    harmless = [_only_asked(part) for part in parts]
    return any(
        isinstance(part, ex.Reference) and part.own_name in _LOOKING_UP and part not in harmless
        for part in parts
    )


def _only_asked(part: ex.Expression) -> ex.Expression | None:
    """The function by which code asks for a name (`"f" in globals()`) or runs a text apart.

    What `eval` and `exec` run sees no other names than those of a `{...}` that it is given.
    """
    if isinstance(part, ex.Comparison) and part.operator in ("in", "not in"):
        return part.right.function if isinstance(part.right, ex.Call) else None
    if not isinstance(part, ex.Call) or part.name not in _RUNNING:
        return None
    given = [argument.value for argument in part.arguments]
    has_none = any(isinstance(value, ex.Constant) and value.value is None for value in given)
    is_apart = any(isinstance(value, ex.Mapping) for value in given) and not has_none
    return part.function if is_apart else None


def _tops(module: ModuleIndex) -> list[_Top]:
    bound = [
        (definition, statement)
        for statement in module.body.body.statements
        if isinstance(statement, Bind | Define)
        for definition in statement.definitions
    ]
    ends: dict[str, float] = {}
    found = []
    for definition, statement in reversed(bound):
        scope = scope_of(definition.value) if isinstance(statement, Define) else None
        ended = ends.get(definition.name, math.inf)
        ends[definition.name] = statement.span[1]
        if scope is not None:
            found.append(_Top(scope, statement.span[0], ended))
    return found[::-1]


def _used(module: ModuleIndex, tops: Sequence[_Top], magics: frozenset[str]) -> set[Scope]:
    """What the cells come to, each from the first time on that they do."""
    by_name: dict[str, list[_Top]] = {}
    for top in tops:
        by_name.setdefault(top.scope.name, []).append(top)
    inside, waiting = _uses(module, tops)
    waiting += [_Use(name, 0, is_lasting=True) for name in magics]
    first: dict[Scope, float] = {}
    for top in tops:
        if is_handed_on(top.scope):
            waiting.append(_Use(top.scope.name, top.begun, is_lasting=True))
    while waiting:
        use = waiting.pop()
        for top in _meant(by_name.get(use.name, []), use):
            if use.at < first.get(top.scope, math.inf):
                first[top.scope] = use.at
                waiting += [_Use(name, use.at, is_lasting=True) for name in inside[top.scope]]
    return set(first)


def _meant(tops: Sequence[_Top], use: _Use) -> list[_Top]:
    """Which definitions of a name are read: of one that none precedes, any may be."""
    standing = [top for top in tops if use.at < top.ended]
    now = [top for top in standing if top.begun <= use.at]
    return standing if use.is_lasting or not now else now


def _uses(module: ModuleIndex, tops: Sequence[_Top]) -> tuple[dict[Scope, set[str]], list[_Use]]:
    """The names that each definition reads, and those that the cells read themselves."""
    inside: dict[Scope, set[str]] = {top.scope: set() for top in tops}
    outside = []
    for scope in module.scopes:
        holder = next((t.scope for t in tops if walk.is_within(scope, t.scope)), None)
        if holder is not None:
            inside[holder].update(name for name, _ in _named(scope))
        else:
            is_lasting = scope.kind != "module"
            outside += [_Use(name, at, is_lasting) for name, at in _named(scope)]
    return inside, outside


def _named(scope: Scope) -> Iterator[tuple[str, int]]:
    """The names that the code of a scope reads, also in a text, and where."""
    for part in parts_of(scope):
        if isinstance(part, ex.Reference):
            yield part.name, part.span[0]
        elif isinstance(part, ex.Constant) and isinstance(part.value, str):
            text = part.value
            last = re.split(r"[:.]", text)[-1]
            yield from ((name, part.span[0]) for name in (last, *_CALLED.findall(text)))
