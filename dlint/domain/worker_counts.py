"""How many workers a loader has, as far as the program says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.project.alternative import ABSENT
from dlint.project.values import NONE, External, Literal, Made

if TYPE_CHECKING:
    from dlint.domain.loaders import Loader
    from dlint.project.alternative import Alternative

_COUNTERS = ("cpu_count", "process_cpu_count", "sched_getaffinity")


class WorkerCount(NamedTuple):
    """One value that `num_workers` may have; `number` is None for as many as there are CPUs."""

    number: int | None
    assumed: str | None

    @property
    def text(self) -> str:
        """How a message names it, with the default that it rests on."""
        given = "as many workers as CPUs" if self.number is None else f"`num_workers={self.number}`"
        return given + (f" (by the {self.assumed})" if self.assumed else "")


def worker_counts(loader: Loader, least: int = 1) -> Iterator[WorkerCount]:
    """The known values of `num_workers` from `least` on, those that are no default first."""
    found = [count for a in loader.argument("num_workers") if (count := _count(a)) is not None]
    for count in sorted(found, key=lambda one: one.assumed is not None):
        if count.number is None or count.number >= least:
            yield count


def _count(alternative: Alternative) -> WorkerCount | None:
    value = alternative.value
    if isinstance(value, Literal) and isinstance(value.value, int):
        return WorkerCount(int(value.value), alternative.assumed)
    counted = (
        isinstance(value, Made)
        and isinstance(value.origin, External)
        and value.origin.path.rpartition(".")[2] in _COUNTERS
    )
    return WorkerCount(None, alternative.assumed) if counted else None


def may_have_workers(loader: Loader, least: int = 1) -> bool:
    """Whether nothing says that there are fewer than `least`: a default may be overridden."""
    for alternative in loader.argument("num_workers"):
        count = _count(alternative)
        if alternative.value in (ABSENT, NONE):
            continue
        if alternative.assumed or count is None or count.number is None or count.number >= least:
            return True
    return False
