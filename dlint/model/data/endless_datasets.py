"""Data sets that never end when they are gone through: `__getitem__` takes any index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Located, steps
from dlint.analyses.calls import calls_anywhere, certainly_calls, library_callees, load_makers
from dlint.analyses.control.completions import is_dead
from dlint.analyses.read_whole import read_whole
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Class, Jump, Loop, Return, Scope
from dlint.library_facts.passthrough import COLLECTING, ENDING, ZIPPED, first_argument
from dlint.library_facts.seeding import SEEDED_GENERATORS
from dlint.library_facts.streams import BASES as ITERABLE
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_MAP_STYLE = frozenset(
    {"torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset", "builtins.object"}
)
_PLAIN = frozenset({"typing.Generic", "abc.ABC"})
_HARMLESS = ("torch.", "numpy.", "random.", "math.")
_READING = ("load", "from", "mem", "open", "read", "select", "take", "gen", "index", "choice")
_COUNTING = ZIPPED & {"builtins.enumerate"}
_EACH = frozenset({"builtins.map", "builtins.filter"})
_MOST = 100
"""Expressions that are looked at for where a data set comes from."""

_NUMBERS = frozenset(
    {"builtins.int", "builtins.float", "builtins.str", "builtins.print", "torch.from_numpy"}
    | {"builtins.min", "builtins.max", "builtins.abs", "builtins.round"}
)


class EndlessLoop(NamedTuple):
    """A loop over a data set of the project that no index ends.

    `name` is the class of the data set, `getter` where its `__getitem__` stands.
    """

    place: Place
    name: str
    getter: Place


def endless_loops(context: AnalysisContext) -> Iterator[EndlessLoop]:
    """Loops over data sets whose `__getitem__` never raises IndexError, and that nothing leaves."""
    load_makers(context, lambda cls: _getter(context, cls) is not None)
    classes = {
        c: g for f in context.modules for c in f.module.classes if (g := _getter(context, c))
    }
    _load_takers(context, set(classes))
    for iterable, scope in _read_whole(context) if classes else ():
        cls = _gone_through(context, iterable, scope)
        if cls is not None and cls in classes:
            getter = classes[cls]
            yield EndlessLoop(
                Place(scope.module.path, *iterable.span),
                cls.name,
                Place(getter.module.path, *getter.span),
            )


def _load_takers(context: AnalysisContext, classes: set[Class]) -> None:
    """Load the modules of functions that objects of classes are handed to, one by the other."""
    made = calls_anywhere(context, *(cls.name for cls in classes))
    waiting, seen = [call.scope for call in made], set[Scope]()
    while waiting:
        scope = waiting.pop()
        if scope in seen:
            continue
        seen.add(scope)
        for call in scope.calls:
            given = [v for a in call.arguments for v in context.values(a.value, scope)]
            if not classes.isdisjoint(map(attributes.project_class, given)):
                # what a callee may be is asked of the module that defines it
                callees = context.values(call.function, scope)
                waiting += [c.scope for c in callees if isinstance(c, FunctionObject | Method)]


def _read_whole(context: AnalysisContext) -> Iterator[tuple[ex.Expression, Scope]]:
    """What loops that nothing leaves go through, comprehensions, and functions such as `sum`."""
    for facts in context.modules:
        for scope in facts.module.scopes:
            for statement in walk.statements(scope.body):
                if is_dead(statement):
                    continue
                if isinstance(statement, Loop) and statement.iterable and not _is_left(statement):
                    yield _of_generator(statement.iterable), scope
                for expression in walk.expressions(statement):
                    for part in walk.walk(expression):
                        yield from ((read, scope) for read in _gathered(context, part))


def _gathered(context: AnalysisContext, part: ex.Expression) -> Iterator[ex.Expression]:
    """What an expression goes through to its end: `[f(x) for x in data]`, `sum(… for x in data)`.

    Of a comprehension only what it takes first: it may never come to what is nested in that.
    """
    match part:
        case ex.Comprehension(kind="generator"):
            return
        case ex.Comprehension() if not _may_stop([part.element, *part.conditions]):
            yield part.iterables[0]
        case ex.Starred():
            yield _of_generator(part.value)
        case ex.Call():
            yield from map(_of_generator, read_whole(context, part))


def _of_generator(read: ex.Expression) -> ex.Expression:
    """What a generator expression goes through if it is gone through; any other one itself."""
    made = ex.unnamed(read)
    is_plain = isinstance(made, ex.Comprehension) and made.kind == "generator"
    if not isinstance(made, ex.Comprehension) or not is_plain:
        return read
    return read if _may_stop([made.element, *made.conditions]) else made.iterables[0]


def _gone_through(context: AnalysisContext, iterable: ex.Expression, scope: Scope) -> Class | None:
    """The one class of the project that a loop goes through, by `enumerate` and progress bars."""
    while (further := _handed_on(context, ex.unnamed(iterable))) is not None:
        iterable = further
    found = {attributes.project_class(v) for v in context.values(iterable, scope)}
    cls = found.pop() if len(found) == 1 else None
    return None if cls is None or _may_end(context, iterable, scope) else cls


def _may_end(context: AnalysisContext, iterable: ex.Expression, scope: Scope) -> bool:
    """Whether it may be `islice(data, 5)` of somewhere else, which denotes the data set too."""
    waiting, seen = [(iterable, context.solver.root(scope))], set[Located]()
    while waiting and len(seen) < _MOST:
        located = part, frame = waiting.pop()
        if located in seen:
            continue
        seen.add(located)
        if isinstance(part, ex.Call) and not ENDING.isdisjoint(library_callees(context, part)):
            return True
        further = _handed_on(context, part)
        waiting += steps(context, *located) if further is None else [(further, frame)]
    return bool(waiting)


def _handed_on(context: AnalysisContext, made: ex.Expression) -> ex.Expression | None:
    """What an iterator takes its items from, as long as there are any."""
    inner = _of_generator(made)
    if not isinstance(made, ex.Call):
        return None if inner is made else inner
    if certainly_calls(context, made, _EACH):
        return written(made, 1) if len(made.arguments) == len(("function", "data")) else None
    paths = library_callees(context, made)
    hands_on = all(first_argument(path) or path in COLLECTING | _COUNTING for path in paths)
    is_whole = bool(paths) and hands_on and ENDING.isdisjoint(paths)
    return written(made, 0, "iterable") if is_whole else None


def _is_left(loop: Loop) -> bool:
    """Whether the body of a loop may leave it: by `break`, `return`, `raise`, or `exit()`."""
    statements = list(walk.statements(loop.body))
    leaves = any(
        isinstance(s, Return) or (isinstance(s, Jump) and s.kind != "continue") for s in statements
    )
    return leaves or _may_stop(e for s in statements for e in walk.expressions(s))


def _may_stop(expressions: Iterable[ex.Expression]) -> bool:
    """Whether something in a round may end the program, or raise StopIteration."""
    parts = (part for expression in expressions for part in walk.walk(expression))
    return any(isinstance(p, ex.Call) and p.name in ("exit", "_exit", "next") for p in parts)


def _getter(context: AnalysisContext, cls: Class) -> Scope | None:
    """The `__getitem__` of a data set that takes every index, where nothing else iterates it."""
    classes = context.solver.classes
    paths = set(classes.externals(cls))
    if (
        not classes.is_whole(cls)
        or not paths & _MAP_STYLE
        or paths - _MAP_STYLE - {"typing.Generic"}
    ):
        return None
    getter = classes.method(cls, "__getitem__")
    if getter is None or len(getter.parameters) != 2 or attributes.decorators(getter):
        return None
    others = ("__iter__", "__getattr__", "__next__")
    if any(classes.method(cls, name) is not None for name in others) or paths & ITERABLE:
        return None
    return getter if getter.returns and _takes_every_index(context, getter) else None


def _takes_every_index(context: AnalysisContext, getter: Scope) -> bool:
    """Whether an index is only reckoned with, so that none of them raises."""
    statements = list(walk.statements(getter.body))
    if any(isinstance(s, Jump) and s.kind == "raise" for s in statements):
        return False
    return all(
        _is_harmless(context, part, getter.parameters[1].name)
        for statement in statements
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )


def _is_harmless(context: AnalysisContext, part: ex.Expression, index: str) -> bool:
    """Whether a part of the method raises for no index: no look-up by it, no unknown call."""
    if isinstance(part, ex.Subscript):
        return not _depends(context, part.index, index)
    if not isinstance(part, ex.Call):
        return True
    paths = library_callees(context, part)
    reckons = [path in _NUMBERS or _reckons(path) for path in paths]
    if reckons and all(reckons):
        return True
    return not any(_depends(context, argument.value, index) for argument in part.arguments)


def _reckons(path: str) -> bool:
    """Whether a library's function makes numbers of numbers, and reads nothing."""
    return path.startswith(_HARMLESS) and not path.rpartition(".")[2].startswith(_READING)


