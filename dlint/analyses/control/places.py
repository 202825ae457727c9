"""Statements of a block by their places, looked up rather than searched.

Question: which statement of a block holds a span, and where in it stand those that may leave it?
A block of a generated file has tens of thousands of statements, and each may be asked for. Followed
is nothing but the order in which statements stand. Budget: one walk over a block.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from dlint.analyses.control.completions import Completions, statement_completions
from dlint.analyses.repetition import contains
from dlint.findings.places import Span
from dlint.ir.module import Block, Statement
from dlint.ir.remembering import remembered


def statement_around(block: Block, span: Span) -> Statement | None:
    """The statement of a block that holds a span."""
    index = bisect_right(_starts(block), span[0]) - 1
    if index < 0 or not contains(block.statements[index].span, span):
        return None
    return block.statements[index]


@remembered(4096)
def _starts(block: Block) -> tuple[int, ...]:
    return tuple(statement.span[0] for statement in block.statements)


def may_leave_between(block: Block, ways: Completions, start: int, end: int) -> bool:
    """Whether a statement that begins from `start` on and before `end` may complete in one of
    these ways."""
    leaving = _leaving(block, ways)
    index = bisect_left(leaving, start)
    return index < len(leaving) and leaving[index] < end


@remembered(4096)
def _leaving(block: Block, ways: Completions) -> tuple[int, ...]:
    """Where the statements of a block begin that may complete in one of these ways."""
    return tuple(s.span[0] for s in block.statements if statement_completions(s) & ways)
