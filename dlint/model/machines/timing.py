"""Programs that time their own copies: comparing settings is what they are for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.calls import is_call_to
from dlint.analyses.control.call_paths import leading_to
from dlint.analyses.control.order import following
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, If, Loop, ModuleIndex, Scope, Statement, With
from dlint.ir.remembering import remembered
from dlint.library_facts.readers import MUTATORS
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.given_loaders import LoadersGiven

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.transfers.transfers import Transfer

_READING = frozenset({"perf_counter", "time", "monotonic", "default_timer", "perf_counter_ns"})
_CLOCKS = _READING | {"elapsed_time", "timeit", "blocked_autorange"}
_PERSON = (
    "cv2.waitKey",
    "matplotlib.pyplot.show",
    "builtins.input",
    "builtins.breakpoint",
    "pdb.set_trace",
)
_SAME_BATCHES = ("num_workers", "prefetch_factor", "pin_memory", "persistent_workers")
"""Settings that change nothing of the batches."""
_SETTINGS = (*_SAME_BATCHES, "batch_size")
_BENCHMARK = lazily(r"(?:^|[/_])bench(?:mark)?s?[/_.]")


def measures(transfer: Transfer) -> bool:
    """Whether the program waits for the copy at once, compares it with another, or is a benchmark
    by the name of its file and by its clock."""
    if _is_waited_for(transfer) or _is_between_waits(transfer) or compares_copies(transfer):
        return True
    loaders = (transfer.context[Loaders].of(batch.loader) for batch in transfer.batches)
    return is_benchmark(transfer.call.scope.module) or any(map(compares_settings, loaders))


def is_benchmark(module: ModuleIndex) -> bool:
    """Whether a module is a benchmark by the name of its file, or of its folder, and by a clock."""
    return _BENCHMARK.search(module.path) is not None and any(map(keeps_time, module.scopes))


def is_timed_benchmark(loop: BatchLoop) -> bool:
    """Whether a loop is measured in a benchmark: its rounds, or it as a whole.

    A clock that is read farther out in its function tells how long a whole run took.
    """
    if not is_benchmark(loop.scope.module):
        return False
    beside = calls_in(loop.statement.block)
    return not keeps_time(loop.scope) or any(call.name in _CLOCKS for call in beside)


def is_in_benchmark(loader: Loader) -> bool:
    """Whether a loader is made in a benchmark."""
    return is_benchmark(loader.call.scope.module)


def waits_for_person(loops: Iterable[BatchLoop]) -> bool:
    """Whether each loop waits, for every batch, until somebody presses a key or closes a window."""
    every = list(loops)
    return bool(every) and all(
        loop.body is not None
        and any(_asks_person(loop.context, statement) for statement in loop.body.statements)
        for loop in every
    )


def _asks_person(context: AnalysisContext, statement: Statement) -> bool:
    if isinstance(statement, With):
        return any(_asks_person(context, inner) for inner in statement.body.statements)
    expressions = () if any(walk.blocks(statement)) else walk.expressions(statement)
    return any(
        isinstance(part, ex.Call) and is_call_to(context, part, _PERSON)
        for expression in expressions
        for part in walk.walk(expression)
    )


def _is_waited_for(transfer: Transfer) -> bool:
    """Whether `synchronize()` or `start = time.time()` comes next.

    Behind other copies and what only keeps them: the copy is not to be part of what is timed.
    """
    copied = {other.call.statement for other in transfer.context[Loaders].transfers}
    for current in _next_in_line(transfer):
        if _synchronizes(transfer.context, current):
            return True
        if _starts_clock(current):
            return True
        if current not in copied and _calls(current):
            return False
    return False


def _next_in_line(transfer: Transfer) -> Iterator[Statement]:
    """What comes behind a copy, behind the one call of the function that makes it, and so on."""
    call, seen = transfer.call, {transfer.call.scope}
    yield from following(call.statement)
    while len(callers := callers_of(transfer.context, call.scope)) == 1:
        (call,) = callers
        if call.scope in seen:
            return
        seen.add(call.scope)
        yield from following(call.statement)


def _is_between_waits(transfer: Transfer) -> bool:
    """Whether the GPU is waited for before and behind the copy, in the same block: each turn."""
    statement = transfer.call.statement
    statements = statement.block.statements
    at = statements.index(statement)
    return all(
        any(_waits(transfer.context, each) for each in part)
        for part in (statements[:at], statements[at + 1 :])
    )


def _waits(context: AnalysisContext, statement: Statement) -> bool:
    """Whether a statement waits for the GPU, maybe if a test holds."""
    inner = statement.then.statements if isinstance(statement, If) else [statement]
    return any(_synchronizes(context, each) for each in inner)


def _synchronizes(context: AnalysisContext, statement: Statement) -> bool:
    """Whether a statement waits for the GPU, maybe by a function that returns the time then."""
    value = statement.value if isinstance(statement, Bind | Evaluate) else None
    if not isinstance(value, ex.Call):
        return False
    callees = () if value.name == "synchronize" else callees_of(context, value)
    return value.name == "synchronize" or any(
        walk.calls_in(scope, "synchronize") for scope in callees
    )


def _starts_clock(statement: Statement) -> bool:
    """Whether a statement keeps the time, maybe if a test holds."""
    if isinstance(statement, If) and statement.then.statements:
        statement = statement.then.statements[0]
    value = statement.value if isinstance(statement, Bind) else None
    return isinstance(value, ex.Call) and value.name in _READING and not value.arguments


def _calls(statement: Statement) -> bool:
    parts = (p for e in walk.expressions(statement) for p in walk.walk(e))
    calls = (part for part in parts if isinstance(part, ex.Call))
    return any(walk.blocks(statement)) or any(call.name not in MUTATORS for call in calls)


def compares_copies(transfer: Transfer) -> bool:
    """Whether the function times a blocking and an asynchronous copy of the same batches."""
    if not keeps_time(transfer.call.scope):
        return False
    loaders = {batch.loader for batch in transfer.batches}
    return any(
        other.call.scope is transfer.call.scope
        and _loop(other) is not _loop(transfer)
        and other.is_blocking != transfer.is_blocking
        and loaders & {batch.loader for batch in other.batches}
        for other in transfer.context[Loaders].transfers
    )


def compares_pinning(loader: Loader) -> bool:
    """Whether another loader of the same data, pinned, is timed beside this one.

    Or, in a benchmark by the name of its file, or of other settings, whether anything is timed.
    """
    if is_in_benchmark(loader) or compares_settings(loader):
        return True
    loops = dict.fromkeys(loop.scope for loop in loader.loops)
    timing = (is_timed(loader, scope) for scope in loops)
    if not (keeps_time(loader.call.scope) or any(timing)):
        return False
    return any(other.is_pinned for other in _beside(loader))


def _beside(loader: Loader) -> Iterator[Loader]:
    """The loaders of the same data that the same function makes."""
    data = _data(loader)
    return (
        other
        for group in loader.context[Loaders].by_call().values()
        for other in group
        if data is not None and other.call.scope is loader.call.scope and _data(other) is data
    )


def is_timed(loader: Loader, scope: Scope) -> bool:
    """Whether a function that goes over a loader reads a clock, or one that hands it the loader."""
    given = loader.context[LoadersGiven]
    leading = leading_to(loader.context, scope)
    around = (call.scope for call in leading if loader.made in given.to(call))
    return keeps_time(scope) or any(map(keeps_time, around))


def compares_settings(loader: Loader) -> bool:
    """Whether a function times loaders that differ in what a loop gives them: `num_workers=n`.

    The loop may stand around the calls of that function. Or they are written one by one, of the
    same data, and nothing is trained with them.
    """
    if not keeps_time(loader.call.scope):
        return False
    if not loader.trains and any(_differs(loader, other) for other in _beside(loader)):
        return True
    given = [value for name in _SETTINGS if (value := loader.written(name)) is not None]
    if any(_is_tried(value, loader.call) for value in given):
        return True
    parameters = [p for v in given if isinstance(p := ex.unnamed(v), ex.Parameter)]
    names = [parameter.name for parameter in parameters]
    frames = loader.context.evaluator.callers(loader.call.scope) if names else []
    handed = ((frame.call, frame.given(name)) for frame in frames for name in names)
    return any(call and value and _is_tried(value[0], call) for call, value in handed)


def _differs(loader: Loader, other: Loader) -> bool:
    """Whether two loaders give the same batches, by constants that differ."""
    if other.trains or not (loader.is_iterated and other.is_iterated):
        return False
    pairs = ((loader.written(name), other.written(name)) for name in _SAME_BATCHES)
    return any(_differ(one, two) for one, two in pairs)


def _differ(one: ex.Expression | None, other: ex.Expression | None) -> bool:
    constants = ex.constant(one), ex.constant(other)
    if any(given and not known for given, known in zip((one, other), constants, strict=True)):
        return False
    values = [None if constant is None else constant.value for constant in constants]
    return values[0] != values[1]


def _is_tried(value: ex.Expression, call: ex.Call) -> bool:
    """Whether a value is the variable of a loop around a call."""
    tried = {d for loop in walk.enclosing_loops(call.statement) for d in loop.definitions}
    return isinstance(value, ex.Reference) and value.definition in tried


def _loop(transfer: Transfer) -> Loop | None:
    return next(walk.enclosing_loops(transfer.call.statement), None)


def _data(loader: Loader) -> ex.Definition | None:
    """The definition behind the name that a loader is given as its dataset."""
    given = loader.written("dataset")
    return given.definition if isinstance(given, ex.Reference) else None


@remembered(4096)
def keeps_time(scope: Scope) -> bool:
    """Whether a function reads a clock."""
    return bool(walk.calls_in(scope, *sorted(_CLOCKS)))
