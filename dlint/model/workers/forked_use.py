"""What the main process uses before a loader forks its workers, and workers use again.

A use is a call that a rule knows to start threads of a library. Before means on every path of the
functions that lead to the start of the workers; what a test decides is no use, and so is what the
workers' own functions do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.made_again import chains_of
from dlint.analyses.control.order import step_of
from dlint.analyses.control.path_tests import always_runs, call_always_runs, is_optional
from dlint.analyses.read_whole import read_whole
from dlint.findings.diagnostic import Related
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.library_facts.start_methods import FRESH
from dlint.model.loading.loaders import Loaders
from dlint.model.workers.order import Starts
from dlint.model.workers.starting import start_methods_of
from dlint.model.workers.worker_code import INIT, WorkerCode
from dlint.model.workers.worker_counts import text_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Statement
    from dlint.model.loading.loader import Loader
    from dlint.model.workers.worker_code import Entry


class ForkedUse(NamedTuple):
    """A loader whose forked workers use what the main process has used before."""

    loader: Loader
    before: ex.Call
    inside: ex.Call

    @property
    def workers(self) -> str:
        """How many workers the loader has, in words."""
        count = self.loader.workers_present
        assert count is not None
        return text_of(count)

    @property
    def related(self) -> tuple[Related, ...]:
        """The places of both uses."""
        context = self.loader.context
        return (
            Related(context.place_of(self.before), "the main process uses it here"),
            Related(context.place_of(self.inside), "workers use it here"),
        )


def forked_uses(context: AnalysisContext, uses: list[ex.Call]) -> Iterator[ForkedUse]:
    """The loaders with forked workers around which these calls are made on both sides."""
    told: set[ex.Call] = set()
    wanted = set(uses)
    for entry in context[WorkerCode].entries if uses else ():
        inside = None if entry.role == INIT else _first(entry, wanted)
        for loader in _forking(context, entry) if inside is not None else ():
            before = None if loader.call in told else _before(context, uses, loader)
            if inside is not None and before is not None:
                told.add(loader.call)
                yield ForkedUse(loader, before, inside)


def _before(context: AnalysisContext, uses: list[ex.Call], loader: Loader) -> ex.Call | None:
    """The first of some calls that is made before the workers of a loader start."""
    starts = context[Starts]
    return next((use for use in uses if _is_before(context, use, loader, starts)), None)


def _forking(context: AnalysisContext, entry: Entry) -> list[Loader]:
    """The loaders whose forked workers run some code, those told how many workers first."""
    counts = [(loader, loader.workers_present) for loader in entry.loaders]
    found = [(x, n.assumed is not None) for x, n in counts if n is not None and _forks(context, x)]
    return [loader for loader, _ in sorted(found, key=lambda pair: pair[1])]


def _first(entry: Entry, wanted: set[ex.Call]) -> ex.Call | None:
    return next((call for call, _ in entry.calls() if call in wanted), None)


def _forks(context: AnalysisContext, loader: Loader) -> bool:
    made = loader.is_made and loader.is_iterated
    return made and not start_methods_of(context, loader) & FRESH


def _is_before(context: AnalysisContext, call: ex.Call, loader: Loader, starts: Starts) -> bool:
    """Whether each path to the start of a loader's workers makes a call before."""
    for chain in chains_of(context, call):
        site = chain[-1]
        if not all(
            call_always_runs(c, c.scope.body) or _is_gone_through(context, c) for c in chain[:-1]
        ):
            continue
        if is_optional(site) and not _is_gone_through(context, site):
            continue
        for start in starts.of(site.scope):
            loaders = [context[Loaders].of(made) for made in start.loaders]
            if loader in loaders and _comes_first(site, start.statement):
                return True
    return False


def _is_gone_through(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a comprehension makes a call for each of its items, if only to choose among them."""
    parts = [p for e in walk.expressions(call.statement) for p in walk.walk(e)]
    around = [
        p for p in parts if isinstance(p, ex.Comprehension) and any(c is call for c in walk.walk(p))
    ]
    read = {g for p in parts if isinstance(p, ex.Call) for g in read_whole(context, p)}
    plain = all(_asks_each(p, call) and (p.kind != "generator" or p in read) for p in around)
    return bool(around) and plain and always_runs(call.statement, call.scope.body)


def _asks_each(made: ex.Comprehension, call: ex.Call) -> bool:
    """Whether no condition stands before a call in the rounds of a comprehension."""
    first = made.conditions[0] if made.conditions else None
    decides = isinstance(first, ex.Boolean | ex.Conditional)
    return first is None or (not decides and any(part is call for part in walk.walk(first)))


def _comes_first(call: ex.Call, other: Statement) -> bool:
    """Whether each run of the block that leads to `other` makes a call before: also one in what a
    loop goes through, before its first round.
    """
    one = call.statement
    if one is other:
        return (
            isinstance(one, Loop) and one.iterable is not None and call in walk.walk(one.iterable)
        )
    for outer in (other, *walk.ancestors(other)):
        step = step_of(outer.block, one)
        if step is None or step is outer:
            continue
        statements = outer.block.statements
        earlier = statements.index(step) < statements.index(outer)
        return earlier and always_runs(one, outer.block)
    return False
