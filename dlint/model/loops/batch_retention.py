"""Batches that outlive their loop as they came from the workers, in shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Located, given_to
from dlint.analyses.calls import library_callees
from dlint.analyses.running_calls import calls_named
from dlint.analyses.value_parts import alternatives_of, origin_of, parts_gone_through
from dlint.analyses.written_arguments import positional, written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, Evaluate, Loop, Scope, Statement
from dlint.library_facts.batches import JOINING
from dlint.library_facts.tensors import JOINERS
from dlint.model.data.sharding import is_map_style
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.gone_through import iterated
from dlint.model.loops.growing_values import appended, holder_of, is_emptied, is_list
from dlint.model.loops.memory_views import memory_view
from dlint.model.loops.passed_on_values import passed_on
from dlint.model.loops.relays import is_mapped
from dlint.model.samples.small_parts import is_for_evaluation, is_small_part
from dlint.model.samples.tensor_parts import is_tensor_part, is_text_part, part_of
from dlint.model.worth.volume import volume_of
from dlint.semantics.calls import attributes
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.values import AllocationSite, Batch, Generated, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop

_COLLECTING = ("list", "tuple")
_PLAIN = ex.Reference | ex.Attribute | ex.Subscript
_OPEN_FILES = 900
"""Files that a process may surely open beside its own: Linux admits 1024 by default (getrlimit)."""
_FEW = 100
"""Batches of which some tensors each may surely be kept."""
_NAMED = _PLAIN | ex.Call


class Retention(NamedTuple):
    """One place where batches, or tensors of them, are kept.

    `text` is what is kept, as it is written; None where it may be no tensor, but a batch.
    `copied`: what keeps a copy instead, None where what is kept may be no tensor. `counted`: where
    the batches are kept for nothing but their number, the `loader` of `len(list(loader))`. `small`:
    whether it is a part that holds little of each sample, kept for one pass and no longer.
    `evaluates`: whether names say that the pass is an evaluation.
    """

    loader: Loader
    place: Place
    text: str | None
    copied: str | None
    counted: str | None = None
    small: bool = False
    evaluates: bool = False

    @property
    def may_fit(self) -> bool:
        """Whether the batches are not known to be so many that as many files cannot be open."""
        batches = volume_of(self.loader).batches
        return batches is None or batches.low < _OPEN_FILES

    @property
    def fits(self) -> bool:
        """Whether the batches are known to be so few that nothing fails, whatever they hold."""
        batches = volume_of(self.loader).batches
        return batches is not None and batches.high < self._bearable

    @property
    def _bearable(self) -> int:
        return _OPEN_FILES if self.small else _FEW

    @property
    def is_little(self) -> bool:
        """Whether it is little of each sample in an evaluation that is not known to be long."""
        return self.small and self.evaluates and volume_of(self.loader).batches is None


def retentions(context: AnalysisContext, *, possibly: bool = False) -> Iterator[Retention]:
    """Where a program keeps what workers have sent, or `possibly` have; each place once."""
    seen: set[Place] = set()
    for found in _found(context, possibly):
        if found.place not in seen:
            seen.add(found.place)
            yield found


def _found(context: AnalysisContext, possibly: bool) -> Iterator[Retention]:
    for loop in context[batch_loops]:
        loader = None if loop.is_single else _sender(context, loop.loaders, possibly)
        if loader is not None:
            if isinstance(loop.statement, Loop):
                yield from _appended(loop, loop.statement.body, loader)
                yield from _passed_on(loop, loader)
            else:
                yield from _comprehended(loop, loader)
    yield from _listed(context, possibly)


def _listed(context: AnalysisContext, possibly: bool) -> Iterator[Retention]:
    """`list(loader)`: all of its batches."""
    for call in calls_named(context, *_COLLECTING):
        given = [a.value for a in call.arguments]
        if len(given) == 1 and isinstance(given[0], _NAMED) and not _is_passing(call):
            values = context.values(given[0], call.scope)
            made = OrderedSet(m for v in values for m in iterated(context.solver, v))
            as_sent = all(_hands_on(context, value) for value in values)
            is_known = as_sent and len(made) == len(values) and not _is_cut(given[0])
            loader = _sender(context, made, possibly) if is_known else None
            if loader is not None:
                counts = _is_counted(context, call) and is_map_style(loader)
                counted = ex.spelled(given[0]) if counts else None
                yield Retention(loader, context.place_of(call), None, None, counted)


def _hands_on(context: AnalysisContext, value: Value) -> bool:
    """Whether iterating gives batches, or parts of them, as they came: no generator copies them."""
    cls = attributes.project_class(value)
    method = None if cls is None else context.solver.classes.method(cls, "__iter__")
    scope = value.scope if isinstance(value, Generated) else method
    loops = [loop for loop in context[batch_loops] if loop.scope is scope]
    given = [y.value for y in (() if scope is None else scope.yields) if y.value is not None]
    as_came = all(any(_is_sent(context, each, loop) for loop in loops) for each in given if loops)
    return as_came and not is_mapped(value)


def _is_cut(iterable: ex.Expression) -> bool:
    """Whether `islice` takes a number of batches."""
    parts = parts_gone_through(iterable)
    return any(isinstance(part, ex.Call) and part.name == "islice" for part in parts)


def _is_passing(call: ex.Call) -> bool:
    """Whether nothing keeps what a call makes: `print(list(loader))`."""
    return isinstance(call.statement, Evaluate)


def _is_counted(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether nothing is asked of what a call makes but its length."""
    return any(written(outer, 0) is call for outer in calls_named(context, "len"))


