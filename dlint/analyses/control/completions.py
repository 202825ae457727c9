"""How a block of statements ends: the ways in which control leaves it.

Lattice: sets of `Completion`, by inclusion; the empty set is a block that never ends. Transfer: a
sequence ends as its parts do, as long as one before falls through; `if` with a constant test takes
one branch, else both meet; a `while` of a constant true test falls through by `break` alone; a
handler may run whatever its `try` does; `finally` overrides where it never falls through; `with`
may swallow what is raised in it; a `match` may match nothing. What `sys.exit()` and its kind leave
is a program that ends: `RAISE`.
Given up on: exceptions that no statement raises by itself, tests that are not constants (those that
the values of a program decide are asked by `path_tests.can_run`), functions that never return.
Budget: each block is looked at once, as long as it is among the last few thousand.
"""

from __future__ import annotations

from enum import StrEnum

from dlint.ir import expressions as ex
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import (
    Block,
    Evaluate,
    If,
    Jump,
    Loop,
    Match,
    Return,
    Scope,
    Statement,
    Try,
    With,
)
from dlint.ir.remembering import remembered
from dlint.ir.walk import bindings_of


class Completion(StrEnum):
    """One way in which control leaves a statement."""

    NEXT = "falls through"
    RETURN = "return"
    RAISE = "raise"
    BREAK = "break"
    CONTINUE = "continue"


Completions = frozenset[Completion]

_NEXT: Completions = frozenset({Completion.NEXT})
_OF_LOOP: Completions = frozenset({Completion.BREAK, Completion.CONTINUE})
LEAVING: Completions = frozenset({Completion.RETURN, Completion.BREAK, Completion.CONTINUE})
"""Ways to leave a block before its end that are no failure."""

_EXITS = frozenset({"sys.exit", "os._exit", "os.abort", "exit", "quit"})


@told_by_code
def completions(block: Block) -> Completions:
    """The ways in which control may leave a block; it falls through where it is empty."""
    return _of_block(block)


@remembered(4096)
def _of_block(block: Block) -> Completions:
    found: Completions = _NEXT
    for statement in block.statements:
        found = (found - _NEXT) | statement_completions(statement)
        if Completion.NEXT not in found:
            break
    return found


def statement_completions(statement: Statement) -> Completions:
    """The ways in which control may leave one statement."""
    match statement:
        case Return():
            return frozenset({Completion.RETURN})
        case Jump():
            return frozenset({Completion(statement.kind)})
        case Evaluate() if _ends_program(statement.value):
            return frozenset({Completion.RAISE})
        case If():
            return frozenset().union(*map(completions, taken_branches(statement)))
        case Loop():
            return _of_loop(statement)
        case With():
            inner = completions(statement.body)
            return inner | _NEXT if Completion.RAISE in inner else inner
        case Try():
            return _of_try(statement)
        case Match():
            return _NEXT.union(*map(completions, statement.cases))
    return _NEXT


def taken_branches(statement: If) -> tuple[Block, ...]:
    """The branches of an `if` that its test, if it is a constant, leaves."""
    truth = constant_truth(statement.test)
    if truth is None:
        return statement.then, statement.otherwise
    return (statement.then,) if truth else (statement.otherwise,)


def constant_truth(test: ex.Expression | None) -> bool | None:
    """The truth of a test that is a constant; None for others."""
    return bool(test.value) if isinstance(test, ex.Constant) else None


def _of_loop(loop: Loop) -> Completions:
    body, truth = completions(loop.body), constant_truth(loop.test)
    left = frozenset[Completion]() if truth is False else body - _OF_LOOP - _NEXT
    if truth is not True:
        left |= completions(loop.otherwise)
    broken = Completion.BREAK in body and truth is not False
    return left | _NEXT if broken else left


def _of_try(statement: Try) -> Completions:
    found = completions(statement.body)
    if Completion.NEXT in found:
        found = (found - _NEXT) | completions(statement.otherwise)
    found = found.union(*map(completions, statement.handlers))
    final = completions(statement.final)
    return final if Completion.NEXT not in final else found | (final - _NEXT)


def _ends_program(value: ex.Expression) -> bool:
    """Whether an expression is a call that ends the program: `sys.exit()`."""
    if not isinstance(value, ex.Call):
        return False
    callee, parts = value.function, list[str]()
    while isinstance(callee, ex.Attribute):
        parts.append(callee.name)
        callee = callee.value
    if not isinstance(callee, ex.Reference):
        return False
    return ".".join([_imported(callee, value.scope), *reversed(parts)]) in _EXITS


def _imported(name: ex.Reference, scope: Scope) -> str:
    """The path of what a name is imported as; the name itself where nothing binds it."""
    where: Scope | None = scope
    while where is not None:
        bound = [d.value for d in bindings_of(where, name.name)]
        if bound:
            value = bound[0] if len(bound) == 1 else None
            if not isinstance(value, ex.Imported) or value.level:
                return ""
            return ".".join(filter(None, (value.module, value.name)))
        where = where.parent
    return name.name


def is_dead(statement: Statement) -> bool:
    """Whether nothing runs a statement: behind what never falls through, or by a constant test."""
    current = statement
    while True:
        block = current.block
        if _is_cut_off(block, current):
            return True
        owner = block.owner
        if owner is None:
            return False
        if isinstance(owner, If) and block not in taken_branches(owner):
            return True
        if isinstance(owner, Loop) and constant_truth(owner.test) is (block is not owner.body):
            return True
        current = owner


def _is_cut_off(block: Block, statement: Statement) -> bool:
    """Whether a statement before this one of the same block never falls through."""
    end = end_of(block)
    return end is not None and statement.span[0] > end.span[0]


@told_by_code
def end_of(block: Block) -> Statement | None:
    """The first statement of a block that never falls through."""
    return _end(block)


@remembered(4096)
def _end(block: Block) -> Statement | None:
    ends = (s for s in block.statements if Completion.NEXT not in statement_completions(s))
    return next(ends, None)


def leaves_in_first_round(loop: Loop) -> bool:
    """Whether no round of a loop is followed by another: it returns, breaks or raises."""
    return not completions(loop.body) & {Completion.NEXT, Completion.CONTINUE}
