"""Which calls of one process are made after others, or are made a second time.

Question: is a call, wherever it is reached, made after another call of some kind in the same
process; and does one run of the program make it again. Followed: the chains of calls that lead to
both, up to the function that has them both; loops whose every round comes to it, and comprehensions
without conditions; managers that a `with` enters; modules that are imported before, where the other
call stands at their top.
Given up on: callees that may be several, decorated functions that may keep their result, other
generators and coroutines, and whatever a test decides that a round, or an earlier call, may change.
What is tried (`try`, `suppress`) may fail on purpose and is no second call; as an earlier one it
counts.
Budget: that of `call_paths`, chains of `DEEP` calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.control.call_paths import chains_to
from dlint.analyses.control.caught import is_caught
from dlint.analyses.control.order import When, relative_order
from dlint.analyses.control.path_tests import (
    call_always_runs,
    is_optional,
    is_under_main_guard,
    runs_at_import,
    runs_whenever,
    tests_of_call,
)
from dlint.analyses.control.rounds import runs_once
from dlint.analyses.entered_managers import calls_entering, entered_manager, is_entered
from dlint.analyses.value_parts import alternatives_of, origin_over_calls
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop, Try
from dlint.ir.walk import bindings_of
from dlint.library_facts.concurrency import EdgeKind
from dlint.semantics.libraries.argparsing import levels
from dlint.semantics.libraries.fixed_options import may_be_written
from dlint.semantics.values.choices import outcomes_in_calls
from dlint.semantics.values.values import Namespace

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir.module import Block, Scope, Statement

_CALL = frozenset({EdgeKind.CALL})
_PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod", "no_grad", "main", "record"})
_MANAGERS = frozenset({"contextmanager"})

Chain = tuple[ex.Call, ...]
"""A call, the call of the function that makes it, and so on outwards."""


class Again(NamedTuple):
    """A call that is made when `first` has been made: another call, or itself in an earlier round.

    `chain` leads to the call; `around` is where the loop begins that repeats it, None without one.
    """

    call: ex.Call
    first: ex.Call
    chain: Chain
    around: Span | None


def made_again(
    context: AnalysisContext, firsts: Iterable[ex.Call], seconds: Iterable[ex.Call]
) -> Iterator[Again]:
    """The calls of `seconds` that come after one of `firsts`, or, if they are one, after itself."""
    earlier = [chain for call in firsts for chain in chains_of(context, call)]
    for call in seconds:
        chains = list(chains_of(context, call))
        for chain in chains:
            if any(is_caught(context, c.statement) for c in chain):
                continue
            found = _repeated(context, chain)
            if found is None and not _is_led_to(chain, chains):
                found = _followed(context, chain, earlier)
            if found is not None:
                yield found
                break


def _is_led_to(chain: Chain, chains: list[Chain]) -> bool:
    """Whether longer chains say how a chain is come to: what is tried or tested on the way."""
    return any(len(chain) < len(other) and other[: len(chain)] == chain for other in chains)


def chains_of(context: AnalysisContext, call: ex.Call) -> Iterator[Chain]:
    """A call alone, and with the calls that lead to it in its process, as far as each is plain."""
    yield (call,)
    for chain in chains_to(context, call.scope, lambda c: _is_plain(context, c), _callers):
        if all(_is_plain(context, c) for c in chain):
            yield (call, *chain)


def _callers(context: AnalysisContext, scope: Scope) -> list[ex.Call]:
    return [*callers_of(context, scope, _CALL), *calls_entering(context, scope)]


def _is_plain(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call certainly runs the body of one function, each time it is made.

    One that a `with` enters runs the `__enter__` of what it makes as well.
    """
    entered, manager = callees_of(context, call), entered_manager(context, call)
    scopes = [*entered] if manager is None else [*entered, manager]
    return len(entered) <= 1 and bool(scopes) and all(_runs_plainly(s, call) for s in scopes)


