"""Code behind a statement that certainly fails.

Question: does a place lie behind a statement of its own block, or of one around it, that raises
whenever the program comes to it, or in a function that is called from such places alone. What
statements fail is said in `control.faults`; the failing statement itself counts as behind, but for
what it runs before it fails, as `main` in `sys.exit(main())`. Given up on: statements inside other
blocks before the place, which may not be run. Budget: that of `ways`; each statement is asked once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.faults import Fault, fault
from dlint.analyses.idle.ways import closing
from dlint.findings.places import Place
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Define

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir.module import Block, Scope, Statement


class Failure(NamedTuple):
    """A statement that fails, and why, as the end of a sentence."""

    place: Place
    because: str


class FailingCode:
    """Which places lie behind a statement that certainly fails."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Statement, Fault | None] = {}
        self._failures: dict[tuple[Scope, Span], Failure | None] = {}

    def before(self, place: Place) -> Failure | None:
        """The statement that fails before the program comes to a place; None where none may."""
        return closing(self._context, place, self._failure)

    def _failure(self, scope: Scope, span: Span) -> Failure | None:
        key = (scope, span)
        if key not in self._failures:
            self._failures[key] = self._found(scope, span)
        return self._failures[key]

    def _found(self, scope: Scope, span: Span) -> Failure | None:
        for statement in passed(scope.body, span):
            found = self._fault(scope, statement)
            if found is not None and not found.is_before(span):
                return Failure(Place(scope.module.path, *statement.span), found.because)
        return None

    def _fault(self, scope: Scope, statement: Statement) -> Fault | None:
        if statement not in self._known:
            self._known[statement] = fault(self._context, scope, statement)
        return self._known[statement]


@told_by_code
def passed(block: Block, span: Span) -> list[Statement]:
    """The statements that are certainly run on the way to a place in a block, it included."""
    return list(_passed(block, span))


def _passed(block: Block, span: Span) -> Iterator[Statement]:
    for statement in block.statements:
        if statement.span[0] >= span[1]:
            return
        if not isinstance(statement, Define) and statement.span[1] <= span[0]:
            yield statement
        if _holds(statement, span):
            yield statement
            for inner in walk.blocks(statement):
                if any(_holds(one, span) for one in inner.statements):
                    yield from _passed(inner, span)


def _holds(statement: Statement, span: Span) -> bool:
    return statement.span[0] <= span[0] and span[1] <= statement.span[1]
