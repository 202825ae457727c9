"""Iterable datasets: what they run through, and whether workers take parts of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.callees import is_self
from dlint.analyses.calls import calls_anywhere, is_method, library_callees
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.repetition import contains
from dlint.analyses.written_arguments import positional, written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Loop, Scope
from dlint.library_facts import streams as known
from dlint.model.data.read_loops import read_out
from dlint.model.data.sharding import draws_alike, shards_are_files
from dlint.model.data.stream_loops import draws, loops_around, reads_target, uses_target
from dlint.model.data.stream_words import names_ranks, splits, varies
from dlint.model.workers.worker_code import parts_of
from dlint.semantics.calls import attributes
from dlint.semantics.calls.call_contexts import CallArguments
from dlint.semantics.calls.calls import takes_receiver
from dlint.semantics.values.values import UNKNOWN, Container, Instance

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.datasets import DatasetClass

_DEPTH = 4
_CHAIN = 24


class StreamClass(NamedTuple):
    """The name of a class, and its header."""

    name: str
    place: Place


class Stream:
    """An iterable dataset, as objects of exactly one class of the project are."""

    def __init__(self, context: AnalysisContext, cls: Class) -> None:
        self._context = context
        self.cls = cls
        self._entering: dict[Scope, list[ex.Call]] = {}
        self._open: set[ex.Definition] = set()

    @cached_property
    def iterator(self) -> Scope | None:
        """Its `__iter__`, where the project defines it."""
        return self._context.solver.classes.method(self.cls, "__iter__")

    @cached_property
    def owner(self) -> Class | None:
        """The class that defines its `__iter__`."""
        return None if self.iterator is None else self.iterator.owner

    @property
    def definition(self) -> StreamClass | None:
        """The class that defines its `__iter__`, as a finding names it."""
        if self.owner is None:
            return None
        return StreamClass(self.owner.name, Place(self.owner.body.module.path, *self.owner.header))

    @cached_property
    def is_split(self) -> bool:
        """Whether something in its code may give each worker a part of its own."""
        return any(splits(scope) for scope in self._code())

    @cached_property
    def is_split_by_worker_only(self) -> bool:
        """Whether its code asks for the worker, names no rank, and draws no samples at random.

        What generators of its own draw, with seeds that are handed in, is the same in all ranks.
        """
        code = list(self._code())
        calls = [call for scope in code for call in scope.calls]
        if not any(call.name == "get_worker_info" for call in calls):
            return False
        drawing = [call for call in calls if call.name in known.DRAWING]
        if not all(map(draws_alike, drawing)) or (drawing and any(map(varies, code))):
            return False
        files = shards_are_files(self._context, self.cls)
        return not any(names_ranks(scope, files=files) for scope in code)

    @cached_property
    def unapplied_filter(self) -> ex.Call | None:
        """A `sharding_filter()` of a pipe that its `__iter__` makes, and that nobody tells a part.

        A loader calls `apply_sharding` where its data set is a DataPipe, and looks into no other
        (torch/utils/data/dataloader.py, `_sharding_worker_init_fn`); until then such a filter is
        one of one and keeps all (torch/utils/data/datapipes/iter/grouping.py).
        """
        if self.iterator is None or self.is_split:
            return None
        if any(True for _ in calls_anywhere(self._context, known.APPLYING)):
            return None
        entered = entered_by(self._context, self.iterator.calls)
        calls = (call for scope in (self.iterator, *entered) for call in scope.calls)
        return next((c for c in calls if c.name == known.FILTERING and not c.arguments), None)

    def _code(self) -> Iterator[Scope]:
        """The methods of the class, and the functions that they call."""
        seen: set[Scope] = set()
        front = [m for c in self._lineage for m in c.methods.values()]
        for _ in range(_DEPTH):
            front = [scope for scope in dict.fromkeys(front) if scope not in seen]
            seen.update(front)
            yield from front
            front = [s for scope in front for s in self._next(scope)]

    def _next(self, scope: Scope) -> Iterator[Scope]:
        yield from walk.inner_scopes(scope)
        for call in scope.calls:
            yield from callees_of(self._context, call)

    @property
    def _lineage(self) -> tuple[Class, ...]:
        return self._context.solver.classes.ancestors(self.cls)

    # -- what it runs through

    def _enters_all(self, call: ex.Call, callee: Scope, depth: int) -> bool:
        self._entering.setdefault(callee, []).append(call)
        found = self._gives_all(callee, depth)
        self._entering[callee].pop()
        return found

    @cached_property
    def is_repeated(self) -> bool:
        """Whether all that it yields is proven to be the same in every process."""
        return self.iterator is not None and self._gives_all(self.iterator, _DEPTH)

    def _gives_all(self, scope: Scope, depth: int) -> bool:
        """Whether each result of a function runs through something in full."""
        if depth == 0 or scope.is_async:
            return False
        if scope.yields:
            # what remains of a buffer comes after the loops, and shows nothing by itself
            looped = [y for y in scope.yields if y.delegates or loops_around(scope, y)]
            return bool(looped) and all(self._yields_all(scope, one, depth) for one in looped)
        returned = [r for r in scope.returns if not isinstance(r, ex.Constant)]
        return bool(returned) and all(self._is_all(r, scope, depth, _CHAIN) for r in returned)

    def _yields_all(self, scope: Scope, produced: ex.Yield, depth: int) -> bool:
        given = produced.value if produced.delegates else None
        if given is not None and not self._is_all(given, scope, depth, _CHAIN):
            return False
        around = loops_around(scope, produced)
        outer = [loop.span for loop in around if loop.iterable is not None]
        return all(
            any(span != loop.span and contains(span, loop.span) for span in outer)
            or self._reads_out(loop, scope, depth)
            if loop.iterable is None
            else self._runs_through(loop, scope, depth)
            for loop in around
        )

    def _runs_through(self, loop: Loop, scope: Scope, depth: int) -> bool:
        """Whether a loop takes every element of something, and uses it."""
        if loop.iterable is None or not uses_target(loop) or draws(loop):
            return False
        if self._is_all(loop.iterable, scope, depth, _CHAIN):
            return True
        return _is_handed(loop.source) and reads_target(self._context, loop)

    def _reads_out(self, loop: Loop, scope: Scope, depth: int) -> bool:
        """Whether a `while` reads something to its end that is the same in every process."""
        found = read_out(loop, scope)
        return bool(found) and all(self._is_all(x, scope, depth, _CHAIN) for x in found)

    def _is_all(self, e: ex.Expression, scope: Scope, depth: int, chain: int) -> bool:
        """Whether an iterable has the same elements in every process."""
        if chain == 0:
            return False
        match e:
            case ex.Reference() if e.definition is not None:
                return self._is_bound(e.definition, depth, chain)
            case ex.Parameter():
                return self._is_known(e, scope) or self._is_given(e, scope, depth, chain)
            case ex.Reference():
                return self._is_known(e, scope)
            case ex.Sequence() | ex.Mapping():
                return True
            case ex.Attribute() if is_self(e.value, scope):
                return self._is_kept(e, scope, depth, chain)
            case ex.Call():
                return self._is_call(e, scope, depth, chain)
        parts = self._made_of(e, scope)
        return bool(parts) and all(self._is_all(x, scope, depth, chain - 1) for x in parts)

    def _is_bound(self, bound: ex.Definition, depth: int, chain: int) -> bool:
        """The same of a name; what becomes of itself in a loop adds nothing: `x = stage(x)`."""
        if bound in self._open:
            return True
        self._open.add(bound)
        found = self._is_all(bound.value, bound.scope, depth, chain)
        self._open.discard(bound)
        return found

    def _is_given(self, e: ex.Parameter, scope: Scope, depth: int, chain: int) -> bool:
        """The same of what the calls hand over by which a function was come to."""
        solver, found = self._context.solver, list[bool]()
        made = Instance(self.cls) if takes_receiver(scope) else None
        for call in self._entering.get(scope, ()):
            caller = solver.root(call.scope)
            passed = CallArguments.of(call.arguments, caller)
            given = solver.frames.enter(scope, call, passed, caller, None, made).given(e.name)
            found.append(given is not None and self._is_all(given[0], given[1].scope, depth, chain))
        return bool(found) and all(found)

    def _made_of(self, e: ex.Expression, scope: Scope) -> Sequence[ex.Expression]:
        """What an expression has all its elements of, where it has all of theirs."""
        match e:
            case ex.Conditional():
                return e.then, e.otherwise
            case ex.Join():
                return e.alternatives
            case ex.Comprehension():
                return e.iterables
            case ex.Element():
                return (e.iterable,)
            case ex.Entered() | ex.Item():
                return (e.value,)
            case ex.Subscript() if _is_shared(e.index) or self._names_columns(e.index, scope):
                return (e.value,)
            case ex.Attribute() if e.name in known.SAME_ATTRIBUTES:
                return (e.value,)
        return ()

    def _is_known(self, e: ex.Expression, scope: Scope) -> bool:
        found = self._context.values(e, scope)
        return bool(found) and all(isinstance(value, Container) for value in found)

    def _names_columns(self, index: ex.Expression, scope: Scope) -> bool:
        """Whether an index is a list of constants, such as the columns of a table."""
        found = self._context.values(index, scope)
        return bool(found) and all(
            isinstance(value, Container)
            and isinstance(value.origin, ex.Sequence)
            and all(isinstance(item, ex.Constant) for item in value.origin.items)
            for value in found
        )

    def _is_kept(self, e: ex.Attribute, scope: Scope, depth: int, chain: int) -> bool:
        """An attribute of the object: by what is written to it, or as it is used."""
        if self._is_indexed(e.name) or self._is_known(e, scope):
            return True
        written = [
            store
            for store in self._context.project.writing(e.name)
            if attributes.written_on_self(store) in self._lineage
        ]
        values = [s for s in written if not isinstance(s.value, ex.Constant)]
        return bool(values) and all(
            self._is_all(s.value, s.scope, depth, chain - 1) for s in values
        )

    def _is_indexed(self, name: str) -> bool:
        """Whether the class takes elements of an attribute by number, or shuffles it in place."""
        for cls in self._lineage:
            for method in cls.methods.values():
                for part in parts_of(method):
                    if _is_element_of(part, name, method):
                        return True
        return False

    def _is_call(self, call: ex.Call, scope: Scope, depth: int, chain: int) -> bool:
        if any(a.star for a in call.arguments):
            return False
        values = positional(call)
        paths = [p for p in library_callees(self._context, call) if not is_method(p)]
        for path in paths:
            if path in known.WHOLE:
                return True
            parts = _handed_on(path, values)
            if parts:
                return all(self._is_all(part, scope, depth, chain - 1) for part in parts)
        if paths:
            return False
        callees = self._callees(call, scope)
        if callees:
            by_name = isinstance(call.function, ex.Reference)
            if by_name and UNKNOWN in self._context.values(call.function, scope):
                return False  # another function may split it
            return all(self._enters_all(call, callee, depth - 1) for callee in callees)
        if not isinstance(call.function, ex.Attribute):
            return False
        if call.name in known.SAME_METHODS or _takes_all_rows(call) or _is_of_element(call):
            return self._is_all(call.function.value, scope, depth, chain - 1)
        return call.name in known.WHOLE_METHODS

    def _callees(self, call: ex.Call, scope: Scope) -> Sequence[Scope]:
        """The functions that a call enters; of the methods of the object, that of its class."""
        callee = call.function
        if isinstance(callee, ex.Attribute) and is_self(callee.value, scope):
            own = self._context.solver.classes.method(self.cls, callee.name)
            if own is not None:
                return (own,)
        return tuple(callees_of(self._context, call))


def _is_of_element(call: ex.Call) -> bool:
    """`game.moves()` of each `game` of a loop: a method that is told nothing, and does not draw."""
    owner = call.function.value if isinstance(call.function, ex.Attribute) else None
    is_element = owner is not None and isinstance(ex.unnamed(owner), ex.Element)
    return is_element and not call.arguments and call.name not in known.DRAWING


def _takes_all_rows(call: ex.Call) -> bool:
    """`table.sample(frac=1)`: every row, in another order."""
    share = ex.constant(written(call, 1, "frac"))
    return call.name == known.SAMPLING and share is not None and share.value == 1


def _is_shared(index: ex.Expression) -> bool:
    """Whether a part of data, by a name or by bounds, is the same in every process."""
    if isinstance(index, ex.Slice):
        return index.bounds[2] is None
    return isinstance(index, ex.Constant)


def _handed_on(path: str, values: list[ex.Expression]) -> list[ex.Expression]:
    """The arguments that the result of a library callable runs through."""
    if path in known.ALL_OF:
        return values[:1]
    if path in known.EACH_OF:
        return values
    return values[1:] if path in known.APPLIED_TO else []


def _is_element_of(part: ex.Expression, name: str, method: Scope) -> bool:
    held: Iterable[ex.Expression] = ()
    if isinstance(part, ex.Subscript) and not isinstance(part.index, ex.Slice | ex.Constant):
        held = (part.value,)
    elif isinstance(part, ex.Call) and part.name in ("shuffle", "permutation"):
        first = written(part, 0, "x")
        held = () if first is None else (first,)
    return any(
        isinstance(e, ex.Attribute) and e.name == name and is_self(e.value, method) for e in held
    )


def _is_handed(source: ex.Expression | None) -> bool:
    """Whether what a loop goes over is made elsewhere, or in more than one way."""
    handed = ex.Attribute | ex.Reference | ex.Parameter | ex.Conditional | ex.Join
    return isinstance(source, handed)


def is_stream(context: AnalysisContext, cls: Class) -> bool:
    """Whether a class derives from torch's `IterableDataset`."""
    return any(path in known.BASES for path in context.solver.classes.externals(cls))


def stream_of(dataset: DatasetClass) -> Stream | None:
    """A data set, as a stream; None where it is none."""
    return Stream(dataset.context, dataset.cls) if is_stream(dataset.context, dataset.cls) else None