def _sender(
    context: AnalysisContext, made: Iterable[AllocationSite], possibly: bool
) -> Loader | None:
    """A loader whose workers send batches that nothing copies, where all of these are such."""
    loaders = [context[Loaders].of(one) for one in made]
    if possibly:
        sending = not all(x.workers_absent for x in loaders)
    else:
        sending = all(x.workers.positive is not None and x.is_unpinned for x in loaders)
        sending = sending and all(x.is_made and not x.is_for_debugging for x in loaders)
    return min(loaders, key=lambda x: x.place, default=None) if sending else None


def _appended(loop: BatchLoop, body: Block, loader: Loader) -> Iterator[Retention]:
    """`kept.append(x)`, `kept += [x]` for each batch, where nothing ends the loop early."""
    context = loop.context
    statements = () if loop.stops_early else walk.statements(body)
    for kept, value, statement in ((*pair, s) for s in statements for pair in appended(s)):
        if _is_rare(statement, loop.statement):
            continue
        if _is_sent(context, value, loop) and _outlives(context, kept, statement, loop):
            joining = list(_given_first(context, kept, loop.scope))
            lasts = _lasts(kept, statement, loop)
            for one in _kept(loop, loader, value, joining):
                yield one._replace(small=one.small and not lasts)


def _passed_on(loop: BatchLoop, loader: Loader) -> Iterator[Retention]:
    """`self.record(target)`, which appends what it is given, for each batch."""
    evaluates = is_for_evaluation(loop)
    context = loop.context

    def viewed(value: ex.Expression) -> ex.Expression:
        return memory_view(context, value).part

    for given, value, scope in () if loop.stops_early else passed_on(loop, viewed):
        tensor = _is_sent(loop.context, given, loop) and _is_tensor(loader, given)
        if tensor:
            place, small = Place(scope.module.path, *value.span), is_small_part(given)
            yield Retention(loader, place, _text(value), None, small=small, evaluates=evaluates)


def _given_first(context: AnalysisContext, kept: ex.Expression, scope: Scope) -> Iterator[ex.Call]:
    """The calls that a list is given first, in a function and in those that hand it the list."""
    waiting, seen = [(kept, context.solver.root(scope), "")], set[tuple[Located, str]]()
    while waiting:
        listed, frame, part = waiting.pop()
        if ((listed, frame), part) in seen:
            continue
        seen.add(((listed, frame), part))
        name = ex.spelled(listed)
        if name is not None:
            yield from (c for c in frame.scope.calls if ex.spelled(written(c, 0)) == name + part)
        holder = _root(listed)
        origin, whole = next(alternatives_of(holder)), ex.spelled(holder)
        if isinstance(origin, ex.Parameter) and name is not None and whole is not None:
            part = name.removeprefix(whole) + part
            waiting += [(given, each, part) for given, each in given_to(context, origin, frame)]


def _is_rare(statement: Statement, loop: Statement) -> bool:
    """Whether a test inside the loop decides over a statement."""
    return any(test.span[0] > loop.span[0] for test, _ in walk.tests(statement))


def _is_sent(context: AnalysisContext, value: ex.Expression, loop: BatchLoop) -> bool:
    """Whether a value is a part of the loop's batches, or a view of one, and no new tensor."""
    part = memory_view(context, value).part
    if not isinstance(part, _PLAIN):
        return False
    values = context.values(part, loop.scope)
    if not values or not all(isinstance(v, Batch) and v.loader in loop.loaders for v in values):
        return False
    as_came = all(isinstance(v, Batch) and not v.fresh and not v.moved for v in values)
    return as_came or (_is_whole(part, loop) and _gives_views(context, loop))


def _gives_views(context: AnalysisContext, loop: BatchLoop) -> bool:
    """Whether a loop goes through generators that yield views of what a loader has sent them.

    Of generators that go through generators themselves nothing is known.
    """
    begun = context.values(loop.iterable, loop.scope)
    return bool(begun) and all(
        isinstance(value, Generated) and _yields_views(context, value.scope) for value in begun
    )


def _yields_views(context: AnalysisContext, scope: Scope) -> bool:
    """Whether each value that a generator yields is a view of a batch that its loop is given."""
    own = (loop for loop in context[batch_loops] if loop.scope is scope)
    loops = [loop for loop in own if not loop.stops_early]
    for each in scope.yields:
        part = None if each.value is None else memory_view(context, each.value).part
        if part is None or each.delegates or not isinstance(part, _PLAIN):
            return False
        values = context.values(part, scope)
        sent = all(isinstance(v, Batch) and not v.fresh and not v.moved for v in values)
        if not values or not sent or not any(_is_whole(part, loop) for loop in loops):
            return False
    return bool(scope.yields)