def _runs_plainly(scope: Scope, call: ex.Call) -> bool:
    """Whether a call of a function runs its body: one that yields only where a `with` enters it."""
    if scope.is_async:
        return False
    names = {_decorator(d) for d in scope.decorators}
    if scope.yields:
        return names == _MANAGERS and is_entered(call)
    return names <= _PLAIN_DECORATORS


def _decorator(expression: ex.Expression) -> str | None:
    if isinstance(expression, ex.Call):
        return expression.name
    if isinstance(expression, ex.Attribute | ex.Reference):
        return expression.name
    return None


# -- again and again


def _repeated(context: AnalysisContext, chain: Chain) -> Again | None:
    """The loop or comprehension that makes the outermost call of a chain in each round."""
    site = chain[-1]
    if not all(_always(context, c, c.scope.body) for c in chain[:-1]):
        return None
    loop = next(walk.enclosing_loops(site.statement), None)
    if loop is not None and _each_round(context, site, loop):
        return Again(chain[0], chain[0], chain, loop.header)
    for part in _comprehensions(site):
        if part.conditions or not _is_element(part, site):
            continue
        if not _is_one(context, part.iterables, site.scope):
            return Again(chain[0], chain[0], chain, part.span)
    return None


def _each_round(context: AnalysisContext, site: ex.Call, loop: Loop) -> bool:
    iterable = () if loop.iterable is None else (loop.iterable,)
    if _is_one(context, iterable, site.scope) or runs_once(context, loop, site.scope):
        return False
    return _always(context, site, loop.body)


def _always(context: AnalysisContext, call: ex.Call, within: Block) -> bool:
    """Whether each run of a block makes a call, but for tests whose answer stays the same."""
    if call_always_runs(call, within):
        return True
    inside = [(test, truth) for test, truth in tests_of_call(call) if _is_in(test, within)]
    fixed = bool(inside) and all(
        _is_fixed(test, call.scope) or _comes_out(context, test, call.scope, truth)
        for test, truth in inside
    )
    return fixed and _under_tests_only(call, within)


def _comes_out(context: AnalysisContext, test: ex.Expression, scope: Scope, truth: bool) -> bool:
    """Whether a test of options comes out so by their defaults, and nothing writes to these."""
    parts = list(walk.walk(test))
    options = [part for part in parts if isinstance(part, ex.Attribute)]
    names = [part for part in parts if isinstance(part, ex.Reference)]
    if any(isinstance(part, ex.Call | ex.Subscript) for part in parts) or not options:
        return False
    if len(names) > len(options) or not all(_is_option(context, o, scope) for o in options):
        return False
    frame = context.solver.root(scope)
    found = outcomes_in_calls(context.evaluator, test, frame, lambda _: True)
    return {outcome for outcome, _ in found} == {truth}


def _is_option(context: AnalysisContext, part: ex.Attribute, scope: Scope) -> bool:
    """Whether it is an option of a command line that no module writes."""
    values = context.values(part.value, scope)
    return bool(values) and all(
        isinstance(value, Namespace)
        and not may_be_written(context.project, value, part.name, [*levels(context.solver, value)])
        for value in values
    )


def _is_in(test: ex.Expression, within: Block) -> bool:
    return any(s.span[0] <= test.span[0] < s.span[1] for s in within.statements)


def _under_tests_only(call: ex.Call, within: Block) -> bool:
    """Whether nothing but `if` stands around a call in a block."""
    statement: Statement | None = call.statement
    while statement is not None and statement.block is not within:
        statement = statement.block.owner
        if isinstance(statement, Loop | Try):
            return False
    return statement is not None and not is_optional(call)


def _is_fixed(test: ex.Expression, scope: Scope) -> bool:
    """Whether a test asks only imported modules: `torch.cuda.is_available()`, `os.name`."""
    names = {part.name for part in walk.walk(test) if isinstance(part, ex.Reference)}
    return all(_is_imported(name, scope) for name in names)


def _is_imported(name: str, scope: Scope) -> bool:
    outer: Scope | None = scope
    while outer is not None:
        bound = bindings_of(outer, name)
        if bound:
            return all(isinstance(d.value, ex.Imported) for d in bound)
        outer = outer.parent
    return False