def _depends(context: AnalysisContext, expression: ex.Expression, index: str) -> bool:
    """Whether an expression reads the index, or a name that is bound to what does.

    Not where it reads a remainder alone: what comes of `index % n` comes round again, so it raises
    for no index beyond `n` that has not raised for one below. Nor where the index only seeds a
    generator, for what that draws is within the same bounds for each seed.
    """
    waiting, seen = [expression], set[ex.Definition]()
    while waiting:
        part = waiting.pop()
        if _is_index(part, index):
            return True
        made = part.definition if isinstance(part, ex.Reference) else None
        if made is not None and made not in seen:
            seen.add(made)
            waiting.append(made.value)
        elif not isinstance(part, ex.Reference) and not _comes_round(context, part):
            waiting += walk.children(part)
    return False


def _is_index(part: ex.Expression, index: str) -> bool:
    if isinstance(part, ex.Reference) and part.definition is not None:
        return False
    return isinstance(part, ex.Parameter | ex.Reference) and part.name == index


def _comes_round(context: AnalysisContext, part: ex.Expression) -> bool:
    """Whether it is a remainder, or a generator that is seeded by what stands in the call."""
    if isinstance(part, ex.Call):
        return certainly_calls(context, part, SEEDED_GENERATORS)
    return _is_remainder(part)


def _is_remainder(part: ex.Expression) -> bool:
    """`index % len(x)`, `divmod(index, len(x))[1]`."""
    if isinstance(part, ex.Binary):
        return part.operator == "%"
    made: ex.Expression | None = None
    position: object = None
    if isinstance(part, ex.Item):
        made, position = ex.unnamed(part.value), part.position
    elif isinstance(part, ex.Subscript):
        number = ex.constant(part.index)
        made, position = ex.unnamed(part.value), number and number.value
    is_pair = isinstance(made, ex.Call) and made.name == "divmod" and ex.is_free(made.function)
    return is_pair and position in (1, -1)
