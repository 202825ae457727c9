"""Backward slice: from a value to what it is made of, with a transfer table for each question.

A `Question` says what a value has of a property (any lattice: `join` is its least upper bound,
`unknown` its top) by a table from kinds of expressions to transfer functions. Where a table has no
entry, or the entry gives None, the slice takes the steps that all questions share: a name to what
is bound to it (in its own scope, in those around it, in another module), a parameter to what the
activation, or each known call, gives it, or to its default, a choice to the join of its sides, a
call of a function of the project to what that returns for these arguments, an attribute of an
object of the project to what the class writes there, and does not replace before others read it,
one part of a display to that part. What a loop only carries round is no value more.
Given up on (`unknown`): a value that is made from itself in a loop, operations that the table does
not speak of, parameters without a known caller or default, unpacked arguments.
Budget: `_MOST` steps a question, `_DEEP` one inside the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dlint.analyses.attribute_values import written_values
from dlint.analyses.control.decided_sides import decided_side
from dlint.ir import expressions as ex
from dlint.ir.looked_at import plain
from dlint.semantics.calls import attributes, calls
from dlint.semantics.calls.binding import bound_to
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import FunctionObject, Literal, Method, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope

T = TypeVar("T")
Located = tuple[ex.Expression, CallContext]
"""An expression, and the activation it is evaluated in."""

_MOST = 400
_DEEP = 40


@dataclass(frozen=True)
class Question(Generic[T]):
    """A property of values, and what each kind of expression does to it.

    A transfer function is given the slice, the expression and its activation; it asks for operands
    by `Slice.of`. None leaves the expression to the steps that all questions share.
    """

    unknown: T
    join: Callable[[Sequence[T]], T]
    table: Mapping[type, Callable[[Slice[T], Any, CallContext], T | None]]


@dataclass(eq=False)
class Slice(Generic[T]):
    """One question about one program; what was found is kept."""

    context: AnalysisContext
    question: Question[T]
    _known: dict[Located, T] = field(default_factory=dict)
    _depth: int = 0

    def of(self, expression: ex.Expression, frame: CallContext) -> T:
        """The property of an expression, in one activation or (in a root frame) over all."""
        key = (expression, frame)
        if key in self._known:
            return self._known[key]
        if self._depth >= _DEEP or len(self._known) >= _MOST:
            return self.question.unknown
        self._known[key] = self.question.unknown
        self._depth += 1
        found = self._transfer(expression, frame)
        self._depth -= 1
        self._known[key] = found
        return found

    def joined(self, parts: Iterable[Located]) -> T:
        """The join over several expressions; unknown for none."""
        found = [self.of(expression, frame) for expression, frame in parts]
        return self.question.join(found) if found else self.question.unknown

    def _transfer(self, expression: ex.Expression, frame: CallContext) -> T:
        transfer = self.question.table.get(plain(type(expression)))
        found = None if transfer is None else transfer(self, expression, frame)
        return self.joined(steps(self.context, expression, frame)) if found is None else found


def steps(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> Iterator[Located]:
    """The expressions of which an expression is one, whatever is asked; none where not known."""
    match expression:
        case ex.Reference():
            yield from _bound(context, expression, frame)
        case ex.Imported():
            yield from _imported(context, expression, frame)
        case ex.Parameter():
            yield from arguments_of(context, expression, frame)
        case ex.Conditional():
            yield from _sides(context, (expression.then, expression.otherwise), frame)
        case ex.Boolean():
            yield from ((side, frame) for side in (expression.left, expression.right))
        case ex.Join():
            yield from _sides(context, _entering(expression, expression, set()), frame)
        case ex.Starred() | ex.Await() | ex.Entered():
            yield expression.value, frame
        case ex.Item():
            yield from _part(context, expression, frame)
        case ex.Subscript():
            yield from _under_key(context, expression, frame)
        case ex.Call():
            yield from _returned(context, expression, frame)
        case ex.Attribute():
            yield from written_values(context, expression, frame)


def _entering(part: ex.Expression, loop: ex.Join, seen: set[ex.Expression]) -> list[ex.Expression]:
    """What a part may be but for what comes round: `x` of the last round, where a loop keeps it."""
    value = part.definition.value if isinstance(part, ex.Reference) and part.definition else part
    match value:
        case ex.Join():
            inner = value.alternatives
        case ex.Conditional() if value is not part:
            inner = (value.then, value.otherwise)
        case _:
            return [part]
    if value in seen:
        return []
    seen.add(value)
    found = [_entering(one, loop, seen) for one in inner]
    is_whole = all(parts == [one] for parts, one in zip(found, inner, strict=True))
    return [part] if is_whole and value is not loop else [one for parts in found for one in parts]


def _sides(
    context: AnalysisContext, sides: Iterable[ex.Expression], frame: CallContext
) -> Iterator[Located]:
    """Where ways meet, without those on which a function has not bound its name: reading it fails.

    `if name == "a": x = …` and then `elif name == "b": x = …` bind `x` on all ways that go on.
    """
    yield from ((side, frame) for side in sides if not _is_unbound(context, side, frame.scope))


def _is_unbound(context: AnalysisContext, side: ex.Expression, scope: Scope) -> bool:
    if not isinstance(side, ex.Reference) or side.definition is not None:
        return False
    is_own = scope.kind == "function" and side.name not in scope.globals | scope.nonlocals
    return is_own and any(context.solver.bindings(scope, side.name))


def _bound(context: AnalysisContext, name: ex.Reference, frame: CallContext) -> Iterator[Located]:
    if name.definition is not None:
        value = name.definition.value
        if isinstance(value, ex.Conditional):
            value = decided_side(value, name, frame.scope) or value
        yield value, frame
        return
    outer = frame if frame.scope.kind == "module" else frame.closure
    while outer is not None:
        found = list(context.solver.bindings(outer.scope, name.name))
        if found and outer.scope.kind != "class":
            yield from ((definition.value, outer) for definition in found)
            return
        outer = outer.closure


def _imported(
    context: AnalysisContext, imported: ex.Imported, frame: CallContext
) -> Iterator[Located]:
    path = frame.scope.module.path
    target = context.project.imports.resolve(path, imported.module, imported.level)
    facts = None if target is None else context.project.load(target)
    if facts is not None and imported.name is not None:
        root = context.solver.root(facts.module.body)
        for definition in context.solver.bindings(facts.module.body, imported.name):
            yield definition.value, root


def _part(context: AnalysisContext, item: ex.Item, frame: CallContext) -> Iterator[Located]:
    """`x, y = a, b`, the display where it stands, or where a name or a call leads."""
    found = [] if item.starred else displays_behind(context, item.value, frame) or []
    parts = [(_at(display, item.position), where) for display, where in found]
    known = [(part, where) for part, where in parts if part is not None]
    yield from known if len(known) == len(parts) else ()


def _at(display: ex.Expression, position: int) -> ex.Expression | None:
    """The part of a display at a position from 0; None where it is not certain which it is."""
    if not isinstance(display, ex.Sequence) or not 0 <= position < len(display.items):
        return None
    starred = any(isinstance(part, ex.Starred) for part in display.items)
    return None if starred else display.items[position]


def _under_key(
    context: AnalysisContext, item: ex.Subscript, frame: CallContext
) -> Iterator[Located]:
    """`{"a": x}["a"]`, `(x, y)[0]`, if nothing else may have been written there since.

    So of a key that is known in the activation alone, of which the solver tells no item apart.
    """
    written = ex.constant(item.index)
    key = written or _known_key(context, item.index, frame)
    found = displays_behind(context, item.value, frame) or [] if key is not None else []
    parts = [(_under(display, key), where) for display, where in found if key is not None]
    known = [(part, where) for part, where in parts if part is not None]
    held = known if written else [(p, where) for d, where in found for p in _parts_of(d)]
    values = {v for part, where in held for v in context.solver.values(part, where)}
    if len(known) == len(parts) and values == set(context.solver.values(item, frame)) != set():
        yield from known


def _known_key(
    context: AnalysisContext, index: ex.Expression, frame: CallContext
) -> ex.Constant | None:
    """The one number or text that an index is, whatever a run is given."""
    if not isinstance(index, ex.Reference | ex.Attribute):
        return None
    found = context.evaluator.of(index, frame)
    only = found[0].value if len(found) == 1 and found[0].assumed is None else None
    return ex.Constant(index.span, only.value) if isinstance(only, Literal) else None


def _parts_of(display: ex.Expression) -> list[ex.Expression]:
    """The parts of a display."""
    if isinstance(display, ex.Mapping):
        return [value for _, value in display.items]
    return list(display.items) if isinstance(display, ex.Sequence) else []


def _under(display: ex.Expression, key: ex.Constant) -> ex.Expression | None:
    if isinstance(display, ex.Mapping):
        keys = [ex.constant(k) for k, _ in display.items]
        same = [
            v for k, (_, v) in zip(keys, display.items, strict=True) if k and k.value == key.value
        ]
        return same[-1] if same and None not in keys else None
    return _at(display, key.value) if isinstance(key.value, int) else None


def displays_behind(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> list[Located] | None:
    """The tuples, lists and dicts that an expression is one of; None where it may be another.

    A step on the way may ask this of another expression: of `x` in `x, y = f(x, y)`, by which it
    comes back, or to another activation of `f`.
    """
    inside = context[_looked_behind]
    if (expression, frame) in inside or len(inside) >= _DEEP:
        return None
    inside.add((expression, frame))
    try:
        return _displays(context, expression, frame)
    finally:
        inside.remove((expression, frame))


def _looked_behind(_: AnalysisContext) -> set[Located]:
    """The expressions of which displays are being looked for, one inside the other."""
    return set()


def _displays(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> list[Located] | None:
    found, waiting, seen = list[Located](), [(expression, frame)], set[Located]()
    while waiting and len(seen) < _MOST:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        is_display = isinstance(one[0], ex.Sequence | ex.Mapping)
        further = [] if is_display else list(steps(context, *one))
        found += [one] if is_display else []
        if not is_display and not further:
            return None
        waiting += further
    return None if waiting else found


def _returned(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Iterator[Located]:
    """What the functions that a call may enter return, where all of them are known."""
    entered = list(entered_by(context, call, frame))
    if not any(scope.yields for scope, _ in entered):
        yield from ((result, inner) for scope, inner in entered for result in scope.returns)


def entered_by(
    context: AnalysisContext, call: ex.Call, frame: CallContext
) -> Iterator[tuple[Scope, CallContext]]:
    """The functions of the project that a call enters, where all of them are known."""
    yield from entered_as(context, call, frame, context.solver.values(call.function, frame))


def entered_as(
    context: AnalysisContext, call: ex.Call, frame: CallContext, callees: Collection[Value]
) -> Iterator[tuple[Scope, CallContext]]:
    """The same of a call of one of these values."""
    functions = [f for value in callees if (f := _function(context, value)) is not None]
    passed, enter = CallArguments.of(call.arguments, frame), context.solver.frames.enter
    for callee in functions if len(functions) == len(callees) else ():
        has_receiver = isinstance(callee, Method) and calls.takes_receiver(callee.scope)
        receiver = callee.receiver if isinstance(callee, Method) and has_receiver else None
        closure = callee.closure if isinstance(callee, FunctionObject) else None
        yield callee.scope, enter(callee.scope, call, passed, frame, closure, receiver)


def _function(context: AnalysisContext, value: Value) -> FunctionObject | Method | None:
    """What a call of a value enters: a function, a method, or `__call__` of an object."""
    if isinstance(value, FunctionObject | Method):
        return value
    cls = attributes.project_class(value)
    method = None if cls is None else context.solver.classes.method(cls, "__call__")
    return None if method is None else Method(method, value)


def arguments_of(
    context: AnalysisContext, parameter: ex.Parameter, frame: CallContext
) -> Iterator[Located]:
    """What an activation's parameter is given, or each known call gives it; else its default.

    Nothing where one of the calls may give what is not seen.
    """
    scope = frame.scope
    spec = next((s for s in scope.parameters if s.name == parameter.name), None)
    if spec is None or spec.kind in ("star", "starstar"):
        return
    if spec is scope.parameters[0] and calls.takes_receiver(scope):
        return
    default = None if spec.default is None else (spec.default, _around(context, frame))
    frames = [frame] if frame.call is not None else context.evaluator.callers(scope)
    found = [
        entered.given(parameter.name) or _from_tuple(context, entered, parameter.name) or default
        for entered in frames
    ]
    if not frames and default is not None:
        found = [default]
    if None not in found:
        yield from (located for located in found if located is not None)


def _from_tuple(context: AnalysisContext, frame: CallContext, name: str) -> Located | None:
    """What `f(*make())` gives a parameter, of the one tuple that a function returns."""
    bound = bound_to(frame)
    items = () if bound is None else bound[name].unpacked
    if len(items) != 1 or not isinstance(items[0].key, int):
        return None
    made = ex.unnamed(items[0].source)
    results = list(_returned(context, made, items[0].context)) if isinstance(made, ex.Call) else []
    display = ex.unnamed(results[0][0]) if len(results) == 1 else None
    if not isinstance(display, ex.Sequence) or items[0].key >= len(display.items):
        return None
    plain = not any(isinstance(item, ex.Starred) for item in display.items)
    return (display.items[items[0].key], results[0][1]) if plain else None


def _around(context: AnalysisContext, frame: CallContext) -> CallContext:
    """The activation in which the defaults of a function were evaluated."""
    scope = frame.scope
    return context.solver.root(scope.owner.body if scope.owner else scope.parent or scope)


# -- within one function


def given_to(
    context: AnalysisContext, parameter: ex.Parameter, frame: CallContext
) -> Iterator[Located]:
    """What an activation's parameter is given, or each call of the function gives it."""
    frames = [frame] if frame.call is not None else context.evaluator.callers(frame.scope)
    given = (entered.given(parameter.name) for entered in frames)
    yield from (pair for pair in given if pair is not None)
