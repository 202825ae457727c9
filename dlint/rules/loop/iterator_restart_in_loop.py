"""iterator-restart-in-loop: a loader that is begun anew for each batch, or while it is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.sharding import is_map_style
from dlint.model.loading.roles import is_named_for_evaluation
from dlint.model.loops.iterator_restarts import restarts
from dlint.model.loops.shared_iterators import Clash, clashes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.iterator_restarts import Restart

_ADVICE = "make the iterator once, before the loop, and a new one when it raises StopIteration"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Iterators made for each step, and loops that reset the iterator of another."""
    for restart in restarts(context):
        yield _restarted(restart)
    seen: set[Place] = set()
    for clash in clashes(context):
        if clash.inner not in seen:
            seen.add(clash.inner)
            yield _reset(clash)


def _restarted(restart: Restart) -> Finding:
    loader = restart.loader
    repeats = _keeps_order(loader)
    if repeats:
        effect = "without shuffling each begins with the same batch, so no other is ever used"
    elif loader.workers_absent:
        effect = "each begins anew, so the steps do not go through the data epoch by epoch"
    else:
        effect = (
            "each begins anew, so what the workers have prefetched is thrown away and the steps "
            "do not go through the data epoch by epoch"
        )
    wrong = Severity.ERROR if repeats else Severity.WARNING
    return Finding(
        Severity.INFO if _is_a_look(restart) else wrong,
        f"this makes a new iterator of the loader at every step: {effect}; {_ADVICE}",
        restart.place,
        (
            Related(restart.loop_place, "it is run again by this loop"),
            Related(loader.place, "the loader is made here"),
        ),
    )


def _is_a_look(restart: Restart) -> bool:
    """Whether nothing learns from the batch: one is looked at for a picture or a figure."""
    return not restart.learns or is_named_for_evaluation(restart.loader)


def _keeps_order(loader: Loader) -> bool:
    """Whether every iteration certainly begins with the same samples."""
    given = [a for n in ("shuffle", "sampler", "batch_sampler") for a in loader.argument(n)]
    plain = all(a.is_off and a.assumed is None for a in given)
    return plain and is_map_style(loader)


def _reset(clash: Clash) -> Finding:
    effect = (
        "`zip` takes both parts of a pair from one iterator"
        if clash.is_zipped
        else "this resets the iterator that is being read, and its remaining batches are lost"
    )
    return Finding(
        Severity.ERROR,
        "a loader with `persistent_workers=True` has one iterator for all that iterate it: "
        f"{effect}; make a second loader",
        clash.inner,
        (
            Related(clash.outer, "the loader is iterated here already"),
            Related(clash.loader.place, "the loader is made here"),
        ),
    )
