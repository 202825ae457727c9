"""Names that code in workers reads, and that its module binds only where it is the program.

Question: which global name does a loader's data set, transform or collate function read that is
bound under the main guard alone: a worker that begins as a new interpreter raises NameError there.
Followed: all that is known to run in workers (`worker_code`). Given up on: notebooks, star imports,
reads that a handler stands around.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.path_tests import is_tried, is_under_main_guard
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.names import names
from dlint.semantics.names.global_names import enclosing_frame

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext


class GuardedName(NamedTuple):
    """One such name, and where workers read it."""

    name: str
    place: Place


def guarded_name(loader: Loader) -> GuardedName | None:
    """The first such name that the workers of a loader come to."""
    known = loader.context[_read_by_entries]
    entries = (e for e in loader.context[WorkerCode].entries if loader in e.loaders)
    frames = dict.fromkeys(frame for entry in entries for frame in entry.activations)
    for frame in frames:
        if frame not in known:
            known[frame] = next(_read_in(loader.context, frame), None)
        if (found := known[frame]) is not None:
            return found
    return None


def _read_by_entries(_: AnalysisContext) -> dict[CallContext, GuardedName | None]:
    """What is known of functions that run in workers: several loaders have them in common."""
    return {}


def _read_in(context: AnalysisContext, frame: CallContext) -> Iterator[GuardedName]:
    module = frame.scope.module
    if module.is_notebook or module.star_imports:
        return
    for statement in walk.statements(frame.scope.body):
        if is_tried(statement):
            continue
        for part in (p for e in walk.expressions(statement) for p in walk.walk(e)):
            if isinstance(part, ex.Reference) and _is_guarded(context, part, frame):
                yield GuardedName(part.name, Place(module.path, *part.span))


def _is_guarded(context: AnalysisContext, read: ex.Reference, frame: CallContext) -> bool:
    """Whether all that binds a name is code of the module that no worker runs."""
    if read.definition is not None or read.name in names.BUILTINS:
        return False
    if enclosing_frame(context.solver, read.name, frame).scope.kind != "module":
        return False
    facts = context.project.load(frame.scope.module.path)
    bound = () if facts is None else facts.globals.get(read.name, ())
    return bool(bound) and all(
        d.scope.kind == "module" and is_under_main_guard(d.scope, d.span) for d in bound
    )
