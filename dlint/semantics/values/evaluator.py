"""The alternatives of a value, each with the conditions under which it holds.

`Flow` says what may reach an expression; this says on which paths, for the small values that decide
about loaders: numbers, truth values, None, samplers. Conditions stay with their values, so that
`sampler = S(ds) if ddp else None` and `shuffle=not ddp` are seen to exclude each other.
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
from dlint.semantics.calls.call_contexts import Frame, Passed
from dlint.semantics.libraries import argparsing, composed_values, config_trees, declared
from dlint.semantics.values import conditions, constant_folding, fields, lookups, mappings
from dlint.semantics.values.conditional_value import ABSENT, Alternative, Found, merged, ordered
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
    from dlint.semantics.values.solver import Flow

_DEPTH = 30
_BUDGET = 3_000


class Alternatives:
    """Asks for alternatives; one per `Flow`."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._known: dict[tuple[ex.Expression, Frame], Found] = {}
        self._active: set[tuple[ex.Expression, Frame]] = set()
        self._left = _BUDGET
        self._cut = False

    def of(self, expression: ex.Expression, frame: Frame, depth: int = 0) -> Found:
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
            return [Alternative(UNKNOWN)]
        outer, self._cut = self._cut, False
        self._active.add(key)
        found = merged(self._evaluate(expression, frame, depth))
        self._active.discard(key)
        if not self._cut or not self._active:
            self._known[key] = found
        self._cut |= outer
        return found

    def _evaluate(self, expression: ex.Expression, frame: Frame, depth: int) -> Found:
        evaluate = _EVALUATORS.get(type(expression))
        if evaluate is None:
            return self._flowing(expression, frame)
        return evaluate(self, expression, frame, depth + 1)

    def _flowing(self, expression: ex.Expression, frame: Frame) -> Found:
        values = ordered(self.flow.values(expression, frame))
        if len(values) == 1:
            return [Alternative(values[0], source=expression)]
        test = ("one of", conditions.key(expression, frame))
        return [Alternative(v, frozenset({Condition(test, v)}), source=expression) for v in values]

    # -- names

    def reference(self, expression: ex.Reference, frame: Frame, depth: int) -> Found:
        """A name: its definition, or those of an outer scope."""
        if expression.definition is not None:
            return self.of(expression.definition.value, frame, depth)
        outer = frame.closure
        while outer is not None:
            found = tuple(self.flow.bindings(outer.scope, expression.name))
            if found and outer.scope.kind != "class":
                return self._any(found, outer, depth)
            outer = outer.closure
        if frame.scope.kind == "module":
            found = tuple(self.flow.bindings(frame.scope, expression.name))
            if found:
                return self._any(found, frame, depth)
        return self._flowing(expression, frame)

    def _any(self, found: tuple[ex.Definition, ...], frame: Frame, depth: int) -> Found:
        final = frame.scope.final.get(found[0].name)
        if final is not None and frame.scope.kind == "module":
            return self.of(final, frame, depth)
        return [a for d in found for a in _one_of(self.of(d.value, frame, depth), d)]

    def imported(self, expression: ex.Imported, frame: Frame, depth: int) -> Found:
        """A name of another module of the project, by its bindings there."""
        path = frame.scope.module.path
        target = self.flow.project.imports.resolve(path, expression.module, expression.level)
        facts = None if target is None else self.flow.project.load(target)
        if facts is not None and expression.name is not None:
            body = facts.module.body
            found = tuple(self.flow.bindings(body, expression.name))
            if found:
                return self._any(found, self.flow.root(body), depth)
        return self._flowing(expression, frame)

    def parameter(self, expression: ex.Parameter, frame: Frame, depth: int) -> Found:
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

    def _over_callers(self, scope: Scope, spec: ParameterSpec, index: int, depth: int) -> Found:
        frames = self.callers(scope)
        found = []
        for entered in frames:
            condition = Condition(("call", scope), entered.call)
            for alternative in self.bound(entered, spec, index, depth):
                found.append(replace(alternative, when=alternative.when | {condition}))
        found = found or self.default(scope, spec, depth)
        return [*found, Alternative(UNKNOWN)] if self.flow.project.is_cut_short else found

    def callers(self, scope: Scope) -> list[Frame]:
        """The frames of all calls of a function in the project, root frames left out."""
        frames: list[Frame] = []
        self.flow.callers.listen(scope, frames.append)
        self.flow.settle()
        return [frame for frame in frames if frame.call is not None]

    def bound(self, frame: Frame, spec: ParameterSpec, index: int, depth: int) -> Found:
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
                [replace(d, when=d.when | a.when) for d in self.default(frame.scope, spec, depth)]
                if a.value == ABSENT
                else [a]
            )
        ]

    def default(self, scope: Scope, spec: ParameterSpec, depth: int) -> Found:
        """A parameter's default: assumed, for a caller may pass another value."""
        if spec.default is None:
            return [Alternative(UNKNOWN)]
        outer = scope.owner.body if scope.owner is not None else scope.parent or scope
        name = f"default of parameter `{spec.name}`"
        found = self.of(spec.default, self.flow.root(outer), depth)
        return [replace(a, assumed=a.assumed or name) for a in found]

    # -- choices

    def conditional(self, expression: ex.Conditional, frame: Frame, depth: int) -> Found:
        """Both sides, each under its condition, unless the test is known."""
        return [
            replace(a, when=a.when | when)
            for truth, when in self.outcomes(expression.test, frame, depth)
            for a in self.of(expression.then if truth else expression.otherwise, frame, depth)
            if conditions.compatible(a.when, when)
        ]

    def outcomes(
        self, test: ex.Expression, frame: Frame, depth: int
    ) -> list[tuple[bool, Conditions]]:
        """The ways a test may come out, with what each of them takes for granted."""
        found = self.of(test, frame, depth)
        known: dict[tuple[bool, Conditions], None] = {}
        for alternative in found:
            if alternative.truth is None or alternative.assumed is not None:
                for truth in (True, False):
                    known[truth, frozenset({conditions.of_test(test, frame, truth)})] = None
            else:
                known[alternative.truth, alternative.when] = None
        return list(known)

    def join(self, expression: ex.Join, frame: Frame, depth: int) -> Found:
        """Several by no known test."""
        found = []
        for index, part in enumerate(expression.alternatives):
            condition = Condition(("join", expression), index)
            found += [replace(a, when=a.when | {condition}) for a in self.of(part, frame, depth)]
        return found

    def boolean(self, expression: ex.Boolean, frame: Frame, depth: int) -> Found:
        """`a and b`, `a or b`."""
        stops = expression.operator == "or"
        found: Found = []
        for left in self._decided(expression.left, frame, depth):
            if left.truth is stops:
                found.append(left)
            elif left.truth is None:
                found.append(Alternative(UNKNOWN, left.when))
            else:
                for right in self.of(expression.right, frame, depth):
                    if conditions.compatible(left.when, right.when):
                        found.append(replace(right, when=right.when | left.when))
        return found

    def _decided(self, expression: ex.Expression, frame: Frame, depth: int) -> Found:
        """Alternatives whose truth is known; unknown ones are split into both."""
        found: Found = []
        for alternative in self.of(expression, frame, depth):
            if alternative.truth is not None and alternative.assumed is None:
                found.append(alternative)
                continue
            for truth, value in ((True, TRUE), (False, FALSE)):
                when = alternative.when | {conditions.of_test(expression, frame, truth)}
                found.append(Alternative(value, when, source=expression))
        return found

    def unary(self, expression: ex.Unary, frame: Frame, depth: int) -> Found:
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

    def comparison(self, expression: ex.Comparison, frame: Frame, depth: int) -> Found:
        """Comparisons of known values; others are split into true and false."""
        held = lookups.membership(self, expression, frame, depth)
        if held is not None:
            return held
        found: Found = []
        for left in self.of(expression.left, frame, depth):
            for right in self.of(expression.right, frame, depth):
                if not conditions.compatible(left.when, right.when):
                    continue
                when = left.when | right.when
                truth = constant_folding.compare(expression.operator, left.value, right.value)
                assumed = left.assumed or right.assumed
                if truth is not None and assumed is None:
                    found.append(Alternative(Literal.of(truth), when, source=expression))
                    continue
                for value in (True, False):
                    condition = conditions.of_test(expression, frame, value)
                    found.append(
                        Alternative(Literal.of(value), when | {condition}, source=expression)
                    )
        return found

    def binary(self, expression: ex.Binary, frame: Frame, depth: int) -> Found:
        """Arithmetic on known numbers."""
        return [
            Alternative(
                constant_folding.arithmetic(expression.operator, left.value, right.value),
                left.when | right.when,
                left.assumed or right.assumed,
                expression,
            )
            for left in self.of(expression.left, frame, depth)
            for right in self.of(expression.right, frame, depth)
            if conditions.compatible(left.when, right.when)
        ]

    # -- attributes, items and calls

    def attribute(self, expression: ex.Attribute, frame: Frame, depth: int) -> Found:
        """argparse options by their defaults, instance attributes by what is written to them."""
        bases = self.flow.values(expression.value, frame)
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
        if self.flow.config_files.reads(bases):
            return self._item(expression.value, frame, expression.name, depth)
        default = config_trees.read(self, expression, bases, depth)
        default = default or declared.read(self, expression, frame.scope, bases, depth)
        return default or self._flowing(expression, frame)

    def subscript(self, expression: ex.Subscript, frame: Frame, depth: int) -> Found:
        """An item of a dict of known contents."""
        index = expression.index
        if isinstance(index, ex.Constant) and isinstance(index.value, str):
            return self._item(expression.value, frame, index.value, depth)
        return self._flowing(expression, frame)

    def _item(self, mapping: ex.Expression, frame: Frame, key: str, depth: int) -> Found:
        found = mappings.item(self, mapping, frame, key, depth)
        return [replace(a, value=UNKNOWN) if a.value == ABSENT else a for a in found]

    def call(self, expression: ex.Call, frame: Frame, depth: int) -> Found:
        """Conversions, dict lookups, and the results of project functions."""
        if expression.name in ("get", "pop", "setdefault") and expression.arguments:
            found = lookups.lookup(self, expression, frame, depth)
            if found is not None:
                return found
        callees = self.flow.values(expression.function, frame)
        if len(callees) == 1:
            callee = next(iter(callees))
            if isinstance(callee, External) and callee.path in constant_folding.CONVERSIONS:
                return self._converted(callee.path, expression, frame, depth)
            if isinstance(callee, External) and passthrough.first_argument(callee.path):
                given = [a.value for a in expression.arguments if not a.star]
                return self.of(given[0], frame, depth) if given else [Alternative(UNKNOWN)]
            if isinstance(callee, FunctionObject | Method) and not callee.scope.yields:
                return self._returned(callee, expression, frame, depth)
        return self._flowing(expression, frame)

    def _converted(self, path: str, expression: ex.Call, frame: Frame, depth: int) -> Found:
        if len(expression.arguments) != 1 or expression.arguments[0].star:
            return self._flowing(expression, frame)
        found = self.of(expression.arguments[0].value, frame, depth)
        return [replace(a, value=constant_folding.convert(path, a.value)) for a in found]

    def _returned(
        self, callee: FunctionObject | Method, expression: ex.Call, frame: Frame, depth: int
    ) -> Found:
        passed = Passed(tuple((argument, frame) for argument in expression.arguments))
        receiver = callee.receiver if isinstance(callee, Method) else None
        closure = callee.closure if isinstance(callee, FunctionObject) else None
        entered = self.flow.frames.enter(callee.scope, expression, passed, frame, closure, receiver)
        found: Found = []
        for index, value in enumerate(callee.scope.returns):
            alternatives = self.of(value, entered, depth)
            if len(callee.scope.returns) > 1:
                condition = Condition(("return", entered), index)
                alternatives = [replace(a, when=a.when | {condition}) for a in alternatives]
            found += alternatives
        return found or [Alternative(UNKNOWN)]


def _one_of(found: Found, which: ex.Definition) -> Found:
    """Alternatives of which nothing says when they hold."""
    condition = Condition(("one of", which.scope, which.name), which)
    return [replace(a, when=a.when | {condition}) for a in found]


Evaluator = Callable[["Alternatives", ex.Expression, Frame, int], Found]
_EVALUATORS: dict[type, Callable[..., Found]] = {
    ex.Reference: Alternatives.reference,
    ex.Imported: Alternatives.imported,
    ex.Parameter: Alternatives.parameter,
    ex.Conditional: Alternatives.conditional,
    ex.Join: Alternatives.join,
    ex.Boolean: Alternatives.boolean,
    ex.Unary: Alternatives.unary,
    ex.Comparison: Alternatives.comparison,
    ex.Binary: Alternatives.binary,
    ex.Attribute: Alternatives.attribute,
    ex.Subscript: Alternatives.subscript,
    ex.Call: Alternatives.call,
    Interpolated: lambda ask, part, *_: composed_values.alternatives(ask.flow, part),
    Setting: lambda ask, setting, *_: ask.flow.config_files.alternatives(setting),
}
