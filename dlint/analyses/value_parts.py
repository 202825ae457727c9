"""Parts of values: what an expression is made of, by itself, in its function, or behind names.

Questions without a lattice, beside the slices of `backward`: the expressions themselves are asked
for. Followed and given up on: what each says. Budget: `_MOST` expressions for what is certain,
`_MOST_PARTS` for one walk over parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, arguments_of, given_to, steps
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.values.values import FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_MOST = 400
_HANDED = (ex.Parameter, ex.Item, ex.Subscript)
_MOST_PARTS = 2000
"""Expressions that are looked behind for one walk over parts."""


def origin_of(expression: ex.Expression) -> ex.Expression:
    """What a local name is bound to, other names for it left out; other expressions as they are."""
    seen: set[ex.Definition] = set()
    while isinstance(expression, ex.Reference) and expression.definition is not None:
        if expression.definition in seen:
            break
        seen.add(expression.definition)
        expression = expression.definition.value
    return expression


def root_of(expression: ex.Expression) -> ex.Expression:
    """What an expression is an attribute or item of, however deep: `d` of `d["a"].b[0]`."""
    while isinstance(expression, ex.Attribute | ex.Subscript):
        expression = expression.value
    return expression


def table_of(expression: ex.Expression) -> ex.Expression:
    """What an expression is an item of, however deep: `a.b` of `a.b["c"][0]`."""
    while isinstance(expression, ex.Subscript):
        expression = expression.value
    return expression


def names_of(expression: ex.Expression) -> Iterator[ex.Expression]:
    """An expression and the names that it is another name for: `b`, then `a.rows` of `b = a.rows`.

    Whatever is no local name is told by itself alone.
    """
    seen = set[ex.Definition]()
    yield expression
    while isinstance(expression, ex.Reference) and (made := expression.definition) is not None:
        if made in seen or not isinstance(made.value, ex.Reference | ex.Attribute):
            return
        seen.add(made)
        expression = made.value
        yield expression


def names_over_calls(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Iterator[ex.Expression]:
    """The same across functions: also of what all known calls give to a parameter, if one thing."""
    seen = set[Located]()
    while (expression, frame) not in seen and len(seen) < _MOST:
        seen.add((expression, frame))
        names = list(names_of(expression))
        yield from names
        given = list(dict.fromkeys(_arguments_behind(context, names[-1], frame)))
        if len(given) == 1:
            expression, frame = given[0]


def _arguments_behind(
    context: AnalysisContext, name: ex.Expression, frame: CallContext
) -> Iterable[Located]:
    made = name.definition if isinstance(name, ex.Reference) else None
    if made is None or not isinstance(made.value, ex.Parameter):
        return ()
    return arguments_of(context, made.value, frame)


def origin_over_calls(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Located:
    """The same across functions: of a parameter that all known calls give one thing, that thing.

    So too of an item of what is known to be one display: `a` of `a, b = pair`, `pair[0]`. With
    where it is evaluated. What may have been something else stays as it is.
    """
    origin, seen = origin_of(expression), set[Located]()
    while isinstance(origin, _HANDED) and (origin, frame) not in seen and len(seen) < _MOST:
        seen.add((origin, frame))
        given = list(dict.fromkeys(steps(context, origin, frame)))
        if len(given) != 1:
            break
        origin, frame = origin_of(given[0][0]), given[0][1]
    return origin, frame


def parts_in_function(expression: ex.Expression) -> Iterator[ex.Expression]:
    """An expression and its parts, and those of what its local names are bound to."""
    waiting, seen = [expression], set[ex.Definition]()
    while waiting and len(seen) < _MOST:
        for part in walk.walk(waiting.pop()):
            yield part
            definition = part.definition if isinstance(part, ex.Reference) else None
            if definition is not None and definition not in seen:
                seen.add(definition)
                waiting.append(definition.value)


def parts_over_calls(
    context: AnalysisContext,
    expression: ex.Expression,
    frame: CallContext,
    *,
    only_one: bool = False,
) -> Iterator[ex.Expression]:
    """The same across functions: also of what calls give to the parameters among the parts.

    With `only_one` nothing of a parameter that several calls give something.
    """
    waiting, seen = [(expression, frame)], set[Located]()
    while waiting and len(seen) < _MOST:
        located = waiting.pop()
        if located in seen:
            continue
        seen.add(located)
        for part in parts_in_function(located[0]):
            yield part
            if isinstance(part, ex.Parameter):
                given = list(given_to(context, part, located[1]))
                waiting += given if len(given) == 1 or not only_one else []


def alternatives_of(expression: ex.Expression) -> Iterator[ex.Expression]:
    """What an expression may be within its function, by names and choices."""
    waiting, seen = [expression], set[ex.Expression]()
    while waiting:
        origin = origin_of(waiting.pop())
        if origin in seen:
            continue
        seen.add(origin)
        match origin:
            case ex.Join():
                waiting += reversed(origin.alternatives)
            case ex.Conditional():
                waiting += [origin.otherwise, origin.then]
            case _:
                yield origin


def parts_gone_through(iterable: ex.Expression) -> Iterator[ex.Expression]:
    """What a loop names to go through something, also by local names and choices.

    `islice(loader, 5)` of `for x in tqdm(few)`; what is behind other arguments than the first is
    left out, for these are no longer what the loop takes its elements from.
    """
    waiting, seen = [iterable], set[ex.Expression]()
    while waiting:
        for origin in alternatives_of(waiting.pop()):
            if origin not in seen:
                seen.add(origin)
                yield from walk.walk(origin)
                waiting += positional(origin)[:1] if isinstance(origin, ex.Call) else []


# -- all that a value is made of


def parts_behind(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext, deep: int = 6
) -> Iterator[ex.Expression]:
    """An expression and all that it may be made of: definitions, arguments, results, attributes.

    Each is looked at once, the nearest first, `deep` steps far and not more than a few thousand.
    """
    level = {(expression, frame): None}
    seen = dict(level)
    for _ in range(deep):
        further: dict[Located, None] = {}
        for whole, where in level:
            for part in walk.walk(whole):
                yield part
                further.update(dict.fromkeys(_behind(context, part, where)))
        level = {pair: None for pair in further if pair not in seen}
        seen.update(level)
        if len(seen) > _MOST_PARTS:
            return


def _behind(context: AnalysisContext, part: ex.Expression, frame: CallContext) -> Iterator[Located]:
    """What stands behind one name or call, over all activations."""
    match part:
        case ex.Reference() if part.definition is not None:
            yield part.definition.value, frame
        case ex.Parameter():
            yield from given_to(context, part, frame)
        case ex.Attribute():
            yield from steps(context, part, frame)
        case ex.Call():
            for value in context.solver.values(part.function, frame):
                if isinstance(value, FunctionObject | Method):
                    root = context.solver.root(value.scope)
                    yield from ((result, root) for result in value.scope.returns)


def certain_parts(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Iterator[Located]:
    """An expression and what it is made of on every path: no branches, one known caller.

    Of a call of the project also the one value that it returns, of a method the object it is
    called on. Attributes and the insides of comprehensions are left out: they are made elsewhere,
    or often.
    """
    waiting, seen = [(expression, frame)], set[Located]()
    while waiting and len(seen) < _MOST:
        part, where = waiting.pop()
        if isinstance(part, ex.Conditional | ex.Join | ex.Boolean) or (part, where) in seen:
            continue
        seen.add((part, where))
        yield part, where
        further: list[Located] = []
        if isinstance(part, ex.Reference):
            further += [] if part.definition is None else [(part.definition.value, where)]
        elif isinstance(part, ex.Parameter):
            given = list(given_to(context, part, where))
            further += given if len(given) == 1 else []
        elif not isinstance(part, ex.Attribute | ex.Comprehension):
            further += [(child, where) for child in walk.children(part)]
            further += _made_by(context, part, where) if isinstance(part, ex.Call) else []
        waiting += reversed(further)


def _made_by(context: AnalysisContext, call: ex.Call, frame: CallContext) -> list[Located]:
    """The one thing that a function of the project returns; for a method of another, its object."""
    returned = list(dict.fromkeys(steps(context, call, frame)))
    if not returned and isinstance(call.function, ex.Attribute):
        return [(call.function.value, frame)]
    return returned if len(returned) == 1 else []
