"""Loops that take one thing after the other from a source until nothing is left: `while`.

Question: from what does a `while` loop read, so that nothing but the end of that ends the loop? A
read is `next(x)`, a method of files (`f.readline()`), or any call that is given a file that was
opened before the loop (`pickle.load(f)`). What ends the loop is its test, and each test before a
`break` or a `return` in it, or the handler of a `try` around a read. Followed are local names over
all paths. Given up on: files that an object keeps, for forked processes share how far they are
read, and files in which somebody goes to another place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlint.analyses.repetition import contains
from dlint.analyses.value_parts import alternatives_of, origin_of
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Jump, Loop, Return, Try
from dlint.library_facts.streams import READ_METHODS

if TYPE_CHECKING:
    from dlint.ir.module import Scope, Statement


def read_out(loop: Loop, scope: Scope) -> list[ex.Expression]:
    """What a `while` loop reads to its end; nothing where something else may end or drive it."""
    tests = [*_tests(loop)]
    if None in tests or not tests or any(_jumps(call) for call in scope.calls):
        return []
    leaves = [leaf for test in tests if test is not None for leaf in _leaves(test)]
    made = [part for leaf in leaves for part in alternatives_of(leaf)]
    reads = [part for part in made if not isinstance(part, ex.Constant)]
    sources = [_source(read, loop) for read in reads]
    known = [source for source in sources if source is not None]
    return known if len(known) == len(sources) and _uses(loop, reads) else []


def _tests(loop: Loop) -> Iterator[ex.Expression | None]:
    """What decides whether a loop ends; None where it ends by something else."""
    if loop.test is not None and not isinstance(loop.test, ex.Constant):
        yield loop.test
    for statement in walk.statements(loop.body):
        if isinstance(statement, Return) or _leaves_loop(statement, loop):
            yield from _before(statement, loop) or (None,)


def _leaves_loop(statement: Statement, loop: Loop) -> bool:
    is_break = isinstance(statement, Jump) and statement.kind == "break"
    return is_break and next(walk.enclosing_loops(statement), None) is loop


def _before(statement: Statement, loop: Loop) -> list[ex.Expression]:
    """The test, or the reads of the `try`, by which a statement in a loop is come to."""
    current = statement
    while current is not loop and (owner := current.block.owner) is not None:
        if isinstance(owner, If):
            return [owner.test]
        if isinstance(owner, Try) and current.block in owner.handlers:
            calls = (part for part in walk.parts(owner.body) if isinstance(part, ex.Call))
            return [call for call in calls if _source(call, loop) is not None]
        current = owner
    return []


def _leaves(test: ex.Expression) -> Iterator[ex.Expression]:
    """What a test asks, without how it is compared."""
    match test:
        case ex.Comparison() | ex.Boolean():
            yield from (*_leaves(test.left), *_leaves(test.right))
        case ex.Unary(operand=inner):
            yield from _leaves(inner)
        case ex.Call(name="len" | "bool", arguments=(ex.Argument(value=inner),)):
            yield from _leaves(inner)
        case ex.Constant():
            return
        case _:
            yield test


def _source(read: ex.Expression, loop: Loop) -> ex.Expression | None:
    """What a call takes the next of; None for any other call."""
    if not isinstance(read, ex.Call):
        return None
    given = positional(read)
    if isinstance(read.function, ex.Attribute) and read.name in READ_METHODS:
        given = [read.function.value]
    elif read.name != "next":
        given = [one for one in given if _is_opened(origin_of(one))]
    source = given[0] if given else None
    origin = None if source is None else origin_of(source)
    is_kept = isinstance(origin, ex.Attribute | ex.Parameter)
    return None if origin is None or is_kept or contains(loop.span, origin.span) else source


def _is_opened(origin: ex.Expression) -> bool:
    """Whether something is what `open` gives."""
    opening = origin_of(origin.value) if isinstance(origin, ex.Entered) else origin
    return isinstance(opening, ex.Call) and opening.name == "open"


def _jumps(call: ex.Call) -> bool:
    """Whether a call goes to a place in a file that is computed."""
    to = written(call, 0) if call.name == "seek" else None
    return to is not None and ex.constant(to) is None


def _uses(loop: Loop, reads: Sequence[ex.Expression]) -> bool:
    """Whether the body of a loop does something with what is read, but to test it."""
    tested = {id(part) for test in _tests(loop) if test is not None for part in walk.walk(test)}
    used = (part for part in walk.parts(loop.body) if isinstance(part, ex.Reference))
    return any(
        any(made in reads for made in alternatives_of(part))
        for part in used
        if id(part) not in tested
    )
