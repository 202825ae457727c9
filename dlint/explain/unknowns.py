"""Why a value is not known: the step at which the analysis loses it.

Question: where, on the way back from an expression, does something come in that no file of the
project says? Followed: names, parameters to the arguments of a call that gives them, results of the
project's functions, both sides of a choice, attributes and items to what they are taken of. Given
up on: a value that is lost in several places is told of one. Budget: two dozen steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.ir.walk import bindings_of
from dlint.semantics.values.conditional_value import ordered
from dlint.semantics.values.values import UNKNOWN, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_MOST_STEPS = 24


class Reason(NamedTuple):
    """What is not known, in words, and where that stands."""

    text: str
    place: Place | None


class _At(NamedTuple):
    """An expression of a scope; `call` is the one that its parameters are of, where it is one."""

    expression: ex.Expression
    scope: Scope
    call: ex.Call | None = None

    @property
    def place(self) -> Place:
        return Place(self.scope.module.path, *self.expression.span)

    def because(self, text: str) -> Reason:
        """The reason that stands here."""
        return Reason(text, self.place)


def why_unknown(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Reason | None:
    """What is not known of an expression; None where that is too far away."""
    if context.solver.exhausted:
        return Reason("the analysis was cut short", None)
    search = _Search(context)
    current: _At | Reason = _At(expression, frame.scope, frame.call)
    for _ in range(_MOST_STEPS):
        if isinstance(current, Reason):
            return current
        current = search.step(current)
    return None


class _Search:
    """One step back from an expression that is not known."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    def step(self, at: _At) -> _At | Reason:
        """What an expression that is not known is made of, or why that is the end."""
        match at.expression:
            case ex.Reference() as name:
                return self._of_name(name, at)
            case ex.Parameter() as parameter:
                return self._of_parameter(parameter, at)
            case ex.Call() as call:
                return self._of_call(call, at)
            case ex.Attribute() | ex.Subscript() as taken:
                return self._of_taken(taken, at)
            case ex.Item(value=whole) | ex.Element(iterable=whole):
                return at._replace(expression=whole)
            case ex.Comprehension(element=element):
                return at._replace(expression=element)
            case ex.Conditional(then=then, otherwise=otherwise):
                return self._of_first((then, otherwise), at)
            case ex.Join(alternatives=alternatives):
                return self._of_first(alternatives, at)
            case ex.Imported() as imported:
                return self._of_import(imported, at)
        return at.because("dlint does not work this expression out")

    def _is_unknown(self, expression: ex.Expression, scope: Scope) -> bool:
        return UNKNOWN in self._context.values(expression, scope)

    def _of_first(self, parts: Sequence[ex.Expression], at: _At) -> _At | Reason:
        """Of several, the first that is not known."""
        unknown = [part for part in parts if self._is_unknown(part, at.scope)]
        return at._replace(expression=[*unknown, *parts][0])

    def _of_name(self, name: ex.Reference, at: _At) -> _At | Reason:
        if name.definition is not None:
            return at._replace(expression=name.definition.value)
        where: Scope | None = at.scope
        while where is not None:
            for definition in bindings_of(where, name.name):
                return _At(definition.value, where)
            where = where.parent
        return at.because(f"nothing in this module binds `{name.name}`")

    def _of_parameter(self, parameter: ex.Parameter, at: _At) -> _At | Reason:
        calls = [at.call] if at.call is not None else callers_of(self._context, at.scope)
        for call in calls:
            given = _given(call, at.scope, parameter.name)
            if given is not None:
                return _At(given, call.scope)
        whose = f"`{parameter.name}` is a parameter of `{at.scope.name}`, "
        if not calls:
            return at.because(f"{whose}which nothing in the project calls")
        return at.because(f"{whose}and no call of it says what it is given")

    def _of_call(self, call: ex.Call, at: _At) -> _At | Reason:
        for callee in callees_of(self._context, call):
            for result in callee.returns:
                if self._is_unknown(result, callee):
                    return _At(result, callee, call)
        values = ordered(self._context.values(call.function, call.scope))
        paths = [value.path for value in values if isinstance(value, External)]
        if not paths and UNKNOWN in values and isinstance(call.function, ex.Attribute):
            return at._replace(expression=call.function.value)
        return at.because(
            f"what `{paths[0] if paths else call.name or 'this'}` returns is not known"
        )

    def _of_taken(self, taken: ex.Attribute | ex.Subscript, at: _At) -> _At | Reason:
        if self._is_unknown(taken.value, at.scope):
            return at._replace(expression=taken.value)
        what = f"`{taken.name}`" if isinstance(taken, ex.Attribute) else "this item"
        return at.because(f"what {what} holds is not known")

    def _of_import(self, imported: ex.Imported, at: _At) -> Reason:
        imports = self._context.project.imports
        found = imports.resolve(at.scope.module.path, imported.module, imported.level)
        whose = "of another distribution" if found is None else "of a module that is not followed"
        return at.because(f"`{imported.name or imported.module}` is {whose}")


def _given(call: ex.Call, scope: Scope, name: str) -> ex.Expression | None:
    """What a call writes for a parameter of a function of the project."""
    names = [spec.name for spec in scope.parameters if spec.kind in ("positional", "either")]
    offset = 1 if scope.owner is not None else 0
    position = names.index(name) - offset if name in names else -1
    return written(call, position if position >= 0 else None, name)
