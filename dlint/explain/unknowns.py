"""Why a value is not known: the step at which the analysis loses it.

Question: where, on the way back from an expression, does something come in that no file of the
project says? Followed: names, parameters to the arguments of a call that gives them, results of the
project's functions, both sides of a choice, attributes and items to what they are taken of. Given
up on: a value that is lost in several places is told of one. Budget: a dozen steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.semantics.values.conditional_value import ordered
from dlint.semantics.values.values import UNKNOWN, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

Reason = tuple[str, Place | None]

_MOST_STEPS = 12


def why_unknown(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Reason | None:
    """What is not known of an expression, in words, and where that stands."""
    if context.solver.exhausted:
        return "the analysis was cut short", None
    return _Search(context).reason(expression, frame.scope, frame, _MOST_STEPS)


class _Search:
    def __init__(self, context: AnalysisContext) -> None:
        self._context = context

    def reason(
        self, expression: ex.Expression, scope: Scope, frame: CallContext | None, steps: int
    ) -> Reason | None:
        """The reason, from an expression of a scope backwards."""
        if steps == 0:
            return None
        match expression:
            case ex.Reference():
                return self._of_name(expression, scope, frame, steps - 1)
            case ex.Parameter():
                return self._of_parameter(expression, scope, frame, steps - 1)
            case ex.Call():
                return self._of_call(expression, scope, frame, steps - 1)
            case ex.Attribute() | ex.Subscript():
                return self._of_taken(expression, scope, frame, steps - 1)
            case ex.Item() | ex.Element():
                whole = expression.value if isinstance(expression, ex.Item) else expression.iterable
                return self.reason(whole, scope, frame, steps - 1)
            case ex.Conditional():
                return self._of_first((expression.then, expression.otherwise), scope, frame, steps)
            case ex.Join():
                return self._of_first(expression.alternatives, scope, frame, steps)
            case ex.Imported():
                return self._of_import(expression, scope)
        return "dlint does not work this expression out", _place(scope, expression)

    def _of_first(
        self,
        parts: tuple[ex.Expression, ...],
        scope: Scope,
        frame: CallContext | None,
        steps: int,
    ) -> Reason | None:
        """Of several, the first that is not known."""
        for part in parts:
            if UNKNOWN in self._context.values(part, scope):
                return self.reason(part, scope, frame, steps - 1)
        return None

    def _of_name(
        self, name: ex.Reference, scope: Scope, frame: CallContext | None, steps: int
    ) -> Reason | None:
        if name.definition is not None:
            return self.reason(name.definition.value, scope, frame, steps)
        where: Scope | None = scope
        while where is not None:
            for definition in where.bindings(name.name):
                return self.reason(definition.value, where, None, steps)
            where = where.parent
        return f"nothing in this module binds `{name.name}`", _place(scope, name)

    def _of_parameter(
        self, parameter: ex.Parameter, scope: Scope, frame: CallContext | None, steps: int
    ) -> Reason | None:
        calls = callers_of(self._context, scope)
        if frame is not None and frame.call is not None:
            calls = [frame.call]
        for call in calls:
            given = _given(call, scope, parameter.name)
            if given is not None:
                return self.reason(given, call.scope, None, steps)
        text = f"`{parameter.name}` is a parameter of `{scope.name}`, "
        if not calls:
            return f"{text}which nothing in the project calls", _place(scope, parameter)
        return f"{text}and no call of it says what it is given", _place(scope, parameter)

    def _of_call(
        self, call: ex.Call, scope: Scope, frame: CallContext | None, steps: int
    ) -> Reason | None:
        for callee in callees_of(self._context, call):
            for result in callee.returns:
                if UNKNOWN in self._context.values(result, callee):
                    return self.reason(result, callee, None, steps)
        values = ordered(self._context.values(call.function, call.scope))
        paths = [value.path for value in values if isinstance(value, External)]
        what = f"`{paths[0]}`" if paths else f"`{call.name or 'this'}`"
        if not paths and UNKNOWN in values and steps and isinstance(call.function, ex.Attribute):
            found = self.reason(call.function.value, scope, frame, steps)
            if found is not None:
                return found
        return f"what {what} returns is not known", _place(scope, call)

    def _of_taken(
        self,
        taken: ex.Attribute | ex.Subscript,
        scope: Scope,
        frame: CallContext | None,
        steps: int,
    ) -> Reason | None:
        if UNKNOWN in self._context.values(taken.value, scope):
            found = self.reason(taken.value, scope, frame, steps)
            if found is not None:
                return found
        what = f"`{taken.name}`" if isinstance(taken, ex.Attribute) else "this item"
        return f"what {what} holds is not known", _place(scope, taken)

    def _of_import(self, imported: ex.Imported, scope: Scope) -> Reason:
        path = self._context.project.imports.resolve(
            scope.module.path, imported.module, imported.level
        )
        name = imported.name or imported.module
        whose = "of another distribution" if path is None else "of a module that is not followed"
        return f"`{name}` is {whose}", _place(scope, imported)


def _given(call: ex.Call, scope: Scope, name: str) -> ex.Expression | None:
    """What a call writes for a parameter of a function of the project."""
    from dlint.analyses.written_arguments import written

    names = [spec.name for spec in scope.parameters if spec.kind in ("positional", "either")]
    offset = 1 if scope.owner is not None else 0
    position = names.index(name) - offset if name in names else None
    return written(call, position if position is None or position >= 0 else None, name)


def _place(scope: Scope, expression: ex.Expression) -> Place:
    return Place(scope.module.path, *expression.span)
