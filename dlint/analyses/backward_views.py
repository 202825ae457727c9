"""Views that run backwards: which flips an array has gone through without a copy since.

Question: of which `x[::-1]`, `np.flip(x)`, `np.rot90(x)` may a value be a view, so that a stride of
it is negative? Lattice: sets of `Reversal`, united where paths meet; what is not known adds none.
Followed: the steps of a backward slice, functions that give views (transposed, squeezed, with a new
axis), slices, constant keys of displays, arrays that are gone through or indexed with an axis that
is known. An axis that is taken out by a number takes its reversal along; one that is turned round
twice is not reported, nor is an array that is made anew where a test asks for its strides, nor one
that comes through a `try` only where that has failed before it made another of it. Anything else
(arithmetic, `astype`, `copy`, fancy indexing) makes a new array, or is not known. Budget: that of
the slice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dlint.analyses.applied_in_turn import Turn, chains, given_first
from dlint.analyses.backward import Located, Question, Slice, steps
from dlint.analyses.binding import bind
from dlint.analyses.calls import is_method, library_callees
from dlint.analyses.handed_on import hands_on
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Try
from dlint.library_facts import strides as known

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext


class Reversal(NamedTuple):
    """One axis that was turned round; None for an axis that is not known any more.

    `is_array`: whether what was turned round is certainly an array, not a list or a string.
    """

    flip: ex.Subscript | ex.Call
    frame: CallContext
    axis: int | None
    is_array: bool


T = TypeVar("T")
Reversals = frozenset[Reversal]
_NONE: Reversals = frozenset()


def reversals(
    context: AnalysisContext, expression: ex.Expression, frame: CallContext
) -> list[Reversal]:
    """The flips that an array may be a view of, each once, in the order of places."""
    found = Slice(context, _QUESTION).of(expression, frame)
    by_flip: dict[ex.Expression, Reversal] = {}
    for each in found:
        by_flip.setdefault(each.flip, each)
    return sorted(by_flip.values(), key=lambda r: (r.frame.scope.module.path, r.flip.span))


def _union(found: Sequence[Reversals]) -> Reversals:
    return _NONE.union(*found)


# -- the transfer table


def _of_subscript(
    slice_: Slice[Reversals], subscript: ex.Subscript, frame: CallContext
) -> Reversals:
    key, index = ex.constant(subscript.index), subscript.index
    if key is not None and isinstance(key.value, str):
        return _of_key(slice_, subscript, key.value, frame)
    parts = index.items if isinstance(index, ex.Sequence) and index.kind == "tuple" else (index,)
    found = slice_.of(subscript.value, frame)
    for axis in _turned(parts):
        sure = len(parts) > 1 or is_array(slice_.context, subscript.value, frame)
        found = _flipped(found, Reversal(subscript, frame, axis, sure))
    taken = [_taken(part, frame) for part in parts]
    return _NONE if None in taken else _behind(found, taken)


def _of_key(
    slice_: Slice[Reversals], subscript: ex.Subscript, key: str, frame: CallContext
) -> Reversals:
    """The part of a display that stands under a key."""
    waiting, seen = [(subscript.value, frame)], set[Located]()
    found: list[Reversals] = []
    while waiting:
        located = waiting.pop()
        if located in seen or len(seen) > _MOST:
            continue
        seen.add(located)
        value, where = located
        if isinstance(value, ex.Mapping):
            items = [v for k, v in value.items if (c := ex.constant(k)) and c.value == key]
            found += [slice_.of(items[-1], where)] if items else []
        else:
            waiting += steps(slice_.context, value, where)
    return _union(found)


_MOST = 60
_PLANE = 2
_TURNS: dict[int, tuple[int | None, ...]] = {0: (), 1: (0,), 2: (0, 1), 3: (1,)}
"""The axes that `np.rot90` turns round, by how often it turns."""


def _turned(parts: Sequence[ex.Expression]) -> Iterator[int | None]:
    """The axes that an index turns round, from the end behind `...`."""
    for position, part in enumerate(parts):
        if isinstance(part, ex.Slice) and _is_backwards(part):
            before = [_kind(p) for p in parts[:position]]
            if "..." in before:
                yield position - len(parts)
            else:
                yield position if set(before) <= {"slice"} else None


def _is_backwards(part: ex.Slice) -> bool:
    step = part.bounds[2]
    step = None if step is None else ex.unnamed(step)
    if not isinstance(step, ex.Unary) or step.operator != "-":
        return False
    number = ex.constant(step.operand)
    return number is not None and isinstance(number.value, int) and number.value > 0


def _kind(part: ex.Expression) -> str:
    match part:
        case ex.Slice():
            return "slice"
        case ex.Opaque() if not part.children:
            return "..."
    return ""


def _taken(part: ex.Expression, frame: CallContext) -> str | None:
    """What a part of an index does to its axis: keep it, take one of it, add one; or not known."""
    kind = _kind(part)
    if kind:
        return kind
    number = ex.constant(part)
    if number is not None and (number.value is None or isinstance(number.value, int)):
        return "new" if number.value is None else "one"
    if isinstance(part, ex.Unary) and isinstance(part.operand, ex.Constant):
        return "one"
    if isinstance(part, ex.Attribute) and part.name == "newaxis":
        return "new"
    origin = ex.unnamed(part)
    scope = frame.scope
    given = isinstance(origin, ex.Parameter) and scope.name == "__getitem__"
    return "one" if given and len(scope.parameters) == 2 else None


def _behind(found: Reversals, taken: Sequence[str | None]) -> Reversals:
    """What is left of reversals behind an index; nothing of one whose axis may be taken out."""
    ones = [i for i, what in enumerate(taken) if what == "one"]
    if not ones:
        return _reordered(found) if "new" in taken else found
    if not set(taken) <= {"one", "slice"}:
        return _NONE
    left = set()
    for r in found:
        if r.axis is not None and r.axis < 0 and len(taken) == 1:
            left.add(r)
        elif r.axis is not None and r.axis >= 0 and r.axis not in ones:
            left.add(r._replace(axis=r.axis - sum(i < r.axis for i in ones)))
    return frozenset(left)


def _flipped(inner: Reversals, new: Reversal) -> Reversals:
    """What is turned round once more: an axis that was before runs forwards again."""
    apart = [r for r in inner if _are_apart(r.axis, new.axis)]
    return frozenset([*apart, new] if len(apart) == len(inner) else apart)


def _are_apart(one: int | None, other: int | None) -> bool:
    """Whether two axes differ; the last one is not among the first two of an image."""
    if one is None or other is None or one == other:
        return False
    return (one < 0) == (other < 0) or max(one, other) < _PLANE


def _of_element(slice_: Slice[Reversals], element: ex.Element, frame: CallContext) -> Reversals:
    """The rows of an array: its first axis is gone."""
    return _behind(slice_.of(element.iterable, frame), ["one"])


def _of_attribute(
    slice_: Slice[Reversals], attribute: ex.Attribute, frame: CallContext
) -> Reversals | None:
    return _reordered(slice_.of(attribute.value, frame)) if attribute.name == "T" else None


def _of_call(slice_: Slice[Reversals], call: ex.Call, frame: CallContext) -> Reversals | None:
    paths = set(library_callees(slice_.context, call))
    if paths & known.FLIPS.keys():
        return _of_flip(slice_, call, frame, next(iter(paths & known.FLIPS.keys())))
    first = written(call, 0, "a")
    if paths & known.SAME:
        typed = written(call, 1, "dtype") is not None
        return _NONE if typed or first is None else slice_.of(first, frame)
    if paths & known.VIEWS:
        return _NONE if first is None else _reordered(slice_.of(first, frame))
    callee = call.function
    if not isinstance(callee, ex.Attribute) or callee.name not in known.VIEW_METHODS:
        return _of_turns(slice_, call, frame)
    entered = any(True for _ in steps(slice_.context, call, frame))
    return None if entered else _reordered(slice_.of(callee.value, frame))


def _of_turns(
    slice_: Slice[Reversals], result: ex.Item | ex.Call, frame: CallContext
) -> Reversals | None:
    """`for f in functions: x = f(x)`: what no function behind it has made a new array of."""
    found = chains(slice_.context, result, frame)
    if found is None:
        return None
    before = _union([slice_.of(each, frame) for each in given_first(result)])
    return _union([_of_chain(slice_, turns, before) for turns in found])


def _of_chain(slice_: Slice[Reversals], turns: Sequence[Turn], before: Reversals) -> Reversals:
    """What the functions turn round themselves; else, where all hand on views, what was before."""
    found = _NONE
    for parts, inner in reversed(turns):
        found |= slice_.joined(parts)
        if not Slice(slice_.context, hands_on(inner)).joined(parts):
            return frozenset(r for r in found if r.flip not in {b.flip for b in before})
    return found or before


def _of_choice(_: object, choice: ex.Conditional, __: CallContext) -> Reversals | None:
    """Nothing where the strides decide: `x.copy() if min(x.strides) < 0 else x`."""
    asked = (part.name for part in walk.walk(choice.test) if isinstance(part, ex.Attribute))
    return None if known.LAYOUT.isdisjoint(asked) else _NONE


def _of_ways(slice_: Slice[Reversals], ways: ex.Join, frame: CallContext) -> Reversals | None:
    """In a handler: what the `try` has bound, not what it was given.

    That comes through only where the first step has failed, which is no way that is meant. Behind a
    loop that applies functions in turn: what these make, for there are some.
    """
    in_turn = [way for way in ways.alternatives if _is_turned(slice_.context, way, frame)]
    if in_turn:
        return slice_.joined((way, frame) for way in in_turn)
    bound = [way for way in ways.alternatives if _is_bound_by_try(way, ways, frame)]
    if len(bound) != len(ways.alternatives) - 1 or bound[:1] == [*ways.alternatives[:1]]:
        return None
    return slice_.joined((way, frame) for way in bound)


def _is_turned(context: AnalysisContext, way: ex.Expression, frame: CallContext) -> bool:
    """Whether a way is what a loop over functions makes of a value."""
    made = origin_of(way)
    return isinstance(made, ex.Item | ex.Call) and chains(context, made, frame) is not None


def _is_bound_by_try(way: ex.Expression, ways: ex.Join, frame: CallContext) -> bool:
    """Whether a value is bound in the body of the `try` at which ways meet."""
    definition = way.definition if isinstance(way, ex.Reference) else None
    tried = (s for s in walk.statements(frame.scope.body) if isinstance(s, Try))
    bodies = [s.body.statements for s in tried if s.span == ways.span]
    return definition is not None and any(
        body[0].span[0] <= definition.span[0] < body[-1].span[1] for body in bodies if body
    )


def _of_flip(slice_: Slice[Reversals], call: ex.Call, frame: CallContext, path: str) -> Reversals:
    facts = known.FLIPS[path]
    bound = bind(slice_.context, call, *facts.parameters)
    array = bound.get("m")
    if array is None:
        return _NONE
    found = slice_.of(array, frame)
    axes = facts.axes
    if path == "numpy.rot90":
        axes = _TURNS[_number(bound.get("k"), 1) % 4] if bound.get("axes") is None else (None,)
    elif axes is None:
        axes = (_number(bound.get("axis"), None),)
    for axis in axes:
        found = _flipped(found, Reversal(call, frame, axis, is_array=True))
    return found


def _number(expression: ex.Expression | None, usual: T) -> int | T:
    """A number that is written out; the usual one for anything else."""
    number = ex.constant(expression)
    return number.value if number is not None and isinstance(number.value, int) else usual


def _reordered(found: Reversals) -> Reversals:
    return frozenset(r._replace(axis=None) for r in found)


def is_array(context: AnalysisContext, value: ex.Expression, frame: CallContext) -> bool:
    """Whether a value is certainly an array of NumPy, on every path."""
    return Slice(context, _ARRAYS).of(value, frame)


def _makes_array(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    paths = [p for p in library_callees(slice_.context, call) if not is_method(p)]
    if paths:
        mapped = written(call, 1, "mmap_mode") is not None and "numpy.load" in paths
        return not mapped and all(path.startswith(known.ARRAY_MODULES) for path in paths)
    if _draws_array(slice_.context, call):
        return True
    if isinstance(call.function, ex.Attribute) and call.name in _KEEPING:
        return call.name == "numpy" or slice_.of(call.function.value, frame)
    return None


def _draws_array(context: AnalysisContext, call: ex.Call) -> bool:
    """`rng.normal(0, 1, (count, 3))`: a generator of NumPy that is told a shape."""
    shaped = isinstance(written(call, None, "size"), ex.Sequence) or any(
        isinstance(given, ex.Sequence) and given.kind == "tuple" for given in positional(call)
    )
    paths = library_callees(context, call) if shaped else ()
    return bool(paths) and all(path.startswith(_GENERATORS) for path in paths)


_GENERATORS = ("numpy.random.default_rng().", "numpy.random.RandomState().")

_KEEPING = frozenset({"astype", "copy", "reshape", "transpose", "numpy"})


def _binary(slice_: Slice[bool], binary: ex.Binary, frame: CallContext) -> bool:
    return any(slice_.of(side, frame) for side in (binary.left, binary.right))


def _part_of_array(slice_: Slice[bool], part: ex.Subscript, frame: CallContext) -> bool:
    """A slice of an array, or one of an archive; what a number takes out may be a number."""
    index = part.index
    if _is_archive(slice_.context, part.value):
        return True
    if isinstance(index, ex.Constant) and isinstance(index.value, str):
        return slice_.of(part.value, frame)
    parts = index.items if isinstance(index, ex.Sequence) else (index,)
    return any(isinstance(p, ex.Slice) for p in parts) and slice_.of(part.value, frame)


def _is_archive(context: AnalysisContext, value: ex.Expression) -> bool:
    """`file` of `with np.load(…) as file`: no array can be entered, an archive of arrays can."""
    entered = ex.unnamed(value)
    opened = entered.value if isinstance(entered, ex.Entered) else None
    return isinstance(opened, ex.Call) and library_callees(context, opened) == ("numpy.load",)


def _item_of_results(slice_: Slice[bool], item: ex.Item, frame: CallContext) -> bool | None:
    """`x, y = load()`: one part of the tuple that a function of the project returns."""
    if not isinstance(item.value, ex.Call) or item.starred:
        return None
    results = [(ex.unnamed(r), f) for r, f in steps(slice_.context, item.value, frame)]
    parts = [
        (display.items[item.position], where)
        for display, where in results
        if isinstance(display, ex.Sequence) and 0 <= item.position < len(display.items)
    ]
    return len(parts) == len(results) and slice_.joined(parts)


def _all(found: Iterable[bool]) -> bool:
    return all(found)


_ARRAYS: Question[bool] = Question(
    False,
    _all,
    {
        ex.Call: _makes_array,
        ex.Item: _item_of_results,
        ex.Binary: _binary,
        ex.Subscript: _part_of_array,
    },
)
"""Whether a value is an array of NumPy."""

_QUESTION: Question[Reversals] = Question(
    _NONE,
    _union,
    {
        ex.Subscript: _of_subscript,
        ex.Element: _of_element,
        ex.Item: _of_turns,
        ex.Attribute: _of_attribute,
        ex.Call: _of_call,
        ex.Conditional: _of_choice,
        ex.Join: _of_ways,
    },
)
"""Of which flips a value is a view."""
