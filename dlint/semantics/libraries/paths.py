"""Paths of files: what an expression names, while values flow.

Question: which file does an expression name, as far as texts and the module's own place decide?
Followed: joins, `__file__`, parents, formats, `pathlib` and `os.path`, open files, parameters and
what flows there as a default. Anything else names a path that is not known. `_DEPTH` steps deep.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import NamedTuple

from dlint.ir import expressions as ex
from dlint.library_facts import config_files as known
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import Literal, Value

_DEPTH = 24


class Named(NamedTuple):
    """A path; None where it is not known. `is_default`: a caller may name another file."""

    path: str | None
    is_default: bool = False


Give = Callable[[Named], None]
_UNKNOWN = Named(None)


def follow(
    solver: Solver, expression: ex.Expression, frame: CallContext, give: Give, depth: int = _DEPTH
) -> None:
    """Call `give` for each path that an expression may name: a path, an open file, its text."""
    if depth == 0:
        give(_UNKNOWN)
        return
    step = _Step(solver, frame, give, depth - 1)
    match expression:
        case ex.Constant(value=str(text)):
            give(Named(text))
        case ex.Reference():
            step.name(expression)
        case ex.Parameter():
            step.parameter(expression)
        case ex.Entered():
            follow(solver, expression.value, frame, give, depth - 1)
        case ex.Attribute(name="stem" | "name"):
            step.mapped(expression.value, _stem if expression.name == "stem" else _name)
        case ex.Attribute(name="parent"):
            step.mapped(expression.value, posixpath.dirname)
        case ex.Binary(operator="/" | "+" as operator):
            join = posixpath.join if operator == "/" else str.__add__
            step.joined((expression.left, expression.right), join)
        case ex.Format() if expression.parts:
            step.joined(expression.parts, str.__add__)
        case ex.Subscript() if isinstance(expression.value, ex.Attribute):
            step.ancestor(expression, expression.value)
        case ex.Call():
            step.call(expression)
        case _:
            step.flowing(expression)


class _Step(NamedTuple):
    solver: Solver
    frame: CallContext
    give: Give
    depth: int

    def name(self, expression: ex.Reference) -> None:
        module = self.frame.scope.module
        found = expression.definition
        frame = self.frame
        if found is None:
            frame = self.solver.root(module.body)
            bound = tuple(self.solver.bindings(module.body, expression.name))
            found = bound[0] if len(bound) == 1 else None
            if not bound and expression.name == "__file__":
                self.give(Named(module.path))
                return
        if found is None:
            self.flowing(expression)
        else:
            follow(self.solver, found.value, frame, self.give, self.depth)

    def parameter(self, expression: ex.Parameter) -> None:
        given = self.frame.given(expression.name)
        if given is None:
            self.flowing(expression)
        else:
            follow(self.solver, given[0], given[1], self.give, self.depth)

    def flowing(self, expression: ex.Expression) -> None:
        """What reaches the expression otherwise: defaults of parameters and options."""

        def watch(value: Value) -> None:
            text = value.value if isinstance(value, Literal) else None
            self.give(Named(text, is_default=True) if isinstance(text, str) else _UNKNOWN)

        self.solver.watch(self.solver.evaluate(expression, self.frame), watch)

    def mapped(self, expression: ex.Expression, change: Callable[[str], str]) -> None:
        def changed(named: Named) -> None:
            path = named.path
            self.give(named if path is None else named._replace(path=change(path)))

        follow(self.solver, expression, self.frame, changed, self.depth)

    def joined(
        self,
        parts: tuple[ex.Expression, ...],
        join: Callable[[str, str], str] = posixpath.join,
    ) -> None:
        """One part behind the other."""
        *before, last = parts
        if not before:
            follow(self.solver, last, self.frame, self.give, self.depth)
            return

        def first(left: Named) -> None:
            def second(right: Named) -> None:
                if left.path is None or right.path is None:
                    self.give(_UNKNOWN)
                else:
                    is_default = left.is_default or right.is_default
                    self.give(Named(join(left.path, right.path), is_default))

            follow(self.solver, last, self.frame, second, self.depth)

        self._replace(give=first).joined(tuple(before), join)

    def ancestor(self, expression: ex.Subscript, parents: ex.Attribute) -> None:
        """`path.parents[1]`."""
        index = expression.index.value if isinstance(expression.index, ex.Constant) else None
        if parents.name != "parents" or not isinstance(index, int):
            self.flowing(expression)
            return

        def change(path: str) -> str:
            for _ in range(index + 1):
                path = posixpath.dirname(path)
            return path

        self.mapped(parents.value, change)

    def call(self, call: ex.Call) -> None:
        name, callee = call.name, call.function
        given = tuple(a.value for a in call.arguments if a.keyword is None and not a.star)
        owner = callee.value if isinstance(callee, ex.Attribute) else None
        if name in known.HERE:
            self.give(Named(""))
        elif name in known.PROJECT_ROOT and (documents := self.solver.project.documents):
            self.give(Named(documents.root))
        elif name == "dirname" and given:
            self.mapped(given[0], posixpath.dirname)
        elif name == "joinpath" and owner is not None:
            self.joined((owner, *given))
        elif given and ((name == "join" and _is_module(owner)) or name in known.SAME_FILE):
            self.joined(given)
        elif name == "open" and given and (owner is None or _opens(owner)):
            follow(self.solver, given[0], self.frame, self.give, self.depth)
        elif owner is not None and name in known.SAME_OBJECT:
            follow(self.solver, owner, self.frame, self.give, self.depth)
        else:
            self.flowing(call)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    name = _name(path)
    return name.rpartition(".")[0] or name


def _is_module(owner: ex.Expression | None) -> bool:
    """Whether `join` is that of `os.path`, and not that of a text."""
    return owner is None or ex.dotted(owner) in ("os.path", "osp", "path")


def _opens(owner: ex.Expression) -> bool:
    return (ex.dotted(owner) or "").partition(".")[0] in known.OPENING
