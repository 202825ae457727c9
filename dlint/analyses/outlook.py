"""Whether what is left of a large program is past the budget, told while half of it is left.

Question: would the functions that wait to be visited take far more steps than there are? Each is
taken to take what those visited within the second quarter of the budget took, and since; more will
wait by then. A program is given up only where that comes to twice the budget: what it takes is
thrown away, and it is looked at module by module.
"""

from __future__ import annotations

from dlint.semantics.values.solver import BUDGET

_BEGINNING = BUDGET // 4
"""Steps that tell nothing: what is looked at first is asked for by all."""
_TELLING = BUDGET // 2
"""Steps from which it is told."""
_MOST = 2 * BUDGET
"""Steps that nobody comes to by taking more than is foreseen."""


class Outlook:
    """What the visits of one program took so far."""

    def __init__(self) -> None:
        self._visited = 0
        self._first: tuple[int, int] | None = None
        """How many steps and visits there were when they began to tell something."""

    def is_hopeless(self, steps: int, waiting: int) -> bool:
        """Whether one more visit, after which so many wait, shows that they take too much."""
        self._visited += 1
        if steps < _BEGINNING:
            return False
        if self._first is None:
            self._first = (steps, self._visited)
        if steps < _TELLING:
            return False
        before, visited = self._first
        each = (steps - before) / max(self._visited - visited, 1)
        return steps + each * waiting > _MOST
