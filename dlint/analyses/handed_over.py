"""Objects that a function hands over by their names, and how these are known there.

Question: in which activations does a call enter what it is given an object as, and by which
parameter; are all of them known? An object is told by a test of the expression that makes it, which
is asked of what a local name is bound to. Followed is one call; whoever asks goes on with the test
of the parameter. Given up on: objects in `*x` and `**x`, and what a library does with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import entered_by
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.semantics.calls.binding import bind, bound_to, signature_of
from dlint.semantics.calls.call_contexts import CallArguments

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

IsIt = Callable[[ex.Expression], bool]
"""Whether an object is the one, by the expression that makes it."""


class HandedOver(NamedTuple):
    """An activation that is handed an object, and the parameter that the object is there."""

    frame: CallContext
    parameter: str

    def is_it(self, expression: ex.Expression) -> bool:
        """Whether an expression makes the object there: it is the parameter."""
        return isinstance(expression, ex.Parameter) and expression.name == self.parameter


class Receivers(NamedTuple):
    """Those that one call hands an object to."""

    known: tuple[HandedOver, ...]
    are_all: bool
    """Whether nobody else is handed it by this call."""


def receivers(
    context: AnalysisContext, call: ex.Call, frame: CallContext, is_it: IsIt
) -> Receivers:
    """The activations that a call, made in one, hands an object to."""
    given = [a for a in call.arguments if is_it(origin_of(a.value))]
    entered = [inner for _, inner in entered_by(context, call, frame)] if given else []
    taken = [(inner, _taking(inner, call, frame, each)) for inner in entered for each in given]
    known = tuple(HandedOver(inner, name) for inner, name in taken if name is not None)
    return Receivers(known, not given or (bool(entered) and len(known) == len(taken)))


def _taking(
    inner: CallContext, call: ex.Call, frame: CallContext, argument: ex.Argument
) -> str | None:
    """The parameter of an activation that an argument of its call is, as a whole.

    Of the one that stands for every activation too, where calls nest too deep to be told apart.
    """
    bound = bound_to(inner)
    if bound is None and inner.scope.owner is None:
        passed = CallArguments.of(call.arguments, frame)
        bound = bind(passed, signature_of(inner.scope, has_receiver=False))
    name = None if bound is None else bound.parameter_of(argument)
    variadic = {spec.name for spec in inner.scope.parameters if spec.kind in ("star", "starstar")}
    return None if name in variadic else name
