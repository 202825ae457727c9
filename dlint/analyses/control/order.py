"""In which order the statements of one function run.

Question: when does one statement run, as seen from another: before, after, both (a loop around
both), or neither (branches that exclude each other). Followed: the tree of blocks; of `try` its
parts run one after the other. Given up on: which tests exclude each other that are not one `if`,
and order across functions (`call_paths` follows calls). Budget: the statements around both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Block, Loop, Statement, Try, With


class When(StrEnum):
    """When one statement runs, as seen from another of its function."""

    BEFORE = "before"
    AFTER = "after"


def relative_order(one: Statement, other: Statement) -> frozenset[When]:
    """When `one` runs relative to `other`; nothing where they exclude each other.

    A loop whose body holds `other` has begun before it; a loop around both brings `one` again.
    """
    ours, theirs = _path(one), _path(other)
    together: list[Statement] = []
    for (block, statement), (their_block, their_statement) in zip(ours, theirs, strict=False):
        if block is not their_block:
            first = _of_branches(block, their_block)
            return frozenset() if first is None else _around(first, together)
        if statement is not their_statement:
            earlier = block.statements.index(statement) < block.statements.index(their_statement)
            return _around(When.BEFORE if earlier else When.AFTER, together)
        if statement is one:
            # the loop that `other` stands in; or one statement that does both, again and again
            if one is not other:
                return _around(When.BEFORE, together)
            return _around(None, together)
        together.append(statement)
    return frozenset()


def _around(first: When | None, together: Iterable[Statement]) -> frozenset[When]:
    """In a loop around both, what came first comes again."""
    again = any(isinstance(statement, Loop) for statement in together)
    found = {first, When.AFTER} if again else {first}
    return frozenset(one for one in found if one is not None)


def _of_branches(block: Block, other: Block) -> When | None:
    """Two branches of one statement: those of `try` run one after the other."""
    owner = block.owner
    if not isinstance(owner, Try) or {block.role, other.role} <= {"else", "handler"}:
        return None
    order = [owner.body, owner.otherwise, *owner.handlers, owner.final]
    return When.BEFORE if order.index(block) < order.index(other) else When.AFTER


def _path(statement: Statement) -> list[tuple[Block, Statement]]:
    """The blocks around a statement, each with the statement of it that leads there."""
    steps = [(statement.block, statement)]
    steps += [(outer.block, outer) for outer in walk.ancestors(statement)]
    return steps[::-1]


def step_of(block: Block, statement: Statement) -> Statement | None:
    """The statement of a block that holds another one, or is it; None where it is elsewhere."""
    around = (statement, *walk.ancestors(statement))
    return next((outer for outer in around if outer.block is block), None)


def is_inside(statement: Statement, loop: Loop) -> bool:
    """Whether the body of a loop holds a statement."""
    return any(outer is loop for outer in walk.enclosing_loops(statement))


def following(statement: Statement) -> Iterator[Statement]:
    """The statements behind one, those behind the blocks around it included."""
    current: Statement | None = statement
    while current is not None:
        later = next_in_block(current)
        if later is not None:
            yield from later.body.statements if isinstance(later, With) else (later,)
        current = current.block.owner if later is None else later


@told_by_code
def next_in_block(statement: Statement) -> Statement | None:
    """The statement behind one in its block; None behind the last."""
    statements = statement.block.statements
    following = statements.index(statement) + 1
    return statements[following] if following < len(statements) else None


def preceding(statement: Statement) -> Iterator[Statement]:
    """The statements before one, the nearest first, those before the blocks around it included.

    What a `with` holds is given in its place.
    """
    current: Statement | None = statement
    while current is not None:
        statements = current.block.statements
        for earlier in reversed(statements[: statements.index(current)]):
            inner = earlier.body.statements if isinstance(earlier, With) else [earlier]
            yield from reversed(inner)
        current = current.block.owner
