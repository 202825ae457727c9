"""Functions that keep what they are given: methods of meters, boards of meters, trackers.

Question: which parameters does a function of the project always add to another one, or put into a
list of it; or does it so with everything that the dict holds which it is given? Followed: the
object of a method and other parameters, their attributes and items, and what a loop goes through
of them; scaled values, dicts that are gone through by `items()` and `values()`, lists that are gone
through in step with others, and functions that it hands a value on to, `_DEEP` calls one inside
the other. Given up on: what a test decides over, and sums with gradients off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.value_parts import root_of, table_of
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.loop_parts import whole_of
from dlint.ir.module import Bind, Evaluate
from dlint.model.loops.batch_loops import names_any
from dlint.model.loops.gradient_sources import SCALING
from dlint.model.loops.gradients import runs_without_gradients
from dlint.model.loops.growing_values import (
    EMPTYING,
    added_up,
    appended,
    holder_of,
    is_emptied,
    is_list,
)
from dlint.semantics.calls.binding import signature_of
from dlint.semantics.calls.calls import takes_receiver

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Statement

_Way = tuple["Scope", ...]
"""The functions that have handed a value on."""
_DEEP = 2
"""Calls that a function may hand a value on by."""
_REDUCING = frozenset({"mean", "sum"})
RENEWING = EMPTYING | {"reset", "zero", "flush", "compute", "synchronize"}
"""Methods by which objects forget what they have collected, by their names."""
Loss = ex.Reference | ex.Subscript | ex.Call
"""A loss by its name, as a part of a dict or tuple, or as what a function gives."""


class KeptParameter(NamedTuple):
    """A parameter that a function keeps, or of which it keeps what it holds."""

    name: str
    holder: str
    """The parameter that keeps it: `self` where that is the object of the method."""
    place: Place | None
    """What is kept, as it stands in the function, or in one that it alone calls."""
    is_sum: bool
    of_items: bool = False


def kept_parameters(context: AnalysisContext, method: Scope) -> tuple[KeptParameter, ...]:
    """What a function keeps of its arguments, itself or by a method of what keeps it.

    Nothing where it, or what it calls, may make objects forget.
    """
    known = context[_known]
    if method not in known:
        found = tuple(_kept_by(context, method))
        forgets = found and names_any(calls_below(context, method.calls, 2), RENEWING)
        known[method] = () if forgets else found
    return known[method]


def _known(_: AnalysisContext) -> dict[Scope, tuple[KeptParameter, ...]]:
    """What is known of methods: the same ones are asked about at each call."""
    return {}


def _kept_by(context: AnalysisContext, method: Scope, way: _Way = ()) -> Iterator[KeptParameter]:
    yield from _kept_directly(context, method)
    for statement in walk.statements(method.body) if len(way) < _DEEP else ():
        call = statement.value if isinstance(statement, Evaluate) else None
        if not isinstance(call, ex.Call) or any(walk.tests(statement)) or not _hands_on(call):
            continue
        for callee in callees_of(context, call):
            if callee not in (method, *way):
                yield from _handed_on(context, call, callee, (*way, method))


def _hands_on(call: ex.Call) -> bool:
    """Whether a call is given, and by its function or an argument comes to, other parameters."""
    owner = [call.function.value] if isinstance(call.function, ex.Attribute) else []
    given = [argument.value for argument in call.arguments]
    holders = {holder_of_parameter(part) for part in (*owner, *given)} - {None}
    return len(holders) > 1


def holder_of_parameter(part: ex.Expression) -> str | None:
    """The parameter that something is a part of, or is one of: `meters` of `meter.total`, where a
    loop goes through it.
    """
    root = ex.unnamed(root_of(part))
    while (whole := whole_of(root)) is not None:
        root = ex.unnamed(root_of(whole))
    return root.name if isinstance(root, ex.Parameter) else None


def holder_given(call: ex.Call, method: Scope, kept: KeptParameter) -> ex.Expression | None:
    """What a call gives a function to keep something in, or the object whose method it is."""
    has_receiver = takes_receiver(method)
    if has_receiver and kept.holder == method.parameters[0].name:
        return call.function.value if isinstance(call.function, ex.Attribute) else None
    signature = signature_of(method, has_receiver=has_receiver)
    return written(call, signature.position(kept.holder), kept.holder)


def given_to(
    call: ex.Call, method: Scope, kept: KeptParameter
) -> Iterator[tuple[ex.Expression, bool]]:
    """What a call hands over to be kept, and whether that is a dict whose items are."""
    spec = next((p for p in method.parameters if p.name == kept.name), None)
    signature = signature_of(method, has_receiver=takes_receiver(method))
    if spec is not None and spec.kind == "starstar":
        for argument in call.arguments if kept.of_items else ():
            if argument.star == "**":
                yield argument.value, True
            elif argument.keyword and not signature.takes_keyword(argument.keyword):
                yield argument.value, False
        return
    given = written(call, signature.position(kept.name), kept.name)
    if given is not None:
        yield given, kept.of_items


def kept_inside(
    context: AnalysisContext, call: ex.Call, function: Scope, kept: KeptParameter
) -> Place | None:
    """Where a function keeps something, if it is no method and nobody else calls it."""
    if takes_receiver(function) or callers_of(context, function) != [call]:
        return None
    return kept.place


def _handed_on(
    context: AnalysisContext, call: ex.Call, callee: Scope, way: _Way
) -> Iterator[KeptParameter]:
    for kept in _kept_by(context, callee, way):
        keeping = holder_given(call, callee, kept)
        holder = None if keeping is None else holder_of_parameter(keeping)
        for given, of_items in given_to(call, callee, kept) if holder is not None else ():
            name, is_one = _parameter(given) or (None, False)
            if name is None or holder is None or (of_items and is_one):
                continue
            own = _place(call.scope, given)
            place = kept_inside(context, call, callee, kept) if of_items else own
            yield KeptParameter(name, holder, place, kept.is_sum, of_items or is_one)


def _place(scope: Scope, part: ex.Expression) -> Place:
    return Place(scope.module.path, *part.span)


def _kept_directly(context: AnalysisContext, method: Scope) -> Iterator[KeptParameter]:
    for statement in walk.statements(method.body):
        added = added_up(statement)
        for target, value in [added] if added is not None else appended(statement):
            loss = scaled(value)
            found = None if loss is None else _parameter(loss)
            holder = holder_of_parameter(holder_of(target))
            if loss is None or found is None or holder is None or any(walk.tests(statement)):
                continue
            if _is_kept(context, target, statement, method, is_sum=added is not None):
                place = _place(method, loss)
                yield KeptParameter(found[0], holder, place, added is not None, found[1])


def _is_kept(
    context: AnalysisContext,
    target: ex.Expression,
    statement: Statement,
    method: Scope,
    *,
    is_sum: bool,
) -> bool:
    """Whether what a function adds to is of others, and keeps the graph."""
    if isinstance(statement, Bind) and statement.definitions:
        return False  # a name, which nobody outside sees
    if is_emptied(target, statement, method.body):
        return False
    if is_sum:
        return not runs_without_gradients(context, statement, method)
    return is_list(context, target, method)


def _parameter(value: ex.Expression) -> tuple[str, bool] | None:
    """The parameter that a value is, or the dict that it is one of, and which of the two."""
    made = ex.unnamed(value)
    if isinstance(made, ex.Parameter):
        return made.name, False
    whole = whole_of(made)
    held = None if whole is None else ex.unnamed(whole)
    return (held.name, True) if isinstance(held, ex.Parameter) else None


def scaled(value: ex.Expression) -> Loss | None:
    """The loss in `loss`, `loss * n`, `n * loss`, `loss / n`, `loss.mean()`."""
    if isinstance(value, ex.Call) and value.name in _REDUCING and not value.arguments:
        return scaled(value.function.value) if isinstance(value.function, ex.Attribute) else None
    if isinstance(value, ex.Binary) and value.operator in SCALING:
        plain = isinstance(value.left, ex.Constant)
        return scaled(value.right if plain and value.operator == "*" else value.left)
    return value if isinstance(value, Loss) and not _is_of_module(value) else None


def _is_of_module(value: Loss) -> bool:
    """Whether it is a name that the function does not bind, or a part of what has one."""
    holder = table_of(value)
    return isinstance(holder, ex.Reference) and holder.definition is None
