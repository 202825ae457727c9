"""The modules of a program that is too much to be looked at as a whole, shared among processes.

Each is looked at by itself, so several processes may, once the one that tried the whole has ended
and its memory is free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dlint.engine.processes import side_by_side

if TYPE_CHECKING:
    from dlint.engine.answer import Answer
    from dlint.engine.parts import Part
    from dlint.frontends.modules import Modules
    from dlint.workspace.asked import Asked

_FEW = 10
"""Of so many modules one may have to be lowered again: what is no Python is."""


def may_be_shared(part: Part, modules: Modules) -> bool:
    """Whether several processes have at hand what the part begins with: to lower takes longer."""
    return _FEW * sum(map(modules.lacks, part.seeds)) < len(part.seeds)


def shared(
    part: Part,
    whole: tuple[Answer, Asked],
    found: Callable[[Part], tuple[Answer, Asked]],
    jobs: int,
) -> tuple[Answer, Asked] | None:
    """What is found in each module by itself, added to what was asked for the whole.

    None where a process could not end its work, or a rule failed.
    """
    answer, noted = whole
    alone = [part._replace(seeds=(seed,)) for seed in part.seeds]
    for one in side_by_side(lambda number: found(alone[number]), len(alone), jobs):
        if one is None or one[0].crashes:
            return None
        answer.add(one[0])
        noted.add(one[1])
    return answer, noted
