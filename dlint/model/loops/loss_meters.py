"""Methods that keep what they are given: meters, boards of meters, trackers.

Question: which parameters does a method of the project always add to its object, or put into a list
of it; or does it so with everything that the dict holds which it is given? Followed: attributes of
the object and items of these, scaled values, dicts that are gone through by `items()` and
`values()`, and methods that it hands a value on to, one call deep. Given up on: what a test
decides over, and sums with gradients off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.callees import is_self
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.value_parts import root_of, table_of
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.loop_parts import whole_of
from dlint.ir.module import Evaluate
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

_REDUCING = frozenset({"mean", "sum"})
RENEWING = EMPTYING | {"reset", "zero", "flush", "compute", "synchronize"}
"""Methods by which objects forget what they have collected, by their names."""
Loss = ex.Reference | ex.Subscript | ex.Call
"""A loss by its name, as a part of a dict or tuple, or as what a function gives."""


class KeptParameter(NamedTuple):
    """A parameter that a method keeps, or of which it keeps what it holds."""

    name: str
    is_sum: bool
    of_items: bool
    place: Place
    """Where it is added to the object."""


def kept_parameters(context: AnalysisContext, method: Scope) -> tuple[KeptParameter, ...]:
    """What a method keeps of its arguments, itself or by a method of what its object holds.

    Nothing where it, or what it calls, may make objects forget.
    """
    known = context[_known]
    if method not in known:
        forgets = names_any(calls_below(context, method.calls, 2), RENEWING)
        known[method] = () if forgets else tuple(_kept_by(context, method))
    return known[method]


def _known(_: AnalysisContext) -> dict[Scope, tuple[KeptParameter, ...]]:
    """What is known of methods: the same ones are asked about at each call."""
    return {}


def _kept_by(context: AnalysisContext, method: Scope) -> Iterator[KeptParameter]:
    yield from _kept_directly(context, method)
    for statement in walk.statements(method.body):
        call = statement.value if isinstance(statement, Evaluate) else None
        if not isinstance(call, ex.Call) or any(walk.tests(statement)):
            continue
        if _is_of_own(call, method):
            for callee in callees_of(context, call):
                yield from _handed_on(context, call, callee) if callee is not method else ()


def _is_of_own(call: ex.Call, method: Scope) -> bool:
    """Whether it calls a method of the same object, or of what an attribute of it holds."""
    owner = call.function.value if isinstance(call.function, ex.Attribute) else None
    return owner is not None and is_self(root_of(owner), method)


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


def _handed_on(context: AnalysisContext, call: ex.Call, callee: Scope) -> Iterator[KeptParameter]:
    for kept in _kept_directly(context, callee):
        for given, of_items in given_to(call, callee, kept):
            found = None if of_items else _parameter(given)
            if found is not None:
                yield kept._replace(name=found[0], of_items=found[1])


def _kept_directly(context: AnalysisContext, method: Scope) -> Iterator[KeptParameter]:
    for statement in walk.statements(method.body):
        added = added_up(statement)
        for target, value in [added] if added is not None else appended(statement):
            loss = scaled(value)
            found = None if loss is None else _parameter(loss)
            if found is None or any(walk.tests(statement)):
                continue
            if _is_kept(context, target, statement, method, is_sum=added is not None):
                place = Place(method.module.path, *value.span)
                yield KeptParameter(found[0], added is not None, found[1], place)


def _is_kept(
    context: AnalysisContext,
    target: ex.Expression,
    statement: Statement,
    method: Scope,
    *,
    is_sum: bool,
) -> bool:
    """Whether what a method adds to is of its object, and keeps the graph."""
    holder = holder_of(target)
    if not isinstance(holder, ex.Attribute) or not is_self(holder.value, method):
        return False
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
