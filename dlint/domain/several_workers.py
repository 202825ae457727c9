"""How many workers a loader has, as far as the program says, and how a message names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.project.alternative import ABSENT
from dlint.project.values import NONE, Literal, Made

if TYPE_CHECKING:
    from dlint.domain.loaders import Loader
    from dlint.project.alternative import Alternative


def several_workers(loader: Loader) -> Alternative | None:
    """The alternative by which there is more than one worker, a given value before a default."""
    found = [a for a in loader.workers.alternatives if _is_several(a)]
    return min(found, key=lambda a: a.assumed is not None, default=None)


def _is_several(alternative: Alternative) -> bool:
    value = alternative.value
    number = value.value if isinstance(value, Literal) else None
    return _is_cpu_count(alternative) or (isinstance(number, int) and number > 1)


def _is_cpu_count(alternative: Alternative) -> bool:
    value = alternative.value
    return isinstance(value, Made) and value.call.name == "cpu_count"


def may_have_several(loader: Loader) -> bool:
    """Whether nothing says that there is at most one worker: a default may be overridden."""
    return any(
        a.value not in (ABSENT, NONE)
        and (a.assumed is not None or _is_several(a) or not isinstance(a.value, Literal))
        for a in loader.workers.alternatives
    )


def number_of(alternative: Alternative) -> int | None:
    """The number, where it is written in the program; None for one worker for each CPU."""
    value = alternative.value
    return value.value if isinstance(value, Literal) and isinstance(value.value, int) else None


def text_of(alternative: Alternative) -> str:
    """How a message names a number of workers, with the default that it rests on."""
    number = number_of(alternative)
    given = "one worker for each CPU" if number is None else f"`num_workers={number}`"
    return given + (f" (by the {alternative.assumed})" if alternative.assumed else "")
