"""Where a program asks a tensor for gradients, or no longer: `x.requires_grad_()` and its like.

Question: what does the last `x.requires_grad_(…)` or `x.requires_grad = …` say of a tensor that is
read? `x.detach_()` says that it is off. Followed: a name within its function, and in the one that a
call hands it to, `DEEP` calls one inside the other; also by the name that a loop over a display has
for it (`for each in (x, y): …`), unless code may switch it by yet another name: that of a display
or a nested function it is in, or of a parameter of the project that it is given for; an attribute
of the own object within the method that reads it, and else to the one function that writes the
attribute, if no other switches it. None where nothing is said, or where the attribute is written
once more behind it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import calls_anywhere, library_callees
from dlint.analyses.control.call_paths import DEEP
from dlint.analyses.control.completions import Completion, completions
from dlint.analyses.control.path_tests import always_runs
from dlint.analyses.handed_over import HandedOver, IsIt, receivers
from dlint.analyses.idle.spoken_names import parts_of
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Evaluate, Jump, Loop, Return, Try
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Statement, Store
    from dlint.semantics.calls.call_contexts import CallContext

_SWITCH = "requires_grad_"
_FLAG = "requires_grad"
_DETACH = "detach_"

_Is = Callable[[ex.Expression], bool]
_Way = tuple["Scope", ...]
"""The functions that a tensor has come through."""


class _Said(NamedTuple):
    """What a place of a function says of a tensor; None where it is bound anew."""

    at: int
    is_on: bool | None


def said_of_name(context: AnalysisContext, name: ex.Reference, scope: Scope) -> bool | None:
    """What the function says of a local name before it is read."""

    def is_same(other: ex.Expression) -> bool:
        if not isinstance(other, ex.Reference) or other.name != name.name:
            return False
        return other.definition is name.definition

    frame, made = context.solver.root(scope), origin_of(name)
    by_calls = _said_by_calls(context, frame, partial(operator.is_, made))
    found = (*_switches(scope, is_same), *by_calls)
    said = [said for said in found if said.at < name.span[0]]
    is_on = _last(said)
    return is_on and not _may_be_switched(context, name, scope, max(each.at for each in said))


def _said_by_calls(
    context: AnalysisContext, frame: CallContext, is_it: IsIt, way: _Way = ()
) -> Iterator[_Said]:
    """What the one function that a call hands a tensor to says of it, at the place of the call."""
    for call in frame.scope.calls if len(way) < DEEP else ():
        known, are_all = receivers(context, call, frame, is_it)
        said = _said_there(context, known[0], way) if len(known) == 1 and are_all else None
        if said is not None:
            yield _Said(call.span[0], said and _is_certain(call, frame.scope))


def _is_certain(call: ex.Call, scope: Scope) -> bool:
    """Whether a call is a statement of a function by itself, to which each run of that comes."""
    statement = call.statement
    is_alone = isinstance(statement, Evaluate) and statement.value is call
    return is_alone and statement.block is scope.body and not _is_tried(scope)


def _is_tried(scope: Scope) -> bool:
    """Whether a function catches something, raises or ends early: who knows how far it comes."""
    leaving = [s for s in walk.statements(scope.body) if isinstance(s, Try | Jump | Return)]
    return any(not isinstance(s, Return) or s is not scope.body.statements[-1] for s in leaving)


def _said_there(context: AnalysisContext, handed: HandedOver, way: _Way) -> bool | None:
    scope, end = handed.frame.scope, handed.frame.scope.span[1]

    def is_same(other: ex.Expression) -> bool:
        return isinstance(other, ex.Reference) and handed.is_it(origin_of(other))

    if scope.yields or scope.is_async or scope in way:
        return None
    further = _said_by_calls(context, handed.frame, handed.is_it, (*way, scope))
    said = [*_switches(scope, is_same), *further]
    if not said or _is_tried(scope):
        return None
    name = ex.Reference((end, end), handed.parameter, None)
    is_on = _last(said)
    return is_on and not _may_be_switched(context, name, scope, max(each.at for each in said))


def _may_be_switched(
    context: AnalysisContext, name: ex.Reference, scope: Scope, switched: int
) -> bool:
    """Whether code may switch a name off behind the place that asks for gradients of it.

    Other names for a tensor are those of displays and of functions of the project.
    """
    inner = [s for s in walk.scopes_within(scope) if s is not scope]
    if any(_names(part, name) for each in inner for part in parts_of(each)):
        return True
    known = [s.source for s in walk.statements(scope.body) if isinstance(s, Loop)]
    bound = [d.value for d in scope.definitions if isinstance(d.value, ex.Sequence)]
    for part in parts_of(scope):
        start, end = part.span
        if start >= name.span[0] or (end > name.span[0] and part not in bound):
            continue
        match part:
            case ex.Sequence() if start > switched or part not in known:
                given = part.items
            case ex.Call() if start > switched and not library_callees(context, part):
                given = tuple(argument.value for argument in part.arguments)
            case _:
                continue
        if any(_names(each, name) for each in given):
            return True
    return False


def _names(part: ex.Expression, name: ex.Reference) -> bool:
    part = part.value if isinstance(part, ex.Starred) else part
    return isinstance(part, ex.Reference) and part.name == name.name


def said_of_attribute(context: AnalysisContext, part: ex.Attribute, scope: Scope) -> bool | None:
    """What is said of an attribute of the own object before it is read, or where it is made."""
    if attributes.class_of_self(part.value, scope) is None:
        return None
    here = [said for said in _of_own(part.name, scope) if said.at < part.span[0]]
    maker = None if here else _maker(context, part, scope)
    elsewhere = maker is not None and maker is not scope
    return _last(_of_own(part.name, maker) if maker is not None and elsewhere else here)


def is_on(call: ex.Call, *, default: bool) -> bool:
    """Whether a call asks for `requires_grad`; False where that is not known."""
    if call.name == _DETACH:
        return False
    position = 0 if call.name == _SWITCH else None
    given = written(call, position, _FLAG)
    return default if given is None else is_true(given)


def is_true(expression: ex.Expression) -> bool:
    """Whether an expression is `True` as it is written."""
    number = ex.constant(expression)
    return number is not None and number.value is True


def _last(found: Iterator[_Said] | list[_Said]) -> bool | None:
    return max(found, key=lambda said: said.at, default=_Said(0, None)).is_on


def _switches(scope: Scope, is_same: _Is) -> Iterator[_Said]:
    for call in scope.calls:
        is_switch = call.name in (_SWITCH, _DETACH)
        if is_switch and any(map(is_same, _meant(_switched(call), call.statement))):
            runs = always_runs(call.statement, scope.body)
            yield _Said(call.span[0], runs and is_on(call, default=True))
    for store in scope.stores:
        if _is_flag(store) and any(map(is_same, _meant(store.target.value, store.statement))):
            runs = always_runs(store.statement, scope.body)
            yield _Said(store.span[0], runs and is_true(store.value))


def _switched(call: ex.Call) -> ex.Expression:
    return call.function.value if isinstance(call.function, ex.Attribute) else call.function


def _meant(tensor: ex.Expression, statement: Statement) -> Sequence[ex.Expression]:
    """A tensor, or all that its name stands for in the rounds of a loop over a display."""
    definition = tensor.definition if isinstance(tensor, ex.Reference) else None
    element = None if definition is None else definition.value
    display = element.source if isinstance(element, ex.Element) else None
    loop = next(walk.enclosing_loops(statement), None)
    if not isinstance(display, ex.Sequence) or loop is None or loop.source is not display:
        return (tensor,)
    return (tensor,) if Completion.BREAK in completions(loop.body) else display.items


def _is_flag(store: Store) -> bool:
    return isinstance(store.target, ex.Attribute) and store.target.name == _FLAG


def _of_own(name: str, scope: Scope) -> Iterator[_Said]:
    """The switches of an attribute of the own object, and the writes to it."""

    def is_same(other: ex.Expression) -> bool:
        if not isinstance(other, ex.Attribute) or other.name != name:
            return False
        return attributes.class_of_self(other.value, scope) is not None

    yield from _switches(scope, is_same)
    yield from (_Said(store.span[0], None) for store in scope.stores if is_same(store.target))


def _maker(context: AnalysisContext, part: ex.Attribute, scope: Scope) -> Scope | None:
    """The one function that writes an attribute, unless it is switched by another."""
    owner = attributes.class_of_self(part.value, scope)
    family = () if owner is None else context.solver.classes.family(owner)
    wholes = context.project.writing(part.name)
    makers = {s.scope for s in wholes if attributes.written_on_self(s) in (None, *family)}
    makers |= {
        call.scope
        for call in calls_anywhere(context, _SWITCH, _DETACH)
        if any(_is_named(one, part.name) for one in _meant(_switched(call), call.statement))
    }
    flags = context.project.writing(_FLAG)
    makers |= {
        store.scope
        for store in flags
        if any(_is_named(one, part.name) for one in _meant(store.target.value, store.statement))
    }
    return makers.pop() if len(makers) == 1 else None


def _is_named(tensor: ex.Expression, name: str) -> bool:
    return isinstance(tensor, ex.Attribute) and tensor.name == name
