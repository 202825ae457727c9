"""Results that the host reads before they have come from the GPU.

Question: which copies to the CPU with `non_blocking=True` does the host read at once, in the same
statement, right behind it, or where a function returns the copy? Of a function that copies to other
devices, too, the calls count that name the CPU, and of one that is handed on those that hand it
(`asked_copies`). Followed are views of the copy,
and the parts of a list or a dict that a comprehension makes of copies, also where a comprehension
or a loop goes through them. Silent where anything between may wait for the GPU, and where what is
copied is said to be on the host already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import dropwhile, islice
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.calls import calls_anywhere
from dlint.analyses.control.completions import is_dead
from dlint.analyses.value_parts import table_of
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.loop_parts import whole_of
from dlint.ir.module import Bind, Loop, Return, Statement
from dlint.library_facts import tensors
from dlint.model.data import sharding
from dlint.model.loading.written import keyword_place
from dlint.model.transfers import transfers
from dlint.model.transfers.asked_copies import asked_copies, mapped_copies
from dlint.model.transfers.devices import Device, devices
from dlint.semantics.values.values import TRUE, Batch

if TYPE_CHECKING:
    from dlint.analyses.backward import Located
    from dlint.analyses.context import AnalysisContext

_ON_HOST = lazily(r"(^|_)cpu($|_)", re.I)
"""Names of values that are on the host."""

_DEPTH = 8
_HELD = ("list", "dict")
_OF_TENSORS = frozenset({"numpy", "item", "tolist"})
_GOING_THROUGH = frozenset({"enumerate", "zip", "items", "keys", "values"})
"""Names of calls that only hand on, one by one, what they are given."""


class EarlyRead(NamedTuple):
    """A copy to the host that may still run when its result is read."""

    copy: Place
    flag: Place | None
    """Where the copy is told not to wait, if by its keyword."""
    read: Place
    reader: str | None
    """The last name of what reads it: `numpy`."""
    asked: Place | None = None
    """The call that has it copied to the CPU, where the function copies to other devices, too."""


class _Made(NamedTuple):
    """What a copy is read by: the tensor itself, or what holds copies, and each part of it."""

    source: ex.Expression
    has_parts: bool
    has_keys: bool = False
    """Whether what goes through it gets keys, not copies."""
    may_hold_others: bool = False
    """Whether parts may be no tensors, so that only methods that tensors have say they are."""


def early_reads(context: AnalysisContext) -> Iterator[EarlyRead]:
    """Copies to the CPU with `non_blocking=True` of which the host reads the result at once."""
    for call in calls_anywhere(context, "to"):
        if is_dead(call.statement):
            continue
        if not _is_to_host(context, call):
            yield from _asked_for(context, call)
        if not _copies_to_host(context, call):
            continue
        read = next(filter(None, _reads_of(context, call)), None)
        if read is not None:
            place, flag = context.place_of(call), keyword_place(call, "non_blocking")
            yield EarlyRead(place, flag, context.place_of(read), read.name)


def _reads_of(context: AnalysisContext, copy: ex.Call) -> Iterator[ex.Call | None]:
    """What reads a copy at once, or what holds the copies of a function that is handed on."""
    if not _is_said_on_host(context, _copied(context, copy)):
        yield _read_or_returned(context, _made_with(copy), copy)
    for mapped in mapped_copies(context, copy):
        if not _is_said_on_host(context, mapped.tensor):
            made = _Made(mapped.call, has_parts=True, has_keys=True, may_hold_others=True)
            yield _read_or_returned(context, made, mapped.call)


def _read_or_returned(context: AnalysisContext, made: _Made, call: ex.Call) -> ex.Call | None:
    """What reads the result of a call at once, also of the function that returns it."""
    statement, read = call.statement, _read_at_once(context, made, call)
    if read is not None or not isinstance(statement, Return) or statement.value is not made.source:
        return read
    callers = callers_of(context, call.scope)
    found = (_read_at_once(context, made._replace(source=c), c) for c in callers)
    return next(filter(None, found), None)


def _asked_for(context: AnalysisContext, copy: ex.Call) -> Iterator[EarlyRead]:
    """What is read at once of the copies that calls ask a function for, which name the CPU."""
    for asked in asked_copies(context, copy):
        if _is_said_on_host(context, asked.tensor):
            continue
        read = _read_at_once(context, _Made(asked.call, has_parts=False), asked.call)
        if read is not None:
            places = [context.place_of(call) for call in (copy, read, asked.call)]
            flag = keyword_place(copy, "non_blocking")
            yield EarlyRead(places[0], flag, places[1], read.name, places[2])


def _made_with(copy: ex.Call) -> _Made:
    """A copy, or the list or the dict of copies that a comprehension makes of it."""
    for part in _parts(copy.statement):
        if isinstance(part, ex.Comprehension) and part.kind in _HELD and part.element is copy:
            return _Made(part, has_parts=True, has_keys=part.kind == "dict")
    return _Made(copy, has_parts=False)


def _read_at_once(context: AnalysisContext, made: _Made, call: ex.Call) -> ex.Call | None:
    """What reads the result of a call, in its statement or behind it."""
    return _read(call.statement, made) or _later(context, call, made)


def _is_to_host(context: AnalysisContext, call: ex.Call) -> bool:
    """`x.to("cpu", non_blocking=True)`, where x may be on the GPU."""
    if not _copies_to_host(context, call):
        return False
    return not _is_said_on_host(context, _copied(context, call))


def _copied(context: AnalysisContext, copy: ex.Call) -> Located:
    """The tensor of which something is a copy."""
    whole = copy.function.value if isinstance(copy.function, ex.Attribute) else copy.function
    return whole, context.solver.root(copy.scope)


def _copies_to_host(context: AnalysisContext, call: ex.Call) -> bool:
    device, flag = transfers.of_to(call)
    if device is None or flag is None or not isinstance(call.function, ex.Attribute):
        return False
    if devices(context, device, call.scope) != {Device.CPU}:
        return False
    return context.values(flag, call.scope) == {TRUE}


def _is_said_on_host(context: AnalysisContext, tensor: Located) -> bool:
    """Whether a tensor is a batch that nobody has moved, or a name that it is made of says so."""
    if sharding.speaks_of(context, *tensor, _ON_HOST, _DEPTH):
        return True
    found = context.solver.values(*tensor)
    return any(isinstance(value, Batch) and not value.moved for value in found)


def _read(statement: Statement, made: _Made) -> ex.Call | None:
    """The call in a statement that reads a copy: through views, by a method or a function."""
    return next((call for call in _calls(statement) if _reads(call, made)), None)


def _reads(call: ex.Call, made: _Made) -> bool:
    callee = call.function
    methods = _OF_TENSORS if made.may_hold_others else tensors.HOST_OPERATIONS
    if isinstance(callee, ex.Attribute) and callee.name in methods:
        return _is_view_of(callee.value, made)
    if call.name in tensors.HOST_FUNCTIONS and not made.may_hold_others:
        given = written(call, 0)
        return given is not None and _is_view_of(given, made)
    return False


def _is_view_of(expression: ex.Expression, made: _Made) -> bool:
    """Whether an expression is the very tensor, or shares its memory."""
    is_part = False
    while not _is_same(expression, made.source):
        part = ex.unnamed(expression)
        whole = whole_of(part)
        if isinstance(expression, ex.Subscript):
            expression, is_part = expression.value, True
        elif whole is not None:
            expression, is_part = whole, not (made.has_keys and _is_key(part))
        elif (
            isinstance(expression, ex.Call)
            and isinstance(expression.function, ex.Attribute)
            and expression.function.name in tensors.VIEWS
        ):
            expression = expression.function.value
        else:
            return False
    return is_part or not made.has_parts


def _is_key(part: ex.Expression) -> bool:
    """Whether what goes through a dict gets its keys, by themselves or counted."""
    element = part.value if isinstance(part, ex.Item) else part
    source = element.source if isinstance(element, ex.Element) else None
    return not (isinstance(source, ex.Call) and source.name in ("items", "values"))


def _is_same(expression: ex.Expression, source: ex.Expression) -> bool:
    return ex.unnamed(expression) is source


def _later(context: AnalysisContext, call: ex.Call, made: _Made) -> ex.Call | None:
    """What reads the copy behind its statement, with nothing between that could wait."""
    statement = call.statement
    if isinstance(statement, Loop) and _goes_through(statement, made):
        return _first_read(context, statement.body.statements, made)
    within = {*walk.walk(made.source)}
    around = (part for part in _calls(statement) if part not in within)
    if not isinstance(statement, Bind) or not all(_is_harmless(context, c) for c in around):
        return None
    following = dropwhile(lambda s: s is not statement, statement.block.statements)
    return _first_read(context, islice(following, 1, None), made)


def _first_read(
    context: AnalysisContext, statements: Iterable[Statement], made: _Made
) -> ex.Call | None:
    """What reads a copy first in some statements, or in the loop over what holds copies."""
    for current in statements:
        calls = _calls(current)
        others = [c for c in calls if not any(_reads(part, made) for part in _calls_in(c))]
        if any(_waits(context, c) for c in others):
            return None
        if isinstance(current, Loop) and _goes_through(current, made):
            return _first_read(context, current.body.statements, made)
        if walk.blocks(current):
            return None
        read = _read(current, made)
        if read is not None:
            return read
        if not all(_is_harmless(context, c) for c in calls):
            return None
    return None


def _goes_through(loop: Loop, made: _Made) -> bool:
    """Whether a `for` takes one copy after the other."""
    element = ex.Element(loop.span, loop.iterable) if loop.iterable is not None else None
    item = None if element is None else ex.Item(loop.span, element, 1)
    wholes = (None if part is None else whole_of(part) for part in (element, item))
    return any(whole is not None and _is_same(whole, made.source) for whole in wholes)


def _calls(statement: Statement) -> list[ex.Call]:
    return [part for part in _parts(statement) if isinstance(part, ex.Call)]


def _parts(statement: Statement) -> Iterator[ex.Expression]:
    return (part for e in walk.expressions(statement) for part in walk.walk(e))


def _calls_in(expression: ex.Expression) -> Iterator[ex.Call]:
    return (part for part in walk.walk(expression) if isinstance(part, ex.Call))


def _is_harmless(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call certainly does not wait for the GPU."""
    if call.name in _GOING_THROUGH or call.name in tensors.QUEUED:
        return True
    return _is_to_host(context, call) or _is_of_host(context, call)


def _is_of_host(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether it computes on the host of a batch that is there, as it came from its loader."""
    computes = call.name in tensors.HOST_OPERATIONS | tensors.VIEWS
    callee = call.function if computes else None
    owner = callee.value if isinstance(callee, ex.Attribute) else None
    found = () if owner is None else context.values(owner, call.scope)
    return bool(found) and all(isinstance(v, Batch) and not v.moved for v in found)


def _waits(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call may wait for the GPU; one on a tensor that has left the GPU does not."""
    if call.name not in tensors.WAITS or _is_of_host(context, call):
        return False
    source = table_of(call.function.value) if isinstance(call.function, ex.Attribute) else None
    made = source.definition if isinstance(source, ex.Reference) else None
    copy = made.value if made is not None else source
    return not (isinstance(copy, ex.Call) and copy.name == "to" and _is_to_host(context, copy))
