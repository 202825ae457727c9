"""The files that programs begin with, lowered by several processes before they are analysed.

One process analyses a program, and half of what that costs from nothing is parsing. Indexes are
handed on through the cache of indexes; where nothing is kept, by the processes themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.engine.processes import collect_many, side_by_side

if TYPE_CHECKING:
    from dlint.engine.parts import Part
    from dlint.frontends.modules import Modules

_WORTH = 300_000
"""Bytes of text that other processes are worth their start for."""
_PIECES = 8
"""Pieces of work for each process: large files are not at hand to be dealt out evenly."""


def lower_ahead(parts: Sequence[Part], modules: Modules, jobs: int) -> None:
    """Lower what programs begin with, where one of them is too large to be one of several."""
    paths = {path for part in parts for path in part.seeds if modules.lacks(path)}
    sizes = {path: len(modules.text(path)) for path in sorted(paths)}
    if jobs < 2 or sum(sizes.values()) < _WORTH or not _is_uneven(parts, sizes, jobs):
        return
    waiting = sorted(sizes, key=lambda path: -sizes[path])
    count = min(len(waiting), _PIECES * jobs)

    def work(number: int) -> list[tuple[str, bytes]]:
        made = [(path, modules.ahead(path)) for path in waiting[number::count]]
        collect_many()
        return [(path, packed) for path, packed in made if packed is not None]

    modules.prepare()
    for made in side_by_side(work, count, jobs):
        for path, packed in made or ():
            modules.take(path, packed)


def _is_uneven(parts: Sequence[Part], sizes: dict[str, int], jobs: int) -> bool:
    """Whether one program holds more than the share of one process."""
    return bool(above_share([sum(sizes.get(p, 0) for p in part.seeds) for part in parts], jobs))


def above_share(sizes: Sequence[int], jobs: int) -> list[int]:
    """Which of some programs, by number, are larger than the share of one process."""
    return [number for number, size in enumerate(sizes) if size * jobs > sum(sizes)]