def _comprehensions(site: ex.Call) -> Iterator[ex.Comprehension]:
    for expression in walk.expressions(site.statement):
        for part in walk.walk(expression):
            if isinstance(part, ex.Comprehension) and part.kind != "generator":
                yield part


def _is_element(part: ex.Comprehension, site: ex.Call) -> bool:
    """Whether what a comprehension makes for each round always makes a call, and by itself."""
    elements = part.element.items if isinstance(part.element, ex.Sequence) else [part.element]
    return any(_is_made_by(element, site) for element in elements)


def _is_made_by(expression: ex.Expression, site: ex.Call) -> bool:
    """Whether a call is made each time that an expression is computed: no part may pass it over."""
    if expression is site:
        return True
    for inner in walk.children(expression):
        if _is_made_by(inner, site):
            later = isinstance(expression, ex.Boolean) and inner is expression.right
            chosen = isinstance(expression, ex.Conditional) and inner is not expression.test
            return not later and not chosen and not isinstance(expression, ex.Comprehension)
    return False


def _is_one(context: AnalysisContext, iterables: Sequence[ex.Expression], scope: Scope) -> bool:
    """Whether a display of one item may be what is gone through, by its names or as an argument."""
    root = context.solver.root(scope)
    named = (part for iterable in iterables for part in alternatives_of(iterable))
    behind = (origin_over_calls(context, part, root)[0] for part in named)
    displays = [made for made in behind if isinstance(made, ex.Sequence)]
    return any(
        len(made.items) < 2 and (made in iterables or _is_fixed_display(made)) for made in displays
    )


def _is_fixed_display(made: ex.Sequence) -> bool:
    """Whether what has a name holds what stands there, for good."""
    is_one = len(made.items) == 1 and not isinstance(made.items[0], ex.Starred)
    return made.kind == "tuple" and is_one


# -- one after the other


def _followed(context: AnalysisContext, chain: Chain, earlier: list[Chain]) -> Again | None:
    """An earlier call that certainly is made before the outermost call of a chain."""
    for other in earlier:
        own, before = _apart(chain, other)
        site, begin = own[-1], before[-1]
        if not all(_always(context, c, c.scope.body) for c in before[:-1]):
            continue
        if begin.scope is site.scope and begin is not site and _is_before(begin, site):
            return Again(chain[0], other[0], chain, None)
        if len(other) == 1 and chain[0] is not begin and _is_imported_by(context, begin, site):
            return Again(chain[0], begin, chain, None)
    return None


def _apart(chain: Chain, other: Chain) -> tuple[Chain, Chain]:
    """Two chains without the outer calls by which both are come to."""
    while len(chain) > 1 and len(other) > 1 and chain[-1] is other[-1]:
        chain, other = chain[:-1], other[:-1]
    return chain, other


def _is_before(one: ex.Call, other: ex.Call) -> bool:
    if is_optional(one):
        return False
    if one.statement is other.statement:
        return one.span < other.span and not is_optional(other)
    order = relative_order(one.statement, other.statement)
    return When.BEFORE in order and runs_whenever(one.statement, other.statement)


def _is_imported_by(context: AnalysisContext, early: ex.Call, site: ex.Call) -> bool:
    """Whether a call stands at the top of a module that the program of another call imports."""
    if not runs_at_import(early) or not call_always_runs(early, early.scope.body):
        return False
    module = site.scope.module
    starts = is_under_main_guard(site.scope, site.span) or site.scope.kind == "function"
    if early.scope.module is module:
        return starts and site.scope.kind == "function"
    imports = context.project.imports
    for definition in module.body.definitions:
        value = definition.value
        if starts and isinstance(value, ex.Imported):
            path = imports.resolve(module.path, value.module, value.level)
            inner = imports.member(path, value.name) if path and value.name else None
            if early.scope.module.path in (path, inner):
                return True
    return False
