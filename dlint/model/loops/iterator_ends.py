"""Iterators of loaders that loops read further than the loader goes.

Question: does a loop call `next` of one iterator more often than the loader has batches? Known are
the rounds of loops over `range(n)`, over another loader and of `while done < n`, the batches of a
loader by its data, and products of `len(loader)`. The iterator is a name, an attribute that is
written once, or what the one caller gives; what makes it may be a constructor, and each way from
there to `next` is looked at by itself. Given up on: loops that may be left, `next` with a
default or under `try`, loaders that are cycled, have samplers of their own or an `__iter__` of the
project, and other tests of `while`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.calls import library_callees
from dlint.analyses.control.call_paths import DEEP, is_in_comprehension, is_repeated
from dlint.analyses.control.order import is_inside
from dlint.analyses.control.path_tests import (
    always_runs,
    call_always_runs,
    is_tried,
    runs_each_round,
)
from dlint.analyses.running_calls import calls_named
from dlint.analyses.value_parts import origin_of, origin_over_calls, parts_behind
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.analyses.volume.ranges import Range, product
from dlint.analyses.written_arguments import positional, written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Jump, Loop, Return, Scope, With
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.given_loaders import loaders_in
from dlint.model.samplers.index_order import makes_sampler
from dlint.model.worth.volume import volume_of
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import AllocationSite

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.semantics.values.values import Value

NEXT = ("next", "__next__")
_ITER = ("iter", "__iter__")
_MOST_WAYS = 20
_EXPECTING = frozenset({"suppress", "raises", "assertRaises"})


class Overread(NamedTuple):
    """`next` of an iterator in loops that ask for more batches than there are.

    `asked` and `batches` are numbers, or None where the loops count by `len(loader)`.
    """

    call: ex.Call
    made: ex.Call
    loop: Loop
    scope: Scope
    """The function that the loop stands in: the call's own, or one that leads to it."""
    loader: Loader
    asked: Range | None
    batches: Range | None

    @property
    def place(self) -> Place:
        """Where the iterator is read."""
        return self.loader.context.place_of(self.call)

    @property
    def made_place(self) -> Place:
        """Where the iterator is made, once."""
        return self.loader.context.place_of(self.made)

    @property
    def loop_place(self) -> Place:
        """The header of the loop that reads it."""
        return Place(self.scope.module.path, *self.loop.header)


def overreads(context: AnalysisContext) -> Iterator[Overread]:
    """Where loops ask an iterator that was made before them for more than its loader has."""
    for call in calls_named(context, *NEXT):
        made = iterator_of(context, call) if len(call.arguments) < len(("it", "default")) else None
        if made is None or is_expected(context, call):
            continue
        loader = _loader_of(context, made)
        found = None if loader is None else _reading(context, call, made, loader)
        if found is not None:
            yield found


class _Round(NamedTuple):
    """A loop around a call, and the function that it stands in."""

    loop: Loop
    scope: Scope


def _reading(
    context: AnalysisContext, call: ex.Call, made: ex.Call, loader: Loader
) -> Overread | None:
    """What the loops around a call ask for, on one of the ways that lead to it."""
    makers = _makers(context, made)
    ways = list(islice(_ways(context, [call], makers), _MOST_WAYS)) or [[call]]
    asked = (_read_on(context, way, made, makers, loader) for way in ways)
    return next((found for found in asked if found is not None), None)


def _read_on(
    context: AnalysisContext,
    way: list[ex.Call],
    made: ex.Call,
    makers: dict[Scope, ex.Call],
    loader: Loader,
) -> Overread | None:
    """What they ask for on one way: those of its function, then of those that lead to it."""
    rounds: list[_Round] = []
    maker = makers.get(way[-1].scope, made)
    if maker is not made and not _is_one(maker, way[-1]):
        return None
    for site in way:
        around = walk.enclosing_loops(site.statement)
        loops = [x for x in around if not is_inside(maker.statement, x)]
        if loops and not runs_throughout(site, loops):
            return None
        rounds += [_Round(loop, site.scope) for loop in loops]
        found = _overread(context, way[0], made, rounds, loader) if loops else None
        if found is not None or not _comes_to(site, loops):
            return found
    return None


