"""Outputs of an evaluation that are kept under what their own samples carry.

Question: does a loop keep or write its outputs under a key or a file name that comes with the
batch, so that they are matched with their samples in whatever order these come? Followed: parts of
the batch by local names, inner loops and methods, in the function of the loop; parts that the loop
hands to functions of the project, and to methods of its own class. Counts that are added up under a
part of the batch (`right[label] += 1`) are no outputs. Given up on: keys that models and other
objects use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Located, given_to
from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.repetition import unpacked_from
from dlint.analyses.value_parts import parts_in_function
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts.readers import FILE_WRITERS
from dlint.model.loops.batch_loops import calls_in

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block, Scope, Store
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.semantics.calls.call_contexts import CallContext

_KEEPING = frozenset({"dict", "update"})
_CONVERTING = frozenset({"int", "str", "list", "tuple"})
_JOINING = frozenset({"join", "Path", "joinpath"})


def keeps_by_own_keys(loader: Loader) -> bool:
    """Whether every loop over a loader keeps outputs by what the batch says of its samples."""
    return bool(loader.loops) and all(_Keys(loop).are_own for loop in loader.loops)


class _Keys:
    """By what a loop keeps its outputs."""

    def __init__(self, loop: BatchLoop) -> None:
        statement = loop.statement
        self._loop = loop
        bound = statement.definitions if isinstance(statement, Loop) else ()
        self._batch = frozenset(d for d in bound if not _is_number(d.value))

    @property
    def are_own(self) -> bool:
        """Whether something is kept, or written, under a part of the batch."""
        loop = self._loop
        if loop.body is None:
            return False
        start, end = loop.statement.span
        stores = [s for s in loop.scope.stores if start <= s.span[0] and s.span[1] <= end]
        if self._keeps(loop.scope, loop.body, stores):
            return True
        entered = entered_by(loop.context, calls_in(loop.body), self._helpers)
        return any(self._keeps(scope, scope.body, scope.stores) for scope in entered)

    def _helpers(self, context: AnalysisContext, call: ex.Call) -> list[Scope]:
        """The functions that a call enters, and the methods of the class that the loop is in."""
        own = (None, self._loop.scope.owner)
        return [scope for scope in callees_of(context, call) if scope.owner in own]

    def _keeps(self, scope: Scope, body: Block, stores: Iterable[Store]) -> bool:
        """Whether some code keeps or writes something under a part of the batch."""
        frame = self._loop.context.solver.root(scope)
        return any(self._is_own(key, frame) for key in (*_indices(body, stores), *_written(body)))

    def _is_own(self, expression: ex.Expression, frame: CallContext) -> bool:
        """Whether an expression is a part of the batch as the loader gave it."""
        waiting, seen = [(expression, frame)], set[Located]()
        while waiting:
            located = part, where = waiting.pop()
            if located in seen:
                continue
            seen.add(located)
            if isinstance(part, ex.Reference) and part.definition in self._batch:
                return True
            if isinstance(part, ex.Parameter):
                waiting += given_to(self._loop.context, part, where)
            elif (behind := _behind(part)) is not None:
                waiting.append((behind, where))
        return False


def _indices(body: Block, stores: Iterable[Store]) -> Iterator[ex.Expression]:
    """The keys under which some code keeps something new."""
    for store in stores:
        if isinstance(store.target, ex.Subscript) and not _adds(store.value):
            yield store.target.index
    for part in walk.parts(body):
        if isinstance(part, ex.Mapping):
            yield from (key for key, _ in part.items if key is not None)
        elif isinstance(part, ex.Call) and part.name in _KEEPING:
            yield from _zipped_keys(part)


def _written(body: Block) -> Iterator[ex.Expression]:
    """What some code puts into the names of the files that it writes."""
    for call in calls_in(body):
        for argument in call.arguments if call.name in FILE_WRITERS else ():
            yield from _in_texts(argument.value)


def _adds(value: ex.Expression) -> bool:
    """Whether a value is added to what stood there."""
    return isinstance(value, ex.Binary) and isinstance(value.left, ex.Subscript)


def _zipped_keys(call: ex.Call) -> Iterator[ex.Expression]:
    """The keys of `dict(zip(keys, values))`."""
    for argument in call.arguments:
        pairs = argument.value
        if isinstance(pairs, ex.Call) and pairs.name == "zip":
            yield from positional(pairs)[:1]


def _behind(part: ex.Expression) -> ex.Expression | None:
    """What something is a part of, or another form of; None where that is not known."""
    match part:
        case ex.Reference():
            return None if part.definition is None else part.definition.value
        case ex.Attribute() | ex.Subscript():
            return part.value
        case ex.Element():
            return part.iterable
        case ex.Item():
            return unpacked_from(part)
        case ex.Call():
            return _converted(part)
    return None


def _is_number(value: ex.Expression) -> bool:
    """Whether a loop variable is the number of the round."""
    return isinstance(value, ex.Item) and unpacked_from(value) is None


def _converted(call: ex.Call) -> ex.Expression | None:
    """What a call converts: the receiver of a method, or the only argument of `int` or `str`."""
    if isinstance(call.function, ex.Attribute):
        return call.function.value
    given = positional(call)
    return given[0] if call.name in _CONVERTING and len(given) == 1 else None


def _in_texts(argument: ex.Expression) -> Iterator[ex.Expression]:
    """The parts of what an argument puts into a text: `out + name`, `f"{name}.png"`."""
    for part in parts_in_function(argument):
        match part:
            case ex.Format():
                yield from walk.children(part)
            case ex.Binary() if part.operator in {"+", "/", "%"}:
                yield from (part.left, part.right)
            case ex.Call() if part.name in _JOINING:
                yield from (given.value for given in part.arguments)
