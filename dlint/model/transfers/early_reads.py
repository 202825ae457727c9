"""Results that the host reads before they have come from the GPU.

Question: which copies to the CPU with `non_blocking=True` does the host read at once, in the same
statement, right behind it, or where a function returns the copy? Followed are views of the copy.
Silent where anything between may wait for the GPU, and where what is copied is said to be on the
host already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile, islice
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.calls import calls_anywhere
from dlint.analyses.control.completions import is_dead
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Return, Statement
from dlint.library_facts import tensors
from dlint.model.data import sharding
from dlint.model.loading.written import keyword_place
from dlint.model.transfers import transfers
from dlint.model.transfers.devices import Device, devices
from dlint.semantics.values.values import TRUE, Batch

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_ON_HOST = lazily(r"(^|_)cpu($|_)", re.I)
"""Names of values that are on the host."""

_DEPTH = 8


class EarlyRead(NamedTuple):
    """A copy to the host that may still run when its result is read."""

    copy: Place
    flag: Place | None
    """Where the copy is told not to wait, if by its keyword."""
    read: Place
    reader: str | None
    """The last name of what reads it: `numpy`."""


def early_reads(context: AnalysisContext) -> Iterator[EarlyRead]:
    """Copies to the CPU with `non_blocking=True` of which the host reads the result at once."""
    for call in calls_anywhere(context, "to"):
        if _is_to_host(context, call) and not is_dead(call.statement):
            read = _read_at_once(context, call)
            if read is None and isinstance(call.statement, Return) and call.statement.value is call:
                callers = callers_of(context, call.scope)
                read = next(filter(None, (_read_at_once(context, c) for c in callers)), None)
            if read is not None:
                place, flag = context.place_of(call), keyword_place(call, "non_blocking")
                yield EarlyRead(place, flag, context.place_of(read), read.name)


def _read_at_once(context: AnalysisContext, call: ex.Call) -> ex.Call | None:
    """What reads the result of a call, in its statement or behind it."""
    return _read(call.statement, call) or _later(context, call)


def _is_to_host(context: AnalysisContext, call: ex.Call) -> bool:
    """`x.to("cpu", non_blocking=True)`, where x may be on the GPU."""
    device, flag = transfers.of_to(call)
    if device is None or flag is None or not isinstance(call.function, ex.Attribute):
        return False
    if devices(context, device, call.scope) != {Device.CPU}:
        return False
    if context.values(flag, call.scope) != {TRUE}:
        return False
    root = context.solver.root(call.scope)
    if sharding.speaks_of(context, call.function.value, root, _ON_HOST, _DEPTH):
        return False  # what it is made of is said to be there already
    found = context.values(call.function.value, call.scope)
    return not any(isinstance(value, Batch) and not value.moved for value in found)


def _read(statement: Statement, source: ex.Expression) -> ex.Call | None:
    """The call in a statement that reads `source`: through views, by a method or a function."""
    for expression in walk.expressions(statement):
        for part in walk.walk(expression):
            if isinstance(part, ex.Call) and _reads(part, source):
                return part
    return None


def _reads(call: ex.Call, source: ex.Expression) -> bool:
    callee = call.function
    if isinstance(callee, ex.Attribute) and callee.name in tensors.HOST_OPERATIONS:
        return _is_view_of(callee.value, source)
    if call.name in tensors.HOST_FUNCTIONS:
        given = written(call, 0)
        return given is not None and _is_view_of(given, source)
    return False


def _is_view_of(expression: ex.Expression, source: ex.Expression) -> bool:
    """Whether an expression is the very tensor, or shares its memory."""
    while expression is not source:
        if isinstance(source, ex.Reference) and isinstance(expression, ex.Reference):
            return expression.definition is source.definition
        if isinstance(expression, ex.Subscript):
            expression = expression.value
        elif (
            isinstance(expression, ex.Call)
            and isinstance(expression.function, ex.Attribute)
            and expression.function.name in tensors.VIEWS
        ):
            expression = expression.function.value
        else:
            return False
    return True


def _later(context: AnalysisContext, call: ex.Call) -> ex.Call | None:
    """The statement behind the copy that reads it, with nothing between that could wait."""
    statement, name = call.statement, _only_name(call)
    if name is None:
        return None
    source = ex.Reference(name.span, name.name, name)
    following = dropwhile(lambda s: s is not statement, statement.block.statements)
    for current in islice(following, 1, None):
        calls = _calls(current)
        others = [c for c in calls if not _reads(c, source)]
        if walk.blocks(current) or any(_waits(context, c) for c in others):
            return None
        read = _read(current, source)
        if read is not None:
            return read
        if not all(_is_to_host(context, c) or c.name in tensors.QUEUED for c in calls):
            return None
    return None


def _only_name(call: ex.Call) -> ex.Definition | None:
    """The one name that a statement binds to what a call returns."""
    statement = call.statement
    if not isinstance(statement, Bind) or statement.value is not call:
        return None
    return statement.definitions[0] if len(statement.definitions) == 1 else None


def _calls(statement: Statement) -> list[ex.Call]:
    parts = (part for e in walk.expressions(statement) for part in walk.walk(e))
    return [part for part in parts if isinstance(part, ex.Call)]


def _waits(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call may wait for the GPU; one on a tensor that has left the GPU does not."""
    if call.name not in tensors.WAITS:
        return False
    source = call.function.value if isinstance(call.function, ex.Attribute) else None
    while isinstance(source, ex.Subscript):
        source = source.value
    made = source.definition if isinstance(source, ex.Reference) else None
    copy = made.value if made is not None else source
    return not (isinstance(copy, ex.Call) and copy.name == "to" and _is_to_host(context, copy))