def _makers(context: AnalysisContext, made: ex.Call) -> dict[Scope, ex.Call]:
    """The call that makes an iterator, and each one call that leads to it, by their functions.

    So the call of a class whose constructor makes it. None that makes several of them.
    """
    makers = {made.scope: made}
    for _ in range(DEEP):
        callers = callers_of(context, made.scope)
        if is_repeated(made) or len(callers) != 1 or callers[0].scope in makers:
            break
        made = callers[0]
        makers[made.scope] = made
    return makers


def _is_one(maker: ex.Call, site: ex.Call) -> bool:
    """Whether a call made one object when it comes to another call, of one object."""
    loops = walk.enclosing_loops(maker.statement)
    apart = any(not is_inside(site.statement, loop) for loop in loops)
    return not apart and not is_in_comprehension(maker)


def _ways(
    context: AnalysisContext, way: list[ex.Call], makers: dict[Scope, ex.Call]
) -> Iterator[list[ex.Call]]:
    """A call, and a call of each function on a way to it from where its iterator is made."""
    if way[-1].scope in makers:
        yield way
    elif len(way) <= DEEP:
        for caller in callers_of(context, way[-1].scope):
            if caller not in way and not is_expected(context, caller):
                yield from _ways(context, [*way, caller], makers)


def _comes_to(call: ex.Call, loops: list[Loop]) -> bool:
    """Whether each run of a function comes to a call, or to the outermost of the loops around."""
    body = call.scope.body
    return always_runs(loops[-1], body) if loops else call_always_runs(call, body)


def _overread(
    context: AnalysisContext,
    call: ex.Call,
    made: ex.Call,
    rounds: list[_Round],
    loader: Loader,
) -> Overread | None:
    if _is_multiple(context, rounds, loader):
        return Overread(call, made, *rounds[-1], loader, None, None)
    asked = product(_rounds(context, *one) for one in rounds)
    batches = volume_of(loader).batches
    if asked is None or batches is None or asked.low <= batches.high:
        return None
    return Overread(call, made, *rounds[-1], loader, asked, batches)


def _rounds(context: AnalysisContext, loop: Loop, scope: Scope) -> Range | None:
    """How many rounds a loop makes, by its range, its test, or the batches of its loader."""
    sizes, frame = context[DatasetSizes].sizes, context.solver.root(scope)
    if loop.iterable is None:
        limit = _limit(loop, scope)
        return None if limit is None else sizes.number(limit, frame)
    loaders = [context[Loaders].of(made) for made in loaders_in(context, loop.iterable, scope)]
    if len(loaders) == 1 and makes_sampler(loaders[0]):
        return volume_of(loaders[0]).batches
    return sizes.length(loop.iterable, frame)


def _limit(loop: Loop, scope: Scope) -> ex.Expression | None:
    """`n` of `while done < n`, where `done` begins with 0 and each round adds 1 to it."""
    test = loop.test
    if not isinstance(test, ex.Comparison) or test.operator != "<":
        return None
    counter = test.left.name if isinstance(test.left, ex.Reference) else None
    binding = [
        statement
        for statement in walk.statements(scope.body)
        if isinstance(statement, Bind) and counter in [d.name for d in statement.definitions]
    ]
    values = [statement.value for statement in binding]
    match values:
        case [ex.Constant(value=0), ex.Binary(operator="+", right=ex.Constant(value=1))]:
            return test.right if binding[1].block is loop.body else None
    return None


def _is_multiple(context: AnalysisContext, rounds: list[_Round], loader: Loader) -> bool:
    """Whether loops go several times through as many steps as the loader has batches.

    `range(epochs * len(loader))`, or a loop of several rounds in one over `range(len(loader))`.
    """
    sizes = context[DatasetSizes].sizes
    counting, times = 0, 1.0
    for factor, frame in (f for one in rounds for f in _factors(context, *one)):
        if _is_length_of(context, factor, frame.scope, loader):
            counting += 1
            continue
        number = sizes.number(factor, frame)
        if number is None or number.low < 1:
            return False
        times *= number.low
    return counting == 1 and times > 1


