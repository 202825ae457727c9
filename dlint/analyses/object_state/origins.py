"""Origins: the calls that what an object holds may come from.

Question: which calls does a value pass on its way to an attribute, the last one first? Followed are
names (also of enclosing functions), parts of displays that are unpacked, of those too that names,
attributes and functions hand on, both sides of choices, parameters that the call at hand gives,
attributes of the object, functions of the project to what they return, and, for a call of a
library, what a transfer function says that its result stands for.
With `elements`, what displays and comprehensions hold counts as well; without `choices`, a value
that is one or another has no origin. A parameter that no call gives, a subscript and a loop end
the way: what is not known has no origin. Past `_MOST` expressions a question is not followed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import Targets, is_self
from dlint.ir import expressions as ex
from dlint.ir.walk import bindings_of
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.object_state.writes import Write

_MOST = 300

Transfer = Callable[[ex.Call], Iterable[ex.Expression]]
"""The expressions that the result of a library's call stands for."""

_Step = tuple[ex.Expression, CallContext]


class Question(NamedTuple):
    """What is followed for one question."""

    transfer: Transfer = lambda _: ()
    elements: bool = False
    choices: bool = True
    rows: bool = False
    """Whether what an index takes of a value is like the value; not what lies under a text."""
    fields: frozenset[str] = frozenset()
    """Attributes of any object that are like the object."""


class Origin(NamedTuple):
    """A call that a value comes from, in its activation; `paths`: of library callables."""

    call: ex.Call
    frame: CallContext
    paths: tuple[str, ...]


class Origins:
    """Asks where values come from, for objects of one class; `kept` tells what attributes hold."""

    def __init__(self, targets: Targets, kept: Callable[[str], Iterable[Write]]) -> None:
        self._targets = targets
        self._kept = kept

    def of(self, value: ex.Expression, frame: CallContext, question: Question) -> Iterator[Origin]:
        """The calls that a value comes from, those nearest to it first."""
        queue: list[_Step] = [(value, frame)]
        seen: set[_Step] = set()
        while queue and len(seen) < _MOST:
            step = queue.pop(0)
            if step in seen:
                continue
            seen.add(step)
            expression, where = step
            if isinstance(expression, ex.Call):
                found = self._origin(expression, where)
                yield found
                queue += self._behind(found, question.transfer)
            else:
                queue += self._next(expression, where, question)

    def _origin(self, call: ex.Call, frame: CallContext) -> Origin:
        targets = self._targets.of(call.function, frame)
        known = all(isinstance(target, External) for target in targets)
        paths = tuple(target.path for target in targets if isinstance(target, External))
        return Origin(call, frame, paths if known else ())

    def _behind(self, origin: Origin, transfer: Transfer) -> Iterator[_Step]:
        """What a call hands on: what a function of the project returns, else by the transfer."""
        entered = [] if origin.paths else self._targets.entered(origin.call, origin.frame)
        for inner in entered:
            yield from ((result, inner) for result in inner.scope.returns)
        if not entered:
            yield from ((part, origin.frame) for part in transfer(origin.call))

    def _next(
        self, expression: ex.Expression, frame: CallContext, question: Question
    ) -> Iterator[_Step]:
        match expression:
            case ex.Reference() if expression.definition is not None:
                yield expression.definition.value, frame
            case ex.Reference():
                yield from _enclosing(expression.name, frame)
            case ex.Parameter():
                yield from self._targets.arguments(expression.name, frame)
            case ex.Item():
                yield from self._unpacked(expression, frame, question)
            case ex.Attribute() if is_self(expression.value, frame.scope):
                for write in self._kept(expression.name):
                    if question.elements or not write.inside:
                        yield write.value, write.frame
            case _:
                yield from ((part, frame) for part in _parts(expression, question))

    def _unpacked(self, item: ex.Item, frame: CallContext, question: Question) -> Iterator[_Step]:
        """The parts that a name gets of tuples or lists, wherever these are written."""
        queue: list[_Step] = [(item.value, frame)]
        seen: set[_Step] = set()
        whole = question._replace(elements=False, rows=False)
        while queue and len(seen) < _MOST:
            value, where = step = queue.pop(0)
            if step in seen:
                continue
            seen.add(step)
            if isinstance(value, ex.Sequence):
                yield from ((part, where) for part in _at(value, item))
            elif isinstance(value, ex.Call):
                queue += self._behind(self._origin(value, where), lambda _: ())
            else:
                queue += self._next(value, where, whole)


def _at(display: ex.Sequence, item: ex.Item) -> tuple[ex.Expression, ...]:
    """The part of a display at the position of an item, where no `*` hides which it is."""
    has_star = item.starred or any(isinstance(part, ex.Starred) for part in display.items)
    is_there = -len(display.items) <= item.position < len(display.items)
    return (display.items[item.position],) if is_there and not has_star else ()


def _enclosing(name: str, frame: CallContext) -> Iterator[_Step]:
    """What a name of an enclosing function may be; names of modules are no object's own."""
    outer = frame.closure
    while outer is not None and outer.scope.kind != "module":
        definitions = bindings_of(outer.scope, name)
        if definitions:
            yield from ((definition.value, outer) for definition in definitions)
            return
        outer = outer.closure


def _parts(expression: ex.Expression, question: Question) -> Iterable[ex.Expression]:
    match expression:
        case ex.Conditional() if question.choices:
            return expression.then, expression.otherwise
        case ex.Boolean() if question.choices:
            return expression.left, expression.right
        case ex.Join() if question.choices:
            return expression.alternatives
        case ex.Sequence() if question.elements:
            return expression.items
        case ex.Mapping() if question.elements:
            return [value for _, value in expression.items]
        case ex.Comprehension() if question.elements:
            return (expression.element,)
        case ex.Subscript() if question.rows and not _is_text(expression.index):
            return (expression.value,)
        case ex.Attribute() if expression.name in question.fields:
            return (expression.value,)
    return ()


def _is_text(index: ex.Expression) -> bool:
    known = ex.constant(index)
    return known is not None and isinstance(known.value, str)
