"""Names of losses: which tensor a name, a place in a dict or an attribute stands for.

Questions: are two of them one tensor, and was a tensor made beside the loss, by one call or in one
dict or object with it? Followed: local names, constant keys, attributes of a local name, what one
goes through (`for key, loss in losses.items()`), `sum`, and methods that give a tensor's value.
Given up on: names that are bound on several paths, and calls of functions that are not known, or
that bring values to the host themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.call_paths import calls_in_each_run, entered_by
from dlint.analyses.value_parts import root_of
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.loop_parts import whole_of
from dlint.library_facts import tensors
from dlint.model.loops.batch_loops import GRADIENT_STEPS, calls_in, names_any

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block, Statement

Tensor = ex.Reference | ex.Subscript | ex.Attribute
"""A tensor by its name, its place in a dict of losses (`losses["total"]`), or as an attribute."""

_GOING_THROUGH = frozenset({"items", "values"})
_ONE_VALUE = frozenset({"mean", "sum", "detach"})


def definition_of(loss: Tensor) -> ex.Definition | None:
    """What binds the name of a loss, or of the dict or object that it is in."""
    name = root_of(loss)
    return name.definition if isinstance(name, ex.Reference) else None


def is_same_tensor(one: Tensor, other: Tensor) -> bool:
    """Whether two names are of one definition, or one part of one dict or object."""
    return _is_equal(one, other) or _is_equal(_part_named(one), _part_named(other))


def goes_to_element(source: ex.Expression, loss: Tensor) -> bool:
    """Whether a gradient of `source` is one of what a loop goes through by the name of a loss.

    `source` is one of a list or dict, or the sum of all of them, also of its `values()`.
    """
    made, gone_through = ex.unnamed(source), _gone_through(loss)
    whole = made.value if isinstance(made, ex.Subscript) else None
    if isinstance(made, ex.Call) and made.name == "sum" and ex.is_free(made.function):
        given = written(made, 0)
        whole = given and (ex.mapping_of(ex.unnamed(given), "values") or given)
    if gone_through is None or not isinstance(whole, Tensor):
        return False
    return definition_of(whole) is not None and is_same_tensor(gone_through, whole)


def is_one_of_several(loss: Tensor) -> bool:
    """Whether a name stands for one after the other of a list or dict."""
    return _gone_through(loss) is not None


def may_be_spared(loss: Tensor, statement: Statement, gradient: ex.Call) -> bool:
    """Whether a statement may not meet the one of several losses that has a gradient.

    A test leaves some out, or others are put in their place once the gradient is taken.
    """
    gone_through = _gone_through(loss)
    if gone_through is None or not isinstance(loss, ex.Reference) or loss.definition is None:
        return False
    begun, made = loss.definition.span[0], definition_of(gone_through)
    tested = any(test.span[0] > begun for test, _ in walk.tests(statement))
    stored = (s.target for s in gradient.scope.stores if s.target.span[0] > gradient.span[0])
    return tested or any(isinstance(s, Tensor) and definition_of(s) is made for s in stored)


def _gone_through(loss: Tensor) -> Tensor | None:
    bound = loss.definition if isinstance(loss, ex.Reference) else None
    whole = None if bound is None else whole_of(bound.value)
    return whole if isinstance(whole, Tensor) else None


def _part_named(name: Tensor) -> Tensor:
    """What a local name was given, where that is a part of a dict or object: `loss = out.loss`."""
    value = name.definition.value if isinstance(name, ex.Reference) and name.definition else None
    return value if isinstance(value, ex.Subscript | ex.Attribute) else name


def _is_equal(one: Tensor, other: Tensor) -> bool:
    known = definition_of(one)
    if known is not definition_of(other) or type(one) is not type(other):
        return False
    if isinstance(one, ex.Reference) and isinstance(other, ex.Reference):
        return known is not None or one.name == other.name
    spelled = ex.spelled(one)
    return known is not None and spelled is not None and spelled == ex.spelled(other)


def is_picked_beside_loss(read: ex.Subscript, body: Block) -> bool:
    """Whether a key that a loop goes through picks from a dict of which one part is the loss."""
    key, losses = ex.unnamed(read.index), definition_of(read)
    parts = (loss for loss in _differentiated(body) if isinstance(loss, ex.Subscript))
    is_beside = any(definition_of(part) is losses for part in parts)
    return losses is not None and isinstance(key, ex.Element) and is_beside


def is_made_beside_loss(context: AnalysisContext, read: Tensor, body: Block) -> bool:
    """Whether a tensor is of what one call, dict or object holds beside the loss of a step.

    `loss, parts = criterion(x)`, then `parts["a"]`; `out.loss.backward()`, then `out.penalty`.
    """
    maker = next(_makers(read), None)
    if not isinstance(maker, ex.Call | ex.Mapping) or maker is ex.unnamed(read):
        return False
    if not any(made is maker for loss in _differentiated(body) for made in _makers(loss)):
        return False
    if isinstance(maker, ex.Mapping):
        return True
    return any(callees_of(context, maker)) and not names_any(
        _made_below(context, maker), tensors.FETCHES
    )


def _made_below(context: AnalysisContext, call: ex.Call) -> Iterator[ex.Call]:
    """The calls that a function makes in each run, itself and by what it calls."""
    for scope in entered_by(context, [call], inner=calls_in_each_run):
        yield from calls_in_each_run(scope)


def _differentiated(body: Block) -> Iterator[ex.Expression]:
    """What a block takes gradients of."""
    for call in calls_in(body):
        if call.name in GRADIENT_STEPS and isinstance(call.function, ex.Attribute):
            yield written(call, 0, "tensors") or call.function.value
            yield call.function.value


def _makers(loss: ex.Expression) -> Iterator[ex.Expression]:
    """The calls and dicts that a loss, its terms, or parts were taken from."""
    waiting, seen = [loss], set[ex.Expression]()
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        inner = _inside(part)
        waiting += inner
        if not inner:
            yield part


def _inside(part: ex.Expression) -> list[ex.Expression]:
    """What a name, a part, a sum or the value of a tensor is taken from."""
    match part:
        case ex.Reference() if part.definition is not None:
            return [part.definition.value]
        case ex.Item() | ex.Subscript() | ex.Attribute() | ex.Entered():
            return [part.value]
        case ex.Element():
            return [part.iterable]
        case ex.Comprehension():
            return [part.element]
        case ex.Binary():
            return [part.left, part.right]
        case ex.Conditional():
            return [part.then, part.otherwise]
        case ex.Call(name="sum", function=ex.Reference()):
            return positional(part)
        case ex.Call(function=ex.Attribute(value=value)) if part.name in _METHODS:
            return [value]
    return []


_METHODS = _GOING_THROUGH | _ONE_VALUE
"""Methods that give what a dict holds, or one value of a tensor."""