def _factors(
    context: AnalysisContext, loop: Loop, scope: Scope
) -> Iterator[tuple[ex.Expression, CallContext]]:
    """What the rounds of a loop over `range(a * b)` are the product of; the loop's own iterable
    where it counts to nothing.
    """
    frame = context.solver.root(scope)
    made = None if loop.iterable is None else origin_of(loop.iterable)
    while isinstance(made, ex.Call) and made.name in ("tqdm", "enumerate") and positional(made):
        made = origin_of(next(iter(positional(made))))
    counted = made if isinstance(made, ex.Call) and made.name in ("range", "trange") else None
    given = [] if counted is None else positional(counted)
    number, frame = (
        origin_over_calls(context, given[0], frame) if len(given) == 1 else (None, frame)
    )
    if isinstance(number, ex.Binary) and number.operator == "*":
        yield from ((number.left, frame), (number.right, frame))
    elif number is not None:
        yield number, frame
    else:
        yield loop.iterable or ex.Opaque(loop.span), frame


def _is_length_of(
    context: AnalysisContext, side: ex.Expression, scope: Scope, loader: Loader
) -> bool:
    side = origin_of(side)
    measured = positional(side) if isinstance(side, ex.Call) and side.name == "len" else []
    return any(context.values(part, scope) == {loader.made} for part in measured)


def runs_throughout(call: ex.Call, loops: list[Loop]) -> bool:
    """Whether each round of each loop makes the call, and no loop is left before its end."""
    if not runs_each_round(call, loops[0]):
        return False
    nested = all(always_runs(inner, outer.body) for inner, outer in pairwise(loops))
    return nested and not any(
        isinstance(s, Return | Jump) and (isinstance(s, Return) or s.kind != "continue")
        for s in walk.statements(loops[-1].body)
    )


def is_expected(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether something deals with the end: `try`, `suppress`, here or in who calls."""
    statements = [call.statement, *(c.statement for c in callers_of(context, call.scope))]
    if call.scope.yields or any(map(is_tried, statements)):
        return True
    around = (s for one in statements for s in walk.ancestors(one) if isinstance(s, With))
    managers = (item for outer in around for item in outer.items)
    return any(isinstance(m, ex.Call) and m.name in _EXPECTING for m in managers)


def iterator_of(context: AnalysisContext, call: ex.Call) -> ex.Call | None:
    """The one `iter(…)` whose result a call of `next` is given."""
    source, root = written(call, 0), context.solver.root(call.scope)
    if call.name == "__next__" and isinstance(call.function, ex.Attribute):
        source = call.function.value
    made = None if source is None else origin_over_calls(context, source, root)[0]
    if isinstance(made, ex.Attribute):
        stores = context.project.writing(made.name)
        made = origin_of(stores[0].value) if len(stores) == 1 else None
    return made if isinstance(made, ex.Call) and made.name in _ITER else None


def _loader_of(context: AnalysisContext, made: ex.Call) -> Loader | None:
    """The one loader that an iterator goes over, once and in torch's own order."""
    found = loaders_of(context, made)
    return found[0] if len(found) == 1 else None


def loaders_of(context: AnalysisContext, made: ex.Call) -> list[Loader]:
    """The loaders that an iterator may go over, once and in torch's own order.

    None where it may go over anything else.
    """
    source = written(made, 0)
    if made.name == "__iter__" and isinstance(made.function, ex.Attribute):
        source = made.function.value
    if source is None:
        return []
    parts = parts_behind(context, source, context.solver.root(made.scope))
    calls = (part for part in parts if isinstance(part, ex.Call))
    if any(p.startswith("itertools.") for call in calls for p in library_callees(context, call)):
        return []
    found = [_plain_loader(context, value) for value in context.values(source, made.scope)]
    known = [loader for loader in found if loader is not None]
    return known if len(known) == len(found) else []


def _plain_loader(context: AnalysisContext, value: Value) -> Loader | None:
    cls = attributes.project_class(value)
    if cls is not None and context.solver.classes.method(cls, "__iter__") is not None:
        return None
    if not isinstance(value, AllocationSite) or value not in _made(context):
        return None
    loader = context[Loaders].of(value)
    return loader if makes_sampler(loader) else None


def _made(context: AnalysisContext) -> set[AllocationSite]:
    return {loader.made for group in context[Loaders].by_call().values() for loader in group}
