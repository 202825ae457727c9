"""The alternatives of a value, each with the conditions under which it holds.

`Solver` says what may reach an expression; this says on which paths, for the small values that
decide about loaders: numbers, truth values, None, samplers. Conditions stay with their values, so
that `sampler = S(ds) if ddp else None` and `shuffle=not ddp` are seen to exclude each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.frontends.settings_files import Interpolated, Setting
from dlint.ir import expressions as ex
from dlint.ir.module import ParameterSpec, Scope
from dlint.library_facts import passthrough
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.libraries import argparsing, composed_values, config_trees, declared
from dlint.semantics.values import conditions, constant_folding, fields, lookups, mappings
from dlint.semantics.values.conditional_value import (
    ABSENT,
    ConditionalValue,
    ConditionalValues,
    merged,
    ordered,
)
from dlint.semantics.values.conditions import Condition, Conditions
from dlint.semantics.values.values import (
    FALSE,
    TRUE,
    UNKNOWN,
    External,
    FunctionObject,
    Literal,
    Method,
    Namespace,
)

if TYPE_CHECKING:
    from dlint.semantics.values.solver import Solver

_DEPTH = 30
_BUDGET = 3_000


class Evaluator:
    """Asks for alternatives; one per `Solver`."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._known: dict[tuple[ex.Expression, CallContext], ConditionalValues] = {}
        self._active: set[tuple[ex.Expression, CallContext]] = set()
        self._left = _BUDGET
        self._cut = False

    def of(
        self, expression: ex.Expression, frame: CallContext, depth: int = 0
    ) -> ConditionalValues:
        """The alternatives of an expression; Unknown where one cannot be known.

        One question is answered with at most `_BUDGET` steps. What was cut short (by that, by depth
        or by a cycle) is kept only as the answer to the whole question.
        """
        key = (expression, frame)
        known = self._known.get(key)
        if known is not None:
            return known
        if not self._active:
            self._left, self._cut = _BUDGET, False
        self._left -= 1
        if depth > _DEPTH or self._left < 0 or key in self._active:
            self._cut = True
            return [ConditionalValue(UNKNOWN)]
        outer, self._cut = self._cut, False
        self._active.add(key)
        found = merged(self._evaluate(expression, frame, depth))
        self._active.discard(key)
        if not self._cut or not self._active:
            self._known[key] = found
        self._cut |= outer
        return found

    def _evaluate(
        self, expression: ex.Expression, frame: CallContext, depth: int
    ) -> ConditionalValues:
        evaluate = _EVALUATORS.get(type(expression))
        if evaluate is None:
            return self._flowing(expression, frame)
        return evaluate(self, expression, frame, depth + 1)

    def _flowing(self, expression: ex.Expression, frame: CallContext) -> ConditionalValues:
        values = ordered(self.solver.values(expression, frame))
        if len(values) == 1:
            return [ConditionalValue(values[0], source=expression)]
        test = ("one of", conditions.key(expression, frame))
        return [
            ConditionalValue(v, frozenset({Condition(test, v)}), source=expression) for v in values
        ]

    # -- names

    def reference(
        self, expression: ex.Reference, frame: CallContext, depth: int
    ) -> ConditionalValues:
        """A name: its definition, or those of an outer scope."""
        if expression.definition is not None:
            return self.of(expression.definition.value, frame, depth)
        outer = frame.closure
        while outer is not None:
            found = tuple(self.solver.bindings(outer.scope, expression.name))
            if found and outer.scope.kind != "class":
                return self._any(found, outer, depth)
            outer = outer.closure
        if frame.scope.kind == "module":
            found = tuple(self.solver.bindings(frame.scope, expression.name))
            if found:
                return self._any(found, frame, depth)
        return self._flowing(expression, frame)

    def _any(
        self, found: tuple[ex.Definition, ...], frame: CallContext, depth: int
    ) -> ConditionalValues:
        final = frame.scope.final.get(found[0].name)
        if final is not None and frame.scope.kind == "module":
            return self.of(final, frame, depth)
        return [a for d in found for a in _one_of(self.of(d.value, frame, depth), d)]

    def imported(
        self, expression: ex.Imported, frame: CallContext, depth: int
    ) -> ConditionalValues:
        """A name of another module of the project, by its bindings there."""
        path = frame.scope.module.path
        target = self.solver.project.imports.resolve(path, expression.module, expression.level)
        facts = None if target is None else self.solver.project.load(target)
        if facts is not None and expression.name is not None:
            body = facts.module.body
            found = tuple(self.solver.bindings(body, expression.name))
            if found:
                return self._any(found, self.solver.root(body), depth)
        return self._flowing(expression, frame)

    def parameter(
        self, expression: ex.Parameter, frame: CallContext, depth: int
    ) -> ConditionalValues:
        """A parameter: the argument of this call, or of each call of the function."""
        scope = frame.scope
        index = next((i for i, s in enumerate(scope.parameters) if s.name == expression.name), None)
        if index is None or scope.parameters[index].kind in ("star", "starstar"):
            return self._flowing(expression, frame)
        spec = scope.parameters[index]
        if frame.call is not None:
            return self.bound(frame, spec, index, depth)
        if index == 0 and calls.takes_receiver(scope):
            return self._flowing(expression, frame)
        return self._over_callers(scope, spec, index, depth)

    def _over_callers(
        self, scope: Scope, spec: ParameterSpec, index: int, depth: int
    ) -> ConditionalValues:
        frames = self.callers(scope)
        found = []
        for entered in frames:
            condition = Condition(("call", scope), entered.call)
            for alternative in self.bound(entered, spec, index, depth):
                found.append(
                    replace(alternative, path_condition=alternative.path_condition | {condition})
                )
        found = found or self.default(scope, spec, depth)
        return [*found, ConditionalValue(UNKNOWN)] if self.solver.project.is_cut_short else found

    def callers(self, scope: Scope) -> list[CallContext]:
        """The frames of all calls of a function in the project, root frames left out."""
        frames: list[CallContext] = []
        self.solver.callers.listen(scope, frames.append)
        self.solver.settle()
        return [frame for frame in frames if frame.call is not None]

    def bound(
        self, frame: CallContext, spec: ParameterSpec, index: int, depth: int
    ) -> ConditionalValues:
        """What one activation's parameter holds."""
        passed = frame.passed
        assert passed is not None
        shift = 1 if frame.receiver is not None else 0
        position = None if spec.kind == "keyword" else index - shift
        given = mappings.argument(self, passed, position, spec.name, depth)
        return [
            b
            for a in given
            for b in (
                [
                    replace(d, path_condition=d.path_condition | a.path_condition)
                    for d in self.default(frame.scope, spec, depth)
                ]
                if a.value == ABSENT
                else [a]
            )
        ]

    def default(self, scope: Scope, spec: ParameterSpec, depth: int) -> ConditionalValues:
        """A parameter's default: assumed, for a caller may pass another value."""
        if spec.default is None:
            return [ConditionalValue(UNKNOWN)]
        outer = scope.owner.body if scope.owner is not None else scope.parent or scope
        name = f"default of parameter `{spec.name}`"
        found = self.of(spec.default, self.solver.root(outer), depth)
        return [replace(a, assumed=a.assumed or name) for a in found]

    # -- choices

    def conditional(
        self, expression: ex.Conditional, frame: CallContext, depth: int
    ) -> ConditionalValues:
        """Both sides, each under its condition, unless the test is known."""
        return [
            replace(a, path_condition=a.path_condition | path_condition)
            for truth, path_condition in self.outcomes(expression.test, frame, depth)
            for a in self.of(expression.then if truth else expression.otherwise, frame, depth)
            if conditions.compatible(a.path_condition, path_condition)
        ]

    def outcomes(
        self, test: ex.Expression, frame: CallContext, depth: int
    ) -> list[tuple[bool, Conditions]]:
        """The ways a test may come out, with what each of them takes for granted."""
        found = self.of(test, frame, depth)
        known: dict[tuple[bool, Conditions], None] = {}
        for alternative in found:
            if alternative.truth is None or alternative.assumed is not None:
                for truth in (True, False):
                    known[truth, frozenset({conditions.of_test(test, frame, truth)})] = None
            else:
                known[alternative.truth, alternative.path_condition] = None
        return list(known)

    def join(self, expression: ex.Join, frame: CallContext, depth: int) -> ConditionalValues:
        """Several by no known test."""
        found = []
        for index, part in enumerate(expression.alternatives):
            condition = Condition(("join", expression), index)
            found += [
                replace(a, path_condition=a.path_condition | {condition})
                for a in self.of(part, frame, depth)
            ]
        return found

    def boolean(self, expression: ex.Boolean, frame: CallContext, depth: int) -> ConditionalValues:
        """`a and b`, `a or b`."""
        stops = expression.operator == "or"
        found: ConditionalValues = []
        for left in self._decided(expression.left, frame, depth):
            if left.truth is stops:
                found.append(left)
            elif left.truth is None:
                found.append(ConditionalValue(UNKNOWN, left.path_condition))
            else:
                for right in self.of(expression.right, frame, depth):
                    if conditions.compatible(left.path_condition, right.path_condition):
                        found.append(
                            replace(
                                right, path_condition=right.path_condition | left.path_condition
                            )
                        )
        return found

    def _decided(
        self, expression: ex.Expression, frame: CallContext, depth: int
    ) -> ConditionalValues:
        """Alternatives whose truth is known; unknown ones are split into both."""
        found: ConditionalValues = []
        for alternative in self.of(expression, frame, depth):
            if alternative.truth is not None and alternative.assumed is None:
                found.append(alternative)
                continue
            for truth, value in ((True, TRUE), (False, FALSE)):
                path_condition = alternative.path_condition | {
                    conditions.of_test(expression, frame, truth)
                }
                found.append(ConditionalValue(value, path_condition, source=expression))
        return found

    def unary(self, expression: ex.Unary, frame: CallContext, depth: int) -> ConditionalValues:
        """`not x` of each alternative; signs of numbers."""
        if expression.operator == "not":
            return [
                replace(a, value=Literal.of(not a.truth))
                for a in self._decided(expression.operand, frame, depth)
            ]
        return [
            replace(a, value=constant_folding.signed(expression.operator, a.value))
            for a in self.of(expression.operand, frame, depth)
        ]

    def comparison(
        self, expression: ex.Comparison, frame: CallContext, depth: int
    ) -> ConditionalValues:
        """Comparisons of known values; others are split into true and false."""
        held = lookups.membership(self, expression, frame, depth)
        if held is not None:
            return held
        found: ConditionalValues = []
        for left in self.of(expression.left, frame, depth):
            for right in self.of(expression.right, frame, depth):
                if not conditions.compatible(left.path_condition, right.path_condition):
                    continue
                path_condition = left.path_condition | right.path_condition
                truth = constant_folding.compare(expression.operator, left.value, right.value)
                assumed = left.assumed or right.assumed
                if truth is not None and assumed is None:
                    found.append(
                        ConditionalValue(Literal.of(truth), path_condition, source=expression)
                    )
                    continue
                for value in (True, False):
                    condition = conditions.of_test(expression, frame, value)
                    found.append(
                        ConditionalValue(
                            Literal.of(value), path_condition | {condition}, source=expression
                        )
                    )
        return found

    def binary(self, expression: ex.Binary, frame: CallContext, depth: int) -> ConditionalValues:
        """Arithmetic on known numbers."""
        return [
            ConditionalValue(
                constant_folding.arithmetic(expression.operator, left.value, right.value),
                left.path_condition | right.path_condition,
                left.assumed or right.assumed,
                expression,
            )
            for left in self.of(expression.left, frame, depth)
            for right in self.of(expression.right, frame, depth)
            if conditions.compatible(left.path_condition, right.path_condition)
        ]

    # -- attributes, items and calls

    def attribute(
        self, expression: ex.Attribute, frame: CallContext, depth: int
    ) -> ConditionalValues:
        """argparse options by their defaults, instance attributes by what is written to them."""
        bases = self.solver.values(expression.value, frame)
        parsed = [base for base in bases if isinstance(base, Namespace)]
        if parsed and len(parsed) == len(bases):
            return [
                a for base in parsed for a in argparsing.read(self, base, expression.name, depth)
            ]
        classes = {attributes.project_class(base) for base in bases}
        if len(classes) == 1 and (cls := classes.pop()) is not None:
            found = fields.written(self, cls, expression.name, depth)
            if found is not None:
                return found
        if self.solver.config_files.reads(bases):
            return self._item(expression.value, frame, expression.name, depth)
        default = config_trees.read(self, expression, bases, depth)
        default = default or declared.read(self, expression, frame.scope, bases, depth)
        return default or self._flowing(expression, frame)

    def subscript(
        self, expression: ex.Subscript, frame: CallContext, depth: int
    ) -> ConditionalValues:
        """An item of a dict of known contents."""
        index = expression.index
        if isinstance(index, ex.Constant) and isinstance(index.value, str):
            return self._item(expression.value, frame, index.value, depth)
        return self._flowing(expression, frame)

    def _item(
        self, mapping: ex.Expression, frame: CallContext, key: str, depth: int
    ) -> ConditionalValues:
        found = mappings.item(self, mapping, frame, key, depth)
        return [replace(a, value=UNKNOWN) if a.value == ABSENT else a for a in found]

    def call(self, expression: ex.Call, frame: CallContext, depth: int) -> ConditionalValues:
        """Conversions, dict lookups, and the results of project functions."""
        if expression.name in ("get", "pop", "setdefault") and expression.arguments:
            found = lookups.lookup(self, expression, frame, depth)
            if found is not None:
                return found
        callees = self.solver.values(expression.function, frame)
        if len(callees) == 1:
            callee = next(iter(callees))
            if isinstance(callee, External) and callee.path in constant_folding.CONVERSIONS:
                return self._converted(callee.path, expression, frame, depth)
            if isinstance(callee, External) and passthrough.first_argument(callee.path):
                given = [a.value for a in expression.arguments if not a.star]
                return self.of(given[0], frame, depth) if given else [ConditionalValue(UNKNOWN)]
            if isinstance(callee, FunctionObject | Method) and not callee.scope.yields:
                return self._returned(callee, expression, frame, depth)
        return self._flowing(expression, frame)

    def _converted(
        self, path: str, expression: ex.Call, frame: CallContext, depth: int
    ) -> ConditionalValues:
        if len(expression.arguments) != 1 or expression.arguments[0].star:
            return self._flowing(expression, frame)
        found = self.of(expression.arguments[0].value, frame, depth)
        return [replace(a, value=constant_folding.convert(path, a.value)) for a in found]

    def _returned(
        self, callee: FunctionObject | Method, expression: ex.Call, frame: CallContext, depth: int
    ) -> ConditionalValues:
        passed = CallArguments(tuple((argument, frame) for argument in expression.arguments))
        receiver = callee.receiver if isinstance(callee, Method) else None
        closure = callee.closure if isinstance(callee, FunctionObject) else None
        entered = self.solver.frames.enter(
            callee.scope, expression, passed, frame, closure, receiver
        )
        found: ConditionalValues = []
        for index, value in enumerate(callee.scope.returns):
            alternatives = self.of(value, entered, depth)
            if len(callee.scope.returns) > 1:
                condition = Condition(("return", entered), index)
                alternatives = [
                    replace(a, path_condition=a.path_condition | {condition}) for a in alternatives
                ]
            found += alternatives
        return found or [ConditionalValue(UNKNOWN)]


def _one_of(found: ConditionalValues, which: ex.Definition) -> ConditionalValues:
    """Alternatives of which nothing says when they hold."""
    condition = Condition(("one of", which.scope, which.name), which)
    return [replace(a, path_condition=a.path_condition | {condition}) for a in found]


_EVALUATORS: dict[type, Callable[..., ConditionalValues]] = {
    ex.Reference: Evaluator.reference,
    ex.Imported: Evaluator.imported,
    ex.Parameter: Evaluator.parameter,
    ex.Conditional: Evaluator.conditional,
    ex.Join: Evaluator.join,
    ex.Boolean: Evaluator.boolean,
    ex.Unary: Evaluator.unary,
    ex.Comparison: Evaluator.comparison,
    ex.Binary: Evaluator.binary,
    ex.Attribute: Evaluator.attribute,
    ex.Subscript: Evaluator.subscript,
    ex.Call: Evaluator.call,
    Interpolated: lambda evaluator, part, *_: composed_values.alternatives(evaluator.solver, part),
    Setting: lambda evaluator, setting, *_: evaluator.solver.config_files.alternatives(setting),
}
