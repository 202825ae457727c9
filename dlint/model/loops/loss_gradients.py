"""Which call takes the gradient of a loss.

Question: does a step take the gradient of what an expression stands for, or of what it is a term
of; and where? Followed: local names, parts of dicts and objects, what a function of the project
returns, itself or as an item of a tuple or dict, sums, factors, scalers, and methods that reduce.
Given up on: names that are bound on several paths, parts that are written anew, and functions of
which some path returns another thing. Budget: `_MOST` calls a loss.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.value_parts import parts_in_function
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir.loop_parts import whole_of
from dlint.model.loops.batch_loops import GRADIENT_STEPS, calls_in
from dlint.model.loops.changed_holders import ChangedHolders, written_parts
from dlint.model.loops.gradient_sources import SCALERS, SCALING, Recipe, sources_of
from dlint.model.loops.gradients import is_plain
from dlint.model.loops.loss_names import Tensor, definition_of, goes_to_element, is_same_tensor

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block, Scope

_MOST = 8


def gradient_of(
    context: AnalysisContext, loss: ex.Expression, body: Block, *, detached: bool = False
) -> ex.Call | None:
    """The call that takes the gradient of a loss, in the loop or in the function that made it.

    `detached`: or of a tensor that has the value of the loss, and not its graph.
    """
    found = _taken(loss, calls_in(body)) if isinstance(loss, Tensor) else None
    found = found or _taken_where_made(context, loss, detached)
    return found if found is not None or detached else _taken_of_items(context, loss)


def gradient_of_item(context: AnalysisContext, losses: ex.Reference, body: Block) -> ex.Call | None:
    """The call that takes the gradient of one of the losses in a dict, or of their sum."""
    made = losses.definition
    steps = [call for call in calls_in(body) if call.name in GRADIENT_STEPS]
    if made is None or context[ChangedHolders].is_rewritten(made, made.scope):
        return None
    for step in steps:
        parts = (part for source in sources_of(step) for part in parts_in_function(source))
        if any(isinstance(part, ex.Reference) and part.definition is made for part in parts):
            return step
    return None


def _taken_where_made(
    context: AnalysisContext, loss: ex.Expression, detached: bool
) -> ex.Call | None:
    """The same in the functions of the project whose result, or a part of it, a loss is."""
    waiting, taken, seen = [loss], list[ex.Call](), set[ex.Call]()
    while waiting:
        made = _recipe(context, waiting.pop())
        results = [] if made is None or made.call in seen else list(_results(context, made))
        if made is None or not results or len(seen) == _MOST:
            return None
        seen.add(made.call)
        for callee, part in results:
            if part is None or callee.yields or not is_plain(context, callee):
                return None
            result = undetached(part) if detached else part
            found = _taken_inside(result, callee)
            taken += [] if found is None else [found]
            waiting += [result] if found is None else []
    return taken[0] if taken else None


def _taken_of_items(context: AnalysisContext, loss: ex.Expression) -> ex.Call | None:
    """The same where a loss is each item of a dict that functions of the project give.

    One item at least has a gradient, for each result that there may be.
    """
    whole = whole_of(ex.unnamed(loss))
    held = definition_of(whole) if isinstance(whole, ex.Reference) else None
    made = None if whole is None else ex.unnamed(whole)
    if held is None or not isinstance(made, ex.Call):
        return None
    if context[ChangedHolders].is_rewritten(held, held.scope):
        return None
    callees = list(callees_of(context, made))
    if any(c.yields or not c.returns or not is_plain(context, c) for c in callees):
        return None
    if any(call.name == "detach_" for callee in callees for call in callee.calls):
        return None
    taken = [_taken_of_item(context, r, c) for c in callees for r in c.returns]
    return taken[0] if taken and None not in taken else None


def _taken_of_item(
    context: AnalysisContext, result: ex.Expression, callee: Scope
) -> ex.Call | None:
    """The call in a function that takes the gradient of an item of the dict that it returns."""
    made = result.definition if isinstance(result, ex.Reference) else None
    if made is not None and context[ChangedHolders].is_rewritten(made, callee):
        return None
    display = ex.unnamed(result)
    held = [value for _, value in display.items] if isinstance(display, ex.Mapping) else []
    for item in held:
        found = _taken(item, callee.calls) if isinstance(item, Tensor) else None
        if found is not None:
            return found
    steps = (call for call in callee.calls if call.name in GRADIENT_STEPS and made is not None)
    return next((call for call in steps if any(_is_of(s, made) for s in sources_of(call))), None)


def _is_of(source: ex.Expression, made: ex.Definition | None) -> bool:
    """Whether a gradient is taken of an item of what a name holds."""
    item = ex.unnamed(source)
    return isinstance(item, ex.Subscript) and definition_of(item) is made


def _results(
    context: AnalysisContext, made: Recipe
) -> Iterator[tuple[Scope, ex.Expression | None]]:
    """What the functions that a call may enter return, or a part of that; None where unknown."""
    for callee in callees_of(context, made.call):
        yield from (
            (callee, _part(context, result, made.part, callee)) for result in callee.returns
        )
        if not callee.returns:
            yield callee, None


def _taken_inside(result: ex.Expression, callee: Scope) -> ex.Call | None:
    """The call in a function that takes the gradient of what it returns, and is not replaced."""
    found = _taken(result, callee.calls) if isinstance(result, Tensor) else None
    if found is None or isinstance(result, ex.Reference):
        return found
    behind = [s.target for s in callee.stores if s.span[0] > found.span[0]]
    return None if ex.spelled(result) in map(ex.spelled, behind) else found


def _recipe(context: AnalysisContext, loss: ex.Expression) -> Recipe | None:
    """The call that gives a loss, and the part of its result that the loss is."""
    part: tuple[object, ...] = ()
    holders: list[ex.Definition | None] = []
    while not isinstance(loss, ex.Call):
        step = _inside(loss)
        if step is None:
            return None
        if isinstance(loss, ex.Subscript):
            holders.append(definition_of(loss))
        loss, part = step[0], (*step[1], *part)
    changes, scope = context[ChangedHolders], loss.scope
    anew = any(made is not None and changes.is_rewritten(made, scope) for made in holders)
    return None if anew else Recipe(loss, part)


def _inside(loss: ex.Expression) -> tuple[ex.Expression, tuple[object, ...]] | None:
    """What a name stands for, or what it is a part of, and which."""
    match loss:
        case ex.Reference() if loss.definition is not None:
            return loss.definition.value, ()
        case ex.Item() if not loss.starred:
            return loss.value, (loss.position,)
        case ex.Subscript() if (key := ex.constant(loss.index)) is not None:
            return loss.value, (key.value,)
    return None


def makers_of_losses(
    context: AnalysisContext, body: Block
) -> Iterator[tuple[Scope, ex.Expression]]:
    """The functions that make what a loop takes gradients of, each with what it returns of it."""
    for call in calls_in(body):
        if call.name in GRADIENT_STEPS and isinstance(call.function, ex.Attribute):
            made = _recipe(context, call.function.value)
            for callee, part in () if made is None else _results(context, made):
                if part is not None:
                    yield callee, part


def is_term(loss: ex.Expression, name: Tensor) -> bool:
    """Whether the gradient of a loss flows to what a name stands for, by sums and factors alone."""
    return definition_of(name) is not None and _names(loss, name)


def undetached(expression: ex.Expression) -> ex.Expression:
    """What `loss.detach()` takes from the graph."""
    match expression:
        case ex.Call(function=ex.Attribute(name="detach", value=value)):
            return value
    return expression


def _part(
    context: AnalysisContext, result: ex.Expression, part: tuple[object, ...], callee: Scope
) -> ex.Expression | None:
    """The expression that a part of a result is, where the function writes down what holds it."""
    found: ex.Expression | None = result
    for key in part:
        found = None if found is None else _item(context, found, key, callee)
    return found


def _item(
    context: AnalysisContext, holder: ex.Expression, key: object, callee: Scope
) -> ex.Expression | None:
    made = holder.definition if isinstance(holder, ex.Reference) else None
    if made is not None and context[ChangedHolders].is_changed(made, callee):
        return None
    written_to = [
        (ex.constant(target.index), value)
        for target, value in written_parts(callee)
        if isinstance(target.value, ex.Reference) and target.value.definition is made
    ]
    stored = [(k, v) for k, v in written_to if k is None or k.value == key]
    if made is None or not stored:
        return _of_display(ex.unnamed(holder), key)
    at, value = stored[0]
    return value if len(stored) == 1 and at is not None else None


def _of_display(made: ex.Expression, key: object) -> ex.Expression | None:
    """What a tuple, list or dict that is written down holds at a position or under a key."""
    match made:
        case ex.Sequence() if not any(isinstance(item, ex.Starred) for item in made.items):
            is_there = isinstance(key, int) and -len(made.items) <= key < len(made.items)
            return made.items[key] if isinstance(key, int) and is_there else None
        case ex.Mapping():
            for name, value in reversed(made.items):
                known = ex.constant(name)
                if known is None or known.value == key:
                    return None if known is None else value
        case ex.Call(name="dict") if ex.is_free(made.function) and isinstance(key, str):
            return written(made, None, key)
    return None


def _taken(loss: Tensor, calls: Collection[ex.Call]) -> ex.Call | None:
    cut = (call.function for call in calls if call.name == "detach_")
    owners = [function.value for function in cut if isinstance(function, ex.Attribute)]
    if any(isinstance(owner, Tensor) and is_same_tensor(owner, loss) for owner in owners):
        return None
    for call in calls:
        if call.name in GRADIENT_STEPS and isinstance(call.function, ex.Attribute):
            given = written(call, 0, "tensors")
            sources = [call.function.value] if given is None else [given, call.function.value]
            if any(_names(source, loss) for source in sources):
                return call
    return None


def _names(source: ex.Expression, loss: Tensor) -> bool:
    """Whether the gradient of `source` flows to the loss, scaled, reduced, or as one term."""
    is_itself = isinstance(source, Tensor) and is_same_tensor(source, loss)
    if is_itself or goes_to_element(source, loss):
        return True
    match source:
        case ex.Reference():
            value = source.definition.value if source.definition is not None else None
            if isinstance(value, ex.Entered):
                return _names(value.value, loss)
            return isinstance(value, ex.Binary | ex.Conditional) and _names(value, loss)
        case ex.Conditional():
            return _names(source.then, loss) or _names(source.otherwise, loss)
        case ex.Binary(operator="+" | "-"):
            return _names(source.left, loss) or _names(source.right, loss)
        case ex.Binary(operator="*") if _is_weight(source.left):
            return _names(source.right, loss)
        case ex.Binary(operator="*") if not _is_weight(source.right):
            return False  # either may be the number
        case ex.Binary() if source.operator in SCALING:
            return _names(source.left, loss)
        case ex.Call() if source.name in SCALERS:
            given = written(source, 0, SCALERS[source.name])
            return given is not None and _names(given, loss)
        case ex.Call() if isinstance(source.function, ex.Attribute) and not source.arguments:
            return _names(source.function.value, loss)
    return False


def _is_weight(factor: ex.Expression) -> bool:
    """Whether a factor is a number or an option by its look: `0.5`, `args.b`, `config["b"]`."""
    options = (ex.Constant, ex.Attribute, ex.Subscript, ex.Parameter)
    if isinstance(factor, ex.Binary):
        return _is_weight(factor.left) and _is_weight(factor.right)
    return isinstance(ex.unnamed(factor), options)
