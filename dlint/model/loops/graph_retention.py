"""Histories: what a training loop adds up or collects with the autograd graph still on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.callees import is_self
from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import alternatives_of
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, Evaluate, Scope, Statement
from dlint.model.loops.batch_loops import GRADIENT_STEPS, batch_loops, calls_in
from dlint.model.loops.gradients import computed_without_gradients, runs_without_gradients
from dlint.model.loops.loss_names import (
    Tensor,
    definition_of,
    goes_to_element,
    is_one_of_several,
    is_same_tensor,
    may_be_spared,
)
from dlint.semantics.calls.binding import signature_of
from dlint.semantics.calls.calls import takes_receiver
from dlint.semantics.values.values import AllocationSite, Container, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_SCALING = frozenset({"*", "/"})
_SCALERS = {"scale": "outputs", "scale_loss": "loss"}
"""What multiplies a loss by a number, and as which parameter it takes it."""
EMPTYING = frozenset({"clear", "pop", "popleft"})
"""Methods by which lists lose what they hold."""
_REDUCING = frozenset({"mean", "sum"})
_RENEWING = EMPTYING | {"reset", "zero", "flush", "compute", "synchronize"}
"""Methods by which objects forget what they have collected, by their names."""


class History(NamedTuple):
    """One place where a loss is kept beyond its step, with its graph."""

    loss: ex.Reference
    backward: ex.Call
    target: ex.Expression
    scope: Scope
    is_sum: bool

    @property
    def name(self) -> str:
        """The name of the loss."""
        return self.loss.name

    @property
    def place(self) -> Place:
        """Where the loss is kept."""
        return Place(self.scope.module.path, *self.loss.span)

    @property
    def gradient_place(self) -> Place:
        """Where its gradient is taken."""
        return Place(self.backward.scope.module.path, *self.backward.span)

    @property
    def may_be_number(self) -> bool:
        """Whether it is one of a list of losses, others of which may be plain numbers."""
        return is_one_of_several(self.loss)

    @property
    def graph_stays(self) -> bool:
        """Whether the call that takes the gradient is told what to do with the graph after it.

        `backward()` frees what the graph holds, unless `retain_graph` or `create_graph` says
        otherwise.
        """
        kept = written(self.backward, 1, "retain_graph")
        return (kept or written(self.backward, 2, "create_graph")) is not None


def histories(context: AnalysisContext) -> Iterator[History]:
    """Where batch loops keep losses that a gradient was taken of."""
    seen: set[Statement] = set()
    for loop in context[batch_loops]:
        for statement in walk.statements(loop.body) if loop.body is not None else ():
            if statement not in seen and loop.body is not None:
                seen.add(statement)
                yield from _of_statement(context, statement, loop.body, loop.scope)


def _of_statement(
    context: AnalysisContext, statement: Statement, body: Block, scope: Scope
) -> Iterator[History]:
    added = added_up(statement)
    is_sum = added is not None
    yield from _handed_over(context, statement, body, scope)
    for target, value in [added] if added is not None else appended(statement):
        loss = _scaled(value)
        if loss is None or is_emptied(target, statement, body):
            continue
        if (is_sum or loss is not value) and runs_without_gradients(context, statement, scope):
            continue  # what is computed there has no graph
        backward = gradient_of(context, loss, body)
        if backward is None or _has_no_graph(context, loss, scope):
            continue
        if may_be_spared(loss, statement, backward):
            continue
        if is_sum or is_list(context, target, scope):
            yield History(loss, backward, target, scope, is_sum)


def _has_no_graph(context: AnalysisContext, term: ex.Reference, scope: Scope) -> bool:
    """Whether a term of a loss is computed with gradients off, so that it holds no graph."""
    made = term.definition
    return made is not None and computed_without_gradients(context, made.span, scope)


def _handed_over(
    context: AnalysisContext, statement: Statement, body: Block, scope: Scope
) -> Iterator[History]:
    """`meter.update(loss)`: a method of the project that adds up or collects what it is given."""
    call = statement.value if isinstance(statement, Evaluate) else None
    callee = call.function if isinstance(call, ex.Call) else None
    if not isinstance(call, ex.Call) or not isinstance(callee, ex.Attribute):
        return
    owner = callee.value
    if is_renewed(owner, body):
        return
    for method in callees_of(context, call):
        for is_sum, kept in _kept_parameters(context, method):
            signature = signature_of(method, has_receiver=takes_receiver(method))
            given = written(call, signature.position(kept), kept)
            loss = given if isinstance(given, ex.Reference) and given.definition else None
            backward = None if loss is None else gradient_of(context, loss, body)
            if loss is None or backward is None or may_be_spared(loss, statement, backward):
                continue
            yield History(loss, backward, owner, scope, is_sum)
            return


def is_renewed(owner: ex.Expression, body: Block) -> bool:
    """Whether a loop calls a method of an object that may forget what it holds."""
    name = ex.spelled(owner)
    methods = (c.function for c in calls_in(body) if c.name in _RENEWING)
    return name is None or any(
        isinstance(m, ex.Attribute) and ex.spelled(m.value) == name for m in methods
    )


def _kept_parameters(context: AnalysisContext, method: Scope) -> Iterator[tuple[bool, str]]:
    """The parameters that a method always adds to an attribute (`True`), or puts into a list."""
    for statement in walk.statements(method.body):
        added = added_up(statement)
        for target, value in [added] if added is not None else appended(statement):
            loss, is_sum = _scaled(value), added is not None
            made = loss.definition.value if loss is not None and loss.definition else None
            if not isinstance(made, ex.Parameter) or any(walk.tests(statement)):
                continue
            of_self = isinstance(target, ex.Attribute) and is_self(target.value, method)
            switched = runs_without_gradients(context, statement, method)
            if of_self and (not switched if is_sum else is_list(context, target, method)):
                yield is_sum, made.name


def added_up(statement: Statement) -> tuple[ex.Expression, ex.Expression] | None:
    """`total += value`, `total = total + value`: the total, and what is added."""
    found = _joined(statement)
    return None if found is None or isinstance(found[1], ex.Sequence) else found


def _joined(statement: Statement) -> tuple[ex.Expression, ex.Expression] | None:
    """The two sides of `x += y`, `x = x + y`."""
    if not isinstance(statement, Bind) or not isinstance(statement.value, ex.Binary):
        return None
    total, value = statement.value.left, statement.value.right
    if statement.value.operator != "+":
        return None
    bound = [d.name for d in statement.definitions]
    is_name = isinstance(total, ex.Reference) and bound == [total.name]
    is_part = [ex.spelled(store.target) for store in statement.stores] == [ex.spelled(total)]
    return (total, value) if is_name or (is_part and ex.spelled(total)) else None


def appended(statement: Statement) -> Iterator[tuple[ex.Expression, ex.Expression]]:
    """`values.append(value)`, `values += [value]`: the list, and what it is given."""
    found = _joined(statement)
    if found is not None and isinstance(found[1], ex.Sequence) and found[1].kind == "list":
        yield from ((found[0], item) for item in found[1].items)
    for expression in walk.expressions(statement):
        if isinstance(expression, ex.Call) and expression.name == "append":
            callee, given = expression.function, expression.arguments
            if isinstance(callee, ex.Attribute) and len(given) == 1:
                yield callee.value, given[0].value


def is_list(context: AnalysisContext, target: ex.Expression, scope: Scope) -> bool:
    """Whether a value certainly is a container, or a list that a `defaultdict` makes.

    Or one that `setdefault` gives.
    """
    if isinstance(target, ex.Subscript) and _makes_lists(context, target.value, scope):
        return True
    if _table_of(target) is not None:
        return True
    begun = [part for part in alternatives_of(target) if not _is_longer(part)]
    values = [value for part in begun for value in context.values(part, scope)]
    return bool(values) and all(isinstance(value, Container) for value in values)


def holder_of(target: ex.Expression) -> ex.Expression:
    """The table that holds a list, `lists` of `lists[name]` and of `lists.setdefault(name, [])`."""
    while True:
        table = target.value if isinstance(target, ex.Subscript) else _table_of(target)
        if table is None:
            return target
        target = table


def _table_of(target: ex.Expression) -> ex.Expression | None:
    """What `lists.setdefault(name, [])` is an item of."""
    made = written(target, 1) if isinstance(target, ex.Call) else None
    if not isinstance(target, ex.Call) or target.name != "setdefault" or made is None:
        return None
    callee = target.function if isinstance(ex.unnamed(made), ex.Sequence) else None
    return callee.value if isinstance(callee, ex.Attribute) else None


def _is_longer(part: ex.Expression) -> bool:
    """`values + [value]`: what a list becomes."""
    return (
        isinstance(part, ex.Binary)
        and part.operator == "+"
        and isinstance(part.right, ex.Sequence)
        and part.right.kind == "list"
    )


def _makes_lists(context: AnalysisContext, table: ex.Expression, scope: Scope) -> bool:
    """`defaultdict(list)`."""
    values = context.values(table, scope)
    made = [value.call for value in values if isinstance(value, AllocationSite)]
    of_lists = (
        "collections.defaultdict" in library_callees(context, call)
        and "builtins.list" in _paths(context, written(call, 0), call.scope)
        for call in made
    )
    return bool(made) and len(made) == len(values) and all(of_lists)


def _paths(context: AnalysisContext, part: ex.Expression | None, scope: Scope) -> list[str]:
    found = () if part is None else context.values(part, scope)
    return [value.path for value in found if isinstance(value, External)]


def _is_weight(factor: ex.Expression) -> bool:
    """Whether a factor is a number or an option by its look: `0.5`, `args.b`, `config["b"]`."""
    options = (ex.Constant, ex.Attribute, ex.Subscript, ex.Parameter)
    if isinstance(factor, ex.Binary):
        return _is_weight(factor.left) and _is_weight(factor.right)
    return isinstance(ex.unnamed(factor), options)


def _scaled(value: ex.Expression) -> ex.Reference | None:
    """The name in `loss`, `loss * n`, `n * loss`, `loss / n`, `loss.mean()`."""
    if isinstance(value, ex.Call) and value.name in _REDUCING and not value.arguments:
        return _scaled(value.function.value) if isinstance(value.function, ex.Attribute) else None
    if isinstance(value, ex.Binary) and value.operator in _SCALING:
        plain = isinstance(value.left, ex.Constant)
        return _scaled(value.right if plain and value.operator == "*" else value.left)
    return value if isinstance(value, ex.Reference) and value.definition is not None else None


def is_emptied(target: ex.Expression, kept: Statement, body: Block) -> bool:
    """Whether the loop itself begins the history anew, or takes from it."""
    name = ex.spelled(_table_of(target) or target)
    if name is None:
        return True
    for statement in walk.statements(body):
        if statement is kept:
            continue
        if isinstance(statement, Bind) and added_up(statement) is None:
            written = [ex.spelled(store.target) for store in statement.stores]
            written += [definition.name for definition in statement.definitions]
            if any(w and (name == w or name.startswith((f"{w}.", f"{w}["))) for w in written):
                return True
    emptied = (c.function for c in calls_in(body) if c.name in EMPTYING | GRADIENT_STEPS)
    return any(isinstance(f, ex.Attribute) and ex.spelled(f.value) == name for f in emptied)


def gradient_of(
    context: AnalysisContext, loss: Tensor, body: Block, *, detached: bool = False
) -> ex.Call | None:
    """The call that takes the gradient of a loss, in the loop or in the function that made it.

    `detached`: or of a tensor that has the value of the loss, and not its graph.
    """
    found = _taken(loss, calls_in(body))
    bound = loss.definition if isinstance(loss, ex.Reference) else None
    made = None if bound is None else bound.value
    position = made.position if isinstance(made, ex.Item) and not made.starred else None
    made = made.value if isinstance(made, ex.Item) else made
    if found is not None or not isinstance(made, ex.Call):
        return found
    taken = [_taken_in(callee, position, detached) for callee in callees_of(context, made)]
    return taken[0] if taken and None not in taken else None


def makers_of_losses(
    context: AnalysisContext, body: Block
) -> Iterator[tuple[Scope, ex.Expression]]:
    """The functions that make what a loop takes gradients of, each with what it returns of it."""
    for call in calls_in(body):
        if call.name in GRADIENT_STEPS and isinstance(call.function, ex.Attribute):
            loss = ex.unnamed(call.function.value)
            position = loss.position if isinstance(loss, ex.Item) and not loss.starred else None
            made = loss.value if isinstance(loss, ex.Item) else loss
            for callee in callees_of(context, made) if isinstance(made, ex.Call) else ():
                results = (_part(result, position) for result in callee.returns)
                yield from ((callee, result) for result in results if result is not None)


def is_term(loss: ex.Expression, name: Tensor) -> bool:
    """Whether the gradient of a loss flows to what a name stands for, by sums and factors alone."""
    return definition_of(name) is not None and _names(loss, name)


def _taken_in(callee: Scope, position: int | None, detached: bool) -> ex.Call | None:
    """The same for what a function returns, or for one part of it."""
    results = [_part(result, position) for result in callee.returns]
    results = [r if r is None or not detached else undetached(r) for r in results]
    if not results or callee.yields:
        return None
    found = [_taken(r, callee.calls) if isinstance(r, ex.Reference) else None for r in results]
    return found[0] if None not in found else None


def undetached(expression: ex.Expression) -> ex.Expression:
    """What `loss.detach()` takes from the graph."""
    match expression:
        case ex.Call(function=ex.Attribute(name="detach", value=value)):
            return value
    return expression


def _part(result: ex.Expression, position: int | None) -> ex.Expression | None:
    if position is None:
        return result
    if isinstance(result, ex.Sequence) and 0 <= position < len(result.items):
        return result.items[position]
    return None


def _taken(loss: Tensor, calls: Iterable[ex.Call]) -> ex.Call | None:
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
        case ex.Binary(operator="*") if isinstance(ex.unnamed(source.right), ex.Call):
            return False  # either may be the number
        case ex.Binary() if source.operator in _SCALING:
            return _names(source.left, loss)
        case ex.Call() if source.name in _SCALERS:
            given = written(source, 0, _SCALERS[source.name])
            return given is not None and _names(given, loss)
        case ex.Call() if isinstance(source.function, ex.Attribute) and not source.arguments:
            return _names(source.function.value, loss)
    return False