def _outlives(
    context: AnalysisContext, kept: ex.Expression, statement: Statement, loop: BatchLoop
) -> bool:
    """Whether a list is made before the loop, and not emptied in it."""
    assert isinstance(loop.statement, Loop)
    span = _begun(kept, statement)
    return (
        (span is None or not _is_within(span, loop.statement.span))
        and is_list(context, kept, loop.scope)
        and not is_emptied(kept, statement, loop.statement.body)
    )


def _begun(kept: ex.Expression, statement: Statement) -> tuple[int, int] | None:
    """Where what holds a list is made, in the function; None where it is not."""
    root = _root(kept)
    made = root.definition if isinstance(root, ex.Reference) else None
    begun = next(alternatives_of(root)) if isinstance(statement, Bind) else None
    return begun.span if begun is not None else made.span if made is not None else None


def _root(kept: ex.Expression) -> ex.Expression:
    """What a list is an item or attribute of, or the list itself."""
    while isinstance(kept := holder_of(kept), ex.Attribute):
        kept = kept.value
    return kept


def _lasts(kept: ex.Expression, statement: Statement, loop: BatchLoop) -> bool:
    """Whether one pass after the other adds to a list: an attribute's, or one of before epochs."""
    span = _begun(kept, statement)
    if isinstance(kept, ex.Attribute):
        renewed = (store.target for store in loop.scope.stores)
        return not any(isinstance(r, ex.Attribute) and r.name == kept.name for r in renewed)
    outer = loop.outer_loops
    return span is None or any(not _is_within(span, each.span) for each in outer)


def _is_within(span: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


def _is_whole(value: ex.Expression, loop: BatchLoop) -> bool:
    """Whether a name is the loop's own: `for batch in loader`, also with `enumerate`."""
    made = value.definition.value if isinstance(value, ex.Reference) and value.definition else None
    if isinstance(made, ex.Item) and made.position == 1 and isinstance(made.value, ex.Element):
        iterable = made.value.source
        counted = isinstance(iterable, ex.Call) and iterable.name == "enumerate"
        return counted and made.value.iterable is loop.iterable
    return isinstance(made, ex.Element) and made.iterable is loop.iterable


def _kept(
    loop: BatchLoop, loader: Loader, value: ex.Expression, joining: list[ex.Call]
) -> Iterator[Retention]:
    """A value in a list that these calls are given first; a part counts where it is a tensor."""
    paths = {path for call in joining for path in library_callees(loop.context, call)}
    joined = paths & (JOINERS | JOINING)
    part, is_array, is_view = memory_view(loop.context, value)
    is_tensor = bool(joined & JOINERS) or is_view or _is_tensor(loader, part)
    if (part is not value and not is_tensor) or (_is_text(loader, value) and not is_view):
        return
    if joined or is_tensor or _is_whole(value, loop):
        place = Place(loop.scope.module.path, *value.span)
        text = _text(value) if joined or is_tensor else None
        copy = ".copy()" if is_array else ".clone()"
        copied = f"{text}{copy}" if text and is_tensor else None
        small = not _is_whole(part, loop) and is_small_part(part)
        yield Retention(loader, place, text, copied, small=small, evaluates=is_for_evaluation(loop))


def _is_tensor(loader: Loader, value: ex.Expression) -> bool:
    """Whether a part of a batch is a tensor, by what the data set gives."""
    key = part_of(value)
    return key is not None and is_tensor_part(loader, key)


def _is_text(loader: Loader, value: ex.Expression) -> bool:
    """Whether a part of a batch is a list of texts, by what the data set gives."""
    key = part_of(value)
    return key is not None and is_text_part(loader, key)


def _text(value: ex.Expression) -> str | None:
    """The text of a plain part, and of views of it that take no arguments but the part."""
    before, after = list[str](), list[str]()
    inner: ex.Expression = value
    while isinstance(inner, ex.Call):
        given = positional(inner)
        callee = ex.spelled(inner.function)
        if not inner.arguments and isinstance(inner.function, ex.Attribute):
            after.append(f".{inner.name}()")
            inner = inner.function.value
        elif len(given) == len(inner.arguments) == 1 and callee is not None:
            before.append(f"{callee}(")
            after.append(")")
            inner = given[0]
        else:
            return None
    text = ex.spelled(inner)
    return None if text is None else "".join([*before, text, *reversed(after)])


def _comprehended(loop: BatchLoop, loader: Loader) -> Iterator[Retention]:
    """`[y for x, y in loader]`: all of them are alive at its end."""
    context = loop.context
    for expression in () if loop.stops_early else walk.expressions(loop.statement):
        for part in walk.walk(expression):
            if (
                isinstance(part, ex.Comprehension)
                and part.kind == "list"
                and not part.conditions
                and part.iterables == (loop.iterable,)
                and _is_sent(context, part.element, loop)
            ):
                given = ((call, written(call, 0)) for call in loop.scope.calls)
                joining = [
                    c for c, first in given if first is not None and origin_of(first) is part
                ]
                yield from _kept(loop, loader, part.element, joining)
