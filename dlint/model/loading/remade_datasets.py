"""Data sets that a loop makes anew, and that read their files each time.

Question: what do the constructors of a loader's data sets read in each epoch? Followed: data sets
of the project, also inside of others, whose making an epoch loop holds, or a function that it
enters; what constructors call. Given up on: a data set of which it is not known where it is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import certainly_calls
from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.readers import INDEX_READERS, OPENERS, READERS
from dlint.model.data.datasets import reads_of
from dlint.model.data.given_datasets import given_datasets
from dlint.semantics.calls.attributes import project_class
from dlint.semantics.values.conditional_value import Absent
from dlint.semantics.values.values import AllocationSite, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Class
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.epochs import EpochLoop

_WRITING = frozenset("wax")
_READERS = OPENERS | INDEX_READERS | READERS.keys()


class ReadAnew(NamedTuple):
    """A class whose objects read files in each epoch, and where; `whole`: each of the samples."""

    cls: Class
    places: tuple[Place, ...]
    whole: bool


def read_anew(loader: Loader, epoch: EpochLoop) -> list[ReadAnew]:
    """What each epoch reads again to make the data sets of a loader."""
    made = {cls: call for value, call in _made_anew(loader, epoch) if (cls := project_class(value))}
    found = (_read(loader.context, cls, call) for cls, call in made.items())
    return [one for one in found if one.places]


def _made_anew(loader: Loader, epoch: EpochLoop) -> Iterator[tuple[Value, ex.Call]]:
    """The objects that each epoch makes for a loader, and the calls that do."""
    for given in loader.argument("dataset"):
        value, source = given.value, given.source
        if isinstance(source, ex.Call) and not isinstance(value, Absent) and epoch.holds(source):
            yield value, source
    for inner in given_datasets(loader):
        if isinstance(inner, AllocationSite) and epoch.makes(inner):
            yield inner, inner.call


def _read(context: AnalysisContext, cls: Class, made: ex.Call) -> ReadAnew:
    kept = reads_of(context, [cls])
    whole = any(not (read.is_single or read.is_chosen) for read in kept)
    calls = (call for scope in entered_by(context, [made]) for call in scope.calls)
    places = (context.place_of(call) for call in calls if _reads_file(context, call))
    return ReadAnew(cls, tuple(dict.fromkeys((*(read.place for read in kept), *places))), whole)


def _reads_file(context: AnalysisContext, call: ex.Call) -> bool:
    mode = written(call, 1, "mode") if certainly_calls(context, call, OPENERS) else None
    writes = isinstance(mode, ex.Constant) and not _WRITING.isdisjoint(str(mode.value))
    return certainly_calls(context, call, _READERS) and not writes
