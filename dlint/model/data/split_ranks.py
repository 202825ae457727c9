"""Who draws a split anew: ranks that are started, runs that are resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import calls_to
from dlint.analyses.control.call_paths import leading_to
from dlint.ir import expressions as ex
from dlint.library_facts import launchers as launching
from dlint.library_facts.concurrency import PROCESSES
from dlint.library_facts.splits import COPIED, PUBLISHING, RESUMING
from dlint.library_facts.start_methods import LAUNCHERS, Launch
from dlint.model.data.splits import resumptions
from dlint.model.machines.entry_points import EntryPoints
from dlint.model.ranks import xla
from dlint.model.ranks.distributed import Distributed
from dlint.model.ranks.launchers import Launchers
from dlint.model.workers.starting import launch
from dlint.model.workers.worker_code import parts_of

if TYPE_CHECKING:
    from dlint.model.data.splits import Split
    from dlint.model.loading.loader import Loader


def drawing_ranks(split: Split, loader: Loader) -> ex.Call | None:
    """What makes the ranks that each draw the split themselves; None where they may share one."""
    for launcher in split.context[Launchers].of(loader):
        copied = any(word in (launcher.strategy or "").lower() for word in COPIED)
        if launcher.is_distributed and not copied:
            return launcher.call
    replica = next(split.context[Distributed].replicas(loader), None)
    return None if replica is None or not _is_drawn_by_ranks(split) else replica.wrap


def _is_drawn_by_ranks(split: Split) -> bool:
    """Whether each process draws: after it was started, or the script is started for each."""
    context, scope = split.context, split.call.scope
    if xla.launch_of(context, scope) is not None:
        return True
    if any(calls_to(context, *launching.XLA_SPAWN)):
        return False
    launched = launch(context, [scope])
    if launched is Launch.NEVER:
        return not any(calls_to(context, *LAUNCHERS, *PROCESSES))
    return launched is Launch.ALWAYS


def resumption(split: Split, loader: Loader) -> ex.Call | None:
    """The call by which the training on one part is resumed."""
    context, drawn = split.context, split.call.scope
    for launcher in context[Launchers].of(loader):
        if launcher.resumes(*RESUMING):
            return launcher.handing
    around = {drawn.module, *(c.scope.module for c in leading_to(context, drawn))}
    for call in context[resumptions]:
        if call.scope.module in around:
            return call
        if context[EntryPoints].script_for((split.place, context.place_of(call))) is not None:
            return call
    return None


def is_kept(split: Split) -> bool:
    """Whether the module may keep which samples a part holds: it reads `part.indices`."""
    return any(
        isinstance(part, ex.Attribute) and part.name in PUBLISHING
        for scope in split.call.scope.module.scopes
        for part in parts_of(scope)
    )
