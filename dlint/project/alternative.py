"""One alternative of a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dlint.dialects.settings import Setting
from dlint.index.expressions import Expression
from dlint.project import folding
from dlint.project.conditions import ALWAYS, Conditions
from dlint.project.values import UNKNOWN, External, Literal, Made, Value

_LIMIT = 48


@dataclass(frozen=True, slots=True)
class Absent:
    """No value is given: torch's own default holds."""


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Alternative:
    """One value and the conditions under which it holds.

    `assumed` names a default that holds only as long as nobody gives another value.
    """

    value: Value | Absent
    when: Conditions = ALWAYS
    assumed: str | None = None
    source: Expression | None = None
    """The expression that decided."""

    @property
    def truth(self) -> bool | None:
        """Its truth value, None where that is not known."""
        return folding.truth(self.value)

    @property
    def is_spelled_out(self) -> bool:
        """Whether somebody wrote it for this use: no default of a parameter or an option."""
        return self.assumed is None or isinstance(self.source, Setting)

    @property
    def is_written(self) -> bool:
        """Whether somebody decided on it: in code, or in the one settings file that is read."""
        if isinstance(self.source, Setting):
            return not self.source.document.is_default
        return self.assumed is None


Found = list[Alternative]


def merged(found: Iterable[Alternative]) -> Found:
    """Without repetitions; too many to look at are Unknown."""
    unique = list(dict.fromkeys(found))
    return unique if len(unique) <= _LIMIT else [Alternative(UNKNOWN)]


def ordered(values: Iterable[Value]) -> list[Value]:
    """Values in an order that does not change from run to run."""
    return sorted(values, key=_rank)


def _rank(value: Value) -> tuple[str, str, tuple[int, int]]:
    if isinstance(value, Made):
        return ("Made", value.call.scope.module.path, value.call.span)
    plain = repr(value) if isinstance(value, Literal | External) else ""
    return (type(value).__name__, plain, (0, 0))
