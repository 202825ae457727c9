"""Branches of a constructor that one construction takes.

Question: do the arguments of the call that makes an object let its constructor come to a place?
Followed are the tests of the constructor itself that read what it is given: its parameters, and
attributes that it writes one of them to; what calls hand on to it, options and defaults that no
`**options` can replace. Given up on (None): tests of anything else than values that are written
out, and those of other methods, which are not asked. Linear in the parts of the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.callees import is_self
from dlint.analyses.guards import OPERATIONS, agreed, comes_out, leaves_out
from dlint.analyses.object_state.file_data import Guard
from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values import constant_folding
from dlint.semantics.values.values import UNKNOWN, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope


def on_given(guards: Iterable[Guard]) -> list[Guard]:
    """Those of some tests that a constructor makes of what it is given."""
    return [g for g in guards if g.frame.call is None and any(_given_parts(g.test, g.frame.scope))]


def comes_to(context: AnalysisContext, making: CallContext, guards: Iterable[Guard]) -> bool | None:
    """Whether one construction passes some tests of its constructor; None where nobody knows."""
    taken = [_outcome(context, g, making) for g in guards if g.frame.scope is making.scope]
    if False in taken:
        return False
    return True if taken and None not in taken else None


def _outcome(context: AnalysisContext, guard: Guard, making: CallContext) -> bool | None:
    found = constant_folding.truth(Slice(context, _AS_GIVEN).of(guard.test, making))
    if found is not None:
        return found is guard.truth
    return comes_out(context, guard.test, making, truth=guard.truth)


def _given_parts(test: ex.Expression, scope: Scope) -> Iterator[ex.Expression]:
    """The parts of a test that are parameters, or attributes that keep one."""
    if scope.name != "__init__":
        return
    own = scope.parameters[0].name if scope.parameters else None
    for part in walk.walk(test):
        kept = _written(part, scope) if isinstance(part, ex.Attribute) else part
        origin = None if kept is None else origin_of(kept)
        if isinstance(origin, ex.Parameter) and origin.name != own:
            yield part


def _written(attribute: ex.Attribute, scope: Scope) -> ex.Expression | None:
    """The one thing that a constructor writes to an attribute of its object."""
    if not is_self(attribute.value, scope):
        return None
    targets = ((s.target, s.value) for s in scope.stores)
    found = [
        value
        for target, value in targets
        if isinstance(target, ex.Attribute)
        and target.name == attribute.name
        and is_self(target.value, scope)
    ]
    return found[0] if len(found) == 1 else None


def _of_attribute(
    slice_: Slice[Value], attribute: ex.Attribute, frame: CallContext
) -> Value | None:
    written = _written(attribute, frame.scope)
    return None if written is None else slice_.of(written, frame)


def _of_parameter(
    slice_: Slice[Value], parameter: ex.Parameter, frame: CallContext
) -> Value | None:
    """What the calls in hand give, if only by a default; None for all calls that there are."""
    given = frame.given(parameter.name)
    if given is not None:
        return slice_.of(*given)
    return None if frame.call is None or leaves_out(frame, parameter.name) else UNKNOWN


_TABLE: dict[type, Callable[..., Value | None]] = {
    **OPERATIONS,
    ex.Attribute: _of_attribute,
    ex.Parameter: _of_parameter,
}
_AS_GIVEN: Question[Value] = Question(UNKNOWN, agreed, _TABLE)
