"""Random transforms: what is certainly drawn anew for each sample.

Question: does a transform draw random numbers whenever it is applied? Known are the transforms of
libraries, with the chance that they are given, and functions and classes of the project that draw
from a global generator on every path, or apply what does. Followed are compositions that are
written out, and what is appended to them under tests that come out so. One that may be another, or
is only random on a path, is not random here, nor is noise that is drawn for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dlint.analyses.alike import may_be_alike
from dlint.analyses.backward import Located, Question, Slice, steps
from dlint.analyses.callees import is_self
from dlint.analyses.calls import library_callees
from dlint.analyses.control.path_tests import call_always_runs, tests_before
from dlint.analyses.guards import comes_out, results_by_tests
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.analyses.written_arguments import positional, written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import random_transforms as known
from dlint.library_facts.seeding import EVERYTHING, FORMED, SEEDERS, SIZES, drawn_by
from dlint.model.loops.unread_names import is_dropped
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.calls.object_calls import CALLED
from dlint.semantics.values.values import ClassObject, Instance, Literal

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope

Drawing = Place | None
_Slice = Slice[Drawing]
_MOST = 60
_SEEDING = SEEDERS.keys() | EVERYTHING


def drawing(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> Drawing:
    """Where what an expression certainly is draws, None where it may draw nothing."""
    return Slice(context, _QUESTION).of(expression, frame)


def _joined(found: Sequence[Drawing]) -> Drawing:
    return found[0] if found and None not in found else None


# -- choices


def _of_conditional(slice_: _Slice, choice: ex.Conditional, frame: CallContext) -> Drawing:
    outcome = comes_out(slice_.context, choice.test, frame, truth=True)
    if outcome is None:
        return _joined([slice_.of(side, frame) for side in (choice.then, choice.otherwise)])
    return slice_.of(choice.then if outcome else choice.otherwise, frame)


def _of_boolean(slice_: _Slice, choice: ex.Boolean, frame: CallContext) -> Drawing:
    """`transform or augmenting()`."""
    outcome = comes_out(slice_.context, choice.left, frame, truth=True)
    if outcome is None:
        return _joined([slice_.of(side, frame) for side in (choice.left, choice.right)])
    return slice_.of(choice.left if outcome is (choice.operator == "or") else choice.right, frame)


def _of_results(slice_: _Slice, call: ex.Call, frame: CallContext) -> Drawing:
    """What a function of the project returns in the activation that a call makes."""
    return slice_.joined(results_by_tests(slice_.context, call, frame))


def _of_item(slice_: _Slice, item: ex.Subscript, frame: CallContext) -> Drawing:
    """What stands under a key of a dict that is written out: `transforms["val"]`."""
    key = item.index.value if isinstance(item.index, ex.Constant) else None
    whole, where, seen = item.value, frame, set[Located]()
    while not isinstance(whole, ex.Mapping) and (whole, where) not in seen:
        seen.add((whole, where))
        further = list(steps(slice_.context, whole, where))
        if len(further) != 1:
            return None
        ((whole, where),) = further
    items = whole.items if isinstance(whole, ex.Mapping) else ()
    found = [v for k, v in items if isinstance(k, ex.Constant) and k.value == key]
    return slice_.of(found[0], where) if len(found) == 1 else None


# -- transforms of libraries


def _of_call(slice_: _Slice, call: ex.Call, frame: CallContext) -> Drawing:
    paths = library_callees(slice_.context, call)
    if paths:
        return _joined([_of_library(slice_, call, frame, path) for path in paths])
    found = slice_.context.solver.values(call.function, frame)
    classes = [value.cls for value in found if isinstance(value, ClassObject)]
    if not classes or len(classes) < len(found):
        return _of_results(slice_, call, frame)
    return _joined([drawn for cls in classes for drawn in _of_object(slice_, cls, call, frame)])


def _of_object(slice_: _Slice, cls: Class, call: ex.Call, frame: CallContext) -> Iterator[Drawing]:
    """Where the methods draw by which an object is called that a call makes."""
    for name in CALLED:
        method = slice_.context.solver.classes.method(cls, name)
        if method is not None:
            has_chance = _chances(slice_.context, cls, method, call, frame) != {0}
            yield _of_function(slice_, method) if has_chance else None


def _chances(
    context: AnalysisContext, cls: Class, method: Scope, call: ex.Call, frame: CallContext
) -> set[object]:
    """The numbers that the constructor keeps, and the method compares a drawn one with."""
    compared = {
        own.name
        for part in walk.parts(method.body)
        if isinstance(part, ex.Comparison)
        for own, other in ((part.left, part.right), (part.right, part.left))
        if isinstance(own, ex.Attribute) and is_self(own.value, method) and _draws(context, other)
    }
    init = context.solver.classes.method(cls, "__init__") if compared else None
    if init is None:
        return set()
    passed, made = CallArguments.of(call.arguments, frame), Instance(cls, exact=True)
    entered = context.solver.frames.enter(init, call, passed, frame, None, made)
    return {
        number
        for store in init.stores
        if isinstance(store.target, ex.Attribute) and store.target.name in compared
        for number in _numbers(context, (store.value, entered))
        if is_self(store.target.value, init)
    }


def _draws(context: AnalysisContext, value: ex.Expression) -> bool:
    paths = library_callees(context, value) if isinstance(value, ex.Call) else ()
    return any(drawn_by(path) is not None for path in paths)


def _of_library(slice_: _Slice, call: ex.Call, frame: CallContext, path: str) -> Drawing:
    place = slice_.context.place_of(call)
    passed = CallArguments.of(call.arguments, frame)
    if known.is_random(path):
        return place if _applies(slice_.context, passed, path) else None
    if path in known.TIMM_FACTORIES:
        training = argument_for(passed, None, "is_training").expression
        is_on = training is not None and _numbers(slice_.context, training) == {True}
        return place if is_on else None
    parameter = known.COMPOSING.get(path.rpartition(".")[2])
    if parameter is None:
        return None
    items = _composed(slice_.context, passed, parameter)
    return next((found for item in items if (found := slice_.of(*item))), None)


def _applies(context: AnalysisContext, passed: CallArguments, path: str) -> bool:
    """Whether a random transform is not switched off, or on for good, by its chance or amount."""
    if _changes_nothing(context, passed, known.amounts(path)):
        return False
    for name in known.CHANCE:
        given = argument_for(passed, known.chance_position(path), name).expression
        numbers = set[object]() if given is None else _numbers(context, given)
        if 0 in numbers or (1 in numbers and known.draws_only_whether(path)):
            return False
    return True


def _changes_nothing(
    context: AnalysisContext, passed: CallArguments, amounts: tuple[str, ...]
) -> bool:
    """Whether a transform is certainly given 0, or nothing, for all that it may change."""
    if not amounts or any(argument.star for argument, _ in passed.arguments):
        return False
    given = [argument_for(passed, place, name).expression for place, name in enumerate(amounts)]
    return all(
        a.is_none or a.constant == 0
        for one in given
        if one is not None
        for a in context.evaluator.of(*one)
    )


def _numbers(context: AnalysisContext, given: Located) -> set[object]:
    found = context.evaluator.of(*given)
    return {a.value.value for a in found if isinstance(a.value, Literal)}


# -- compositions


def _composed(context: AnalysisContext, passed: CallArguments, parameter: str) -> Iterator[Located]:
    """What a composition applies, one after the other."""
    if not parameter:
        yield from ((a.value, frame) for a, frame in passed.arguments if not a.star)
        return
    first = argument_for(passed, 0, parameter).expression
    if first is not None:
        yield from _items(context, *first)


def _items(
    context: AnalysisContext, listed: ex.Expression, frame: CallContext
) -> Iterator[Located]:
    """The items of a list as far as they are certain, appended ones too; itself if it is none."""
    waiting, seen = [(listed, frame)], set[Located]()
    while waiting and len(seen) < _MOST:
        whole, where = waiting.pop()
        if (whole, where) in seen:
            continue
        seen.add((whole, where))
        if isinstance(whole, ex.Reference):
            yield from _appended(context, whole, where)
        match whole:
            case ex.Sequence():
                spread = [item.value for item in whole.items if isinstance(item, ex.Starred)]
                waiting += [(inner, where) for inner in spread]
                yield from ((i, where) for i in whole.items if not isinstance(i, ex.Starred))
            case ex.Join():
                waiting += [(way, where) for way in _taken(context, whole, where)]
            case ex.Binary(operator="+"):
                waiting += [(whole.left, where), (whole.right, where)]
            case ex.Conditional():
                outcome = comes_out(context, whole.test, where, truth=True)
                if outcome is not None:
                    waiting.append((whole.then if outcome else whole.otherwise, where))
            case ex.FunctionValue():
                yield whole, where
            case _:
                further = list(steps(context, whole, where))
                waiting += further if len(further) == 1 else []


def _taken(context: AnalysisContext, ways: ex.Join, frame: CallContext) -> list[ex.Expression]:
    """The one way by which a name comes to be bound, as the tests before come out; else none."""
    outcomes: dict[ex.Expression, set[bool | None]] = {}
    for way in ways.alternatives:
        made = way.definition if isinstance(way, ex.Reference) else None
        tests = [] if made is None else tests_before(frame.scope, made.span)
        outcomes[way] = {comes_out(context, t.test, frame, truth=t.truth) for t in tests}
    certain = [way for way, found in outcomes.items() if found == {True}]
    possible = [way for way, found in outcomes.items() if False not in found]
    return certain if len(certain) == 1 else possible if len(possible) == 1 else []


def _appended(
    context: AnalysisContext, name: ex.Reference, frame: CallContext
) -> Iterator[Located]:
    """What is appended to the list of a name, where the tests on the way come out so."""
    for call in frame.scope.calls:
        callee = call.function
        if call.name != "append" or not isinstance(callee, ex.Attribute):
            continue
        if origin_of(callee.value) is not origin_of(name):
            continue
        tests = tests_before(frame.scope, call.span)
        if all(comes_out(context, t.test, frame, truth=t.truth) for t in tests):
            yield from ((a.value, frame) for a in call.arguments)


# -- transforms of the project


def _of_function_value(slice_: _Slice, value: ex.FunctionValue, _: CallContext) -> Drawing:
    return _of_function(slice_, value.function)


def _of_function(slice_: _Slice, scope: Scope) -> Drawing:
    """Where a function draws whenever it is called, and does not seed before."""
    context, frame = slice_.context, slice_.context.solver.root(scope)
    paths = {call: library_callees(context, call) for call in scope.calls}
    if any(not _SEEDING.isdisjoint(found) for found in paths.values()):
        return None
    for call in scope.calls:
        if any(walk.statements(scope.body)) and not call_always_runs(call, scope.body):
            continue
        drawn = any(drawn_by(path) is not None for path in paths[call])
        if drawn and not (is_dropped(call) or is_noise(call)):
            return context.place_of(call)
        applied = None if paths[call] or makes_views(call) else slice_.of(call.function, frame)
        if applied is not None:
            return applied
    return None


def is_noise(call: ex.Call) -> bool:
    """Whether a number is drawn for each element of a sample.

    Noise is part of many methods: likelihoods of dequantized data, denoising, masked samples.
    """
    if call.name in FORMED:
        return True
    sizes = (written(call, None, name) for name in SIZES)
    given = any(size is not None and not isinstance(size, ex.Constant) for size in sizes)
    return given or any(a.star or _is_size(a.value) for a in call.arguments)


def _is_size(value: ex.Expression) -> bool:
    """`x.shape`, `x.size()`."""
    if isinstance(value, ex.Call) and not value.arguments:
        value = value.function
    return isinstance(value, ex.Attribute) and value.name in SIZES


def makes_views(call: ex.Call) -> bool:
    """Whether a function calls one thing several times for views of a sample, drawn apart."""
    name = ex.spelled(call.function)
    same = [c for c in call.scope.calls if name is not None and ex.spelled(c.function) == name]
    views = [c for c in same if c is not call and _are_of_one(call, c)]
    return bool(views) or (isinstance(call.function, ex.Attribute) and repeats_views(call))


def _are_of_one(call: ex.Call, other: ex.Call) -> bool:
    """Whether two calls may be given the same first, or one of them nothing."""
    given, also = positional(call), positional(other)
    return not given or not also or may_be_alike(given[0], also[0])


def is_in_rounds(call: ex.Call) -> bool:
    """Whether a loop or a comprehension makes a call again."""
    return any(walk.enclosing_loops(call.statement)) or any(_comprehensions(call))


def repeats_views(call: ex.Call) -> bool:
    """Whether rounds make a call again that is given nothing of what each of them brings.

    What is given the frames of a video, one by one, makes no views of one picture.
    """
    parts = (part for given in positional(call) for part in parts_in_function(given))
    brought = {part.iterable for part in parts if isinstance(part, ex.Element)}
    rounds: list[ex.Expression | None] = [
        loop.iterable for loop in walk.enclosing_loops(call.statement)
    ]
    rounds += (iterable for made in _comprehensions(call) for iterable in made.iterables)
    return not brought.issuperset(rounds)


def _comprehensions(call: ex.Call) -> Iterator[ex.Comprehension]:
    """The comprehensions that a call stands in."""
    for expression in walk.expressions(call.statement):
        for part in walk.walk(expression):
            if isinstance(part, ex.Comprehension) and any(one is call for one in walk.walk(part)):
                yield part


_TABLE: dict[type, Callable[[_Slice, Any, CallContext], Drawing]] = {
    ex.Call: _of_call,
    ex.Conditional: _of_conditional,
    ex.Boolean: _of_boolean,
    ex.Subscript: _of_item,
    ex.FunctionValue: _of_function_value,
}
_QUESTION: Question[Drawing] = Question(None, _joined, _TABLE)
