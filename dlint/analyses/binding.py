"""Binding: which arguments a call gives, by the parameters of what it calls.

Question: what does a call give to a parameter, whether by position, by keyword, by a partial or in
an unpacked `*x` or `**x`, and which expression says so?

The signature is that of the function of the project, of the constructor of its class, or of the
library callable as `library_facts.signatures` states it. Where a callee is not known, whoever asks
may name the parameters, as for a method of any object. Followed: what
`dlint.semantics.calls.binding` binds, and displays and `dict(…)` calls behind `*x` and `**x`. Given
up on: callees that do not agree on a signature (only keywords are bound then), and unpacked values
that are not known or written to in places. The expression is looked for in one step; values are
asked of the evaluator, whose budget holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlint.analyses.calls import behind_partial, callable_methods, library_callees
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.library_facts.signatures import parameters_of
from dlint.semantics.calls import calls
from dlint.semantics.calls.binding import (
    BoundArgument,
    BoundArguments,
    Signature,
    UnpackedItem,
    library_signature,
    signature_of,
    through_partial,
)
from dlint.semantics.calls.call_contexts import CallArguments, CallContext, PassedArgument
from dlint.semantics.values import mappings
from dlint.semantics.values.conditional_value import Absent, ConditionalValues
from dlint.semantics.values.values import (
    AllocationSite,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Literal,
    Method,
    Partial,
    Value,
)
from dlint.workspace.kinds import is_config

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

Located = tuple[ex.Expression, CallContext]
"""An expression, and the activation that it is evaluated in."""

_NO_SIGNATURE = Signature(())
_MOST_PARTIALS = 4
_MOST_STEPS = 4


@dataclass(frozen=True)
class Bound:
    """The arguments of one call, by the parameters of what it calls."""

    context: AnalysisContext
    arguments: BoundArguments

    def __getitem__(self, name: str) -> BoundArgument:
        """What a parameter takes, certainly or of what is unpacked."""
        return self.arguments[name]

    def get(self, name: str) -> ex.Expression | None:
        """The expression that a parameter is certainly given; None where none is."""
        found = self.located(name)
        return None if found is None else found[0]

    def located(self, name: str) -> Located | None:
        """The expression that a parameter is certainly given, and where it is evaluated."""
        bound = self[name]
        if bound.given is None and len(bound.unpacked) == 1:
            return self._unpacked(bound.unpacked[0])
        return bound.expression

    def place(self, name: str) -> Place | None:
        """Where the expression stands that a parameter is certainly given."""
        found = self.located(name)
        if found is None:
            return None
        return Place(found[1].scope.module.path, *found[0].span)

    def alternatives(self, name: str) -> ConditionalValues:
        """What a parameter may be given, by path; `ABSENT` where it may be given nothing."""
        position = self.arguments.signature.position(name)
        return mappings.argument(self.context.evaluator, self.arguments.arguments, position, name)

    def arguments_for(self, name: str) -> Iterator[PassedArgument]:
        """The arguments by which a parameter is given, from the innermost call outwards.

        There are several where functions hand on what they are given themselves.
        """
        found: BoundArgument | None = self[name]
        for _ in range(_MOST_STEPS):
            if found is None:
                return
            if found.given is not None:
                yield found.given
            found = _handed_on(found)

    def values(self, name: str) -> frozenset[Value]:
        """All that a parameter may be given, empty where that is nothing."""
        bound = self[name]
        if bound.expression is not None:
            return self.context.solver.values(*bound.expression)
        found = (a.value for a in self.alternatives(name))
        return frozenset(value for value in found if not isinstance(value, Absent))

    def may_be(self, name: str, constant: str | float | bool | None) -> bool:
        """Whether a constant is among what a parameter may be given."""
        return Literal.of(constant) in self.values(name)

    def is_certainly(self, name: str, constant: str | float | bool | None) -> bool:
        """Whether a constant is all that a parameter may be given."""
        return self.values(name) == {Literal.of(constant)}

    def may_be_given(self, name: str) -> bool:
        """Whether the call gives a parameter, or may: by `*` or `**`."""
        return any(not a.is_absent for a in self.alternatives(name))

    def is_given(self, name: str) -> bool:
        """Whether a parameter is certainly given: written out, or in what is known."""
        return self[name].given is not None or all(
            not (a.is_absent or a.is_unknown) for a in self.alternatives(name)
        )

    def _unpacked(self, item: UnpackedItem) -> Located | None:
        """The item of a display that is unpacked, where nobody writes to it."""
        values = self.context.solver.values(item.source, item.context)
        value = next(iter(values)) if len(values) == 1 else None
        if not isinstance(value, Container):
            return None
        found = _item(value.origin, item.key)
        if found is None or not self._holds(item, found, value.frame):
            return None
        return found, value.frame

    def _holds(self, item: UnpackedItem, found: ex.Expression, frame: CallContext) -> bool:
        """Whether an item still is what the display says: nothing else is written to it."""
        evaluator = self.context.evaluator
        if isinstance(item.key, int):
            return True
        now = mappings.item(evaluator, item.source, item.context, item.key, 0)
        return {a.value for a in now} == {a.value for a in evaluator.of(found, frame)}


def _item(origin: object, key: int | str) -> ex.Expression | None:
    """What stands under a key of a display, or of `dict(…)`."""
    match origin:
        case ex.Sequence() if isinstance(key, int) and key < len(origin.items):
            before = origin.items[: key + 1]
            return None if any(isinstance(i, ex.Starred) for i in before) else before[-1]
        case ex.Mapping():
            keys = [ex.constant(k) for k, _ in origin.items]
            if any(k is None for k in keys):
                return None
            items = zip(keys, origin.items, strict=True)
            return next((v for k, (_, v) in reversed([*items]) if k and k.value == key), None)
        case ex.Call():
            return next((a.value for a in origin.arguments if a.keyword == key), None)
    return None


def _handed_on(found: BoundArgument) -> BoundArgument | None:
    """What a function was given that hands its own parameter on, or an item of its `**kwargs`."""
    if found.given is not None:
        argument, frame = found.given
        return _of_parameter(argument.value, frame, None)
    if len(found.unpacked) != 1:
        return None
    item = found.unpacked[0]
    return _of_parameter(item.source, item.context, item.key)


def _of_parameter(
    expression: ex.Expression, frame: CallContext, key: int | str | None
) -> BoundArgument | None:
    """What a call gave to the parameter that an expression reads, or to an item of it."""
    bound_to = expression.definition if isinstance(expression, ex.Reference) else None
    if bound_to is None or not isinstance(bound_to.value, ex.Parameter) or frame.passed is None:
        return None
    name = bound_to.value.name
    arguments = BoundArguments(
        frame.passed, signature_of(frame.scope, has_receiver=frame.receiver is not None)
    )
    if key is None:
        return arguments[name] if arguments.signature.parameter(name) else None
    if name != arguments.signature.variadic("**") or not isinstance(key, str):
        return None
    return None if arguments.signature.takes_keyword(key) else arguments[key]


def bind(
    context: AnalysisContext, call: ex.Call, *parameters: str, frame: CallContext | None = None
) -> Bound:
    """The arguments of a call, by the signature of its callee, or by these parameters.

    With `frame`: those of one activation of the function that makes the call.
    """
    passed = CallArguments.of(call.arguments, frame or context.solver.root(call.scope))
    if parameters:
        return bind_to(context, passed, library_signature(parameters))
    for partial in _partials(context, call):
        passed = through_partial(context.solver.passed[partial], passed.arguments)
    return bind_to(context, passed, _signature(context, call) or _NO_SIGNATURE)


def bind_made(context: AnalysisContext, call: ex.Call) -> list[Bound]:
    """The arguments of a call that makes objects, for each way in which it comes to be made.

    A call that stands in a config file is completed by whoever instantiates it; where nobody is
    seen to, it gives what the file says.
    """
    if not is_config(call.scope.module.path):
        return [bind(context, call)]
    signature = _signature(context, call) or _NO_SIGNATURE
    passed = context.solver.passed
    made = [site for site in passed if isinstance(site, AllocationSite) and site.call is call]
    completed = [passed[site] for site in made if site.frame.call is not None]
    alone = [_written_out(passed[site]) for site in made]
    return [bind_to(context, given, signature) for given in completed or alone]


def _written_out(passed: CallArguments) -> CallArguments:
    """Arguments without what is left open."""
    return CallArguments(
        tuple(p for p in passed.arguments if not isinstance(p[0].value, ex.Opaque))
    )


def bind_to(context: AnalysisContext, passed: CallArguments, signature: Signature) -> Bound:
    """Arguments, as the parameters of a signature take them."""
    return Bound(context, BoundArguments(passed, signature))


def _partials(context: AnalysisContext, call: ex.Call) -> Iterator[Partial]:
    """The partials that a call goes through, the outermost first."""
    if context.solver.names.static(call.function, call.scope):
        return
    values = context.values(call.function, call.scope)
    for _ in range(_MOST_PARTIALS):
        value = next(iter(values)) if len(values) == 1 else None
        if not isinstance(value, Partial):
            return
        yield value
        values = context.solver.values(*behind_partial(context, value))


def _signature(context: AnalysisContext, call: ex.Call) -> Signature | None:
    """The signature that all callees of a call agree on."""
    paths = library_callees(context, call)
    if paths:
        found = {parameters_of(path) for path in paths}
        known = found.pop() if len(found) == 1 else None
        return None if known is None else library_signature(known)
    signatures = {_of_value(context, v) for v in context.values(call.function, call.scope)}
    return signatures.pop() if len(signatures) == 1 else None


def _of_value(
    context: AnalysisContext, value: Value, depth: int = _MOST_PARTIALS
) -> Signature | None:
    """The signature of a callable of the project, or behind a partial."""
    match value:
        case External():
            known = parameters_of(value.path)
            return None if known is None else library_signature(known)
        case FunctionObject():
            return signature_of(value.scope, has_receiver=False)
        case Method():
            return signature_of(value.scope, has_receiver=True)
        case ClassObject():
            init = context.solver.classes.method(value.cls, "__init__")
            return Signature(tuple(value.cls.fields)) if init is None else _of_method(init)
        case Partial() if depth:
            bound = context.solver.values(*behind_partial(context, value))
            inner = {_of_value(context, v, depth - 1) for v in bound}
            return inner.pop() if len(inner) == 1 else None
    methods = callable_methods(context, value)
    return _of_method(methods[0]) if methods else None


def _of_method(scope: Scope) -> Signature:
    return signature_of(scope, has_receiver=calls.takes_receiver(scope))
