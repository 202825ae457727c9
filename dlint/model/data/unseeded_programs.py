"""Splits that no program seeds, and that nobody keeps: each run draws another one.

Question: does a program that draws a split do without any call, in any file of its own, that may
seed the generator? Followed: the files that import those with the split and the training on it, and
all that these import, by the full names of what their text calls. Silent about splits that a file
may keep, or that a test draws by what it asks a function: `if not path.exists()`. Given up on:
seeds that files write with no call of a name that speaks of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If
from dlint.library_facts.readers import FILE_WRITERS
from dlint.library_facts.seeding import EVERYTHING, SEEDERS
from dlint.model.data.split_ranks import is_kept
from dlint.workspace.written_names import CALLED

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.data.splits import Split

_WORDS = ("seed", "determinis")
"""What the names of functions hold that may seed a generator."""
_RESTORED = {
    "torch": lazily(rb"rng_state|LightningCLI"),
    "numpy": lazily(rb"\bset_state\b|LightningCLI"),
    "random": lazily(rb"\bsetstate\b|LightningCLI"),
}
"""What takes the state of a generator up again, and Lightning's command line, which seeds by
default."""
_OTHERS = {
    "torch": ("numpy.", "random."),
    "numpy": ("torch.", "random."),
    "random": ("torch.", "numpy."),
}
"""Modules of which no function seeds a library's generator."""


def is_drawn_by_each_run(split: Split) -> bool:
    """Whether each run draws a split of its own, as nothing seeds it and nobody keeps it."""
    return not (_may_be_seeded(split) or _is_asked_for(split) or is_kept(split) or _is_saved(split))


def _may_be_seeded(split: Split) -> bool:
    """Whether a file of a program that trains on it may seed its generator."""
    loops = () if split.training is None else split.training.loops
    paths = {split.place.path, *(loop.place.path for loop in loops)}
    return any(_may_seed(split, path) for path in files_run_with(split.context, paths))


def _may_seed(split: Split, path: str) -> bool:
    """Whether a file may seed the generator of a split, by the full names of what it calls."""
    project, library = split.context.project, split.splitter.library
    if project.says(path, _RESTORED[library]):
        return True
    return any(_is_seeder(name, library) for name in project.full_names(path, _WORDS))


def _is_seeder(name: str, library: str) -> bool:
    """Whether what is called by a name may seed; of what is only handed on, if it is known to."""
    if name.startswith(_OTHERS[library]):
        return False
    return name.endswith(CALLED) or SEEDERS.get(name) == library or name in EVERYTHING


def files_run_with(context: AnalysisContext, paths: Set[str]) -> list[str]:
    """The files that import all of some, and all that they import, loaded or not."""
    graph = context.project.graph
    closed = map(graph.closed, sorted(graph.importers(paths)))
    return sorted({path for reached in closed if paths <= reached for path in reached})


def _is_asked_for(split: Split) -> bool:
    """Whether a test around it asks a function, as for a file that holds an earlier split."""
    around = (s for s in walk.ancestors(split.call.statement) if isinstance(s, If))
    return any(isinstance(p, ex.Call) for test in around for p in parts_in_function(test.test))


def _is_saved(split: Split) -> bool:
    """Whether its function writes a part that it has drawn to a file."""
    written = (call for call in split.call.scope.calls if call.name in FILE_WRITERS)
    given = (e for c in written for e in (c.function, *(a.value for a in c.arguments)))
    return any(part in split.parts for e in given for part in _held_by(e))


def _held_by(value: ex.Expression) -> Iterator[ex.Expression]:
    """A value, and what it holds: items of displays, what names stand for and parts are of."""
    waiting, seen = [value], set[ex.Expression]()
    while waiting:
        part = origin_of(waiting.pop())
        if part not in seen:
            seen.add(part)
            yield part
            if isinstance(part, ex.Sequence | ex.Mapping):
                waiting += walk.children(part)
            elif isinstance(part, ex.Item | ex.Attribute | ex.Subscript):
                waiting.append(part.value)
