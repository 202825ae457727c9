"""loader-resume-state: runs that are resumed, and loaders that do not take up their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.resumed_loaders import (
    StatefulLoader,
    forgotten_positions,
    resumed_saves,
    stateful,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def check(context: AnalysisContext) -> Iterator[Finding]:
    """States of loaders that are not saved, not loaded or loaded too late; positions forgotten."""
    for group in stateful(context):
        late = _late(context, group)
        if late:
            yield from late
        elif not any(loader.loads or loader.is_handed_on for loader in group):
            yield _unused(context, group)
    for position in forgotten_positions(context):
        message = (
            f"the checkpoint keeps `{position.key}`, but a resumed run begins the epoch at its "
            "first batch again; save the loader's place too (`StatefulDataLoader` of torchdata), "
            "or skip the batches that were seen"
        )
        related = (Related(position.loader.place, "the loader is made here"),)
        yield Finding(Severity.INFO, message, position.save, related)


def _late(context: AnalysisContext, group: list[StatefulLoader]) -> list[Finding]:
    """States that a loader is given while it is iterated."""
    message = (
        "`load_state_dict` inside a loop over the loader acts on the next loop only; call it "
        "before the loader is iterated"
    )
    found = {
        context.place_of(call): loop.place for loader in group for call, loop in loader.late_loads()
    }
    return [
        Finding(Severity.WARNING, message, place, (Related(loop, "the loop begins here"),))
        for place, loop in found.items()
    ]


def _unused(context: AnalysisContext, group: list[StatefulLoader]) -> Finding:
    """A state that is saved for nothing, or not even saved."""
    place = group[0].loader.place
    saves = [call for loader in group for call in loader.saves]
    if saves:
        message = (
            "the state of this loader is saved, but nothing loads it: a resumed run begins the "
            "epoch at its first batch; call `load_state_dict` before the loader is iterated"
        )
        related = (Related(context.place_of(saves[0]), "saved here"),)
        return Finding(Severity.WARNING, message, place, related)
    resumed = next((save for loader in group for save in resumed_saves(loader.loader)), None)
    if resumed is not None:
        message = (
            "a resumed run begins the epoch at its first batch: the state of the "
            "StatefulDataLoader is not in this checkpoint, and nothing loads it; save its "
            "`state_dict()` too, and call `load_state_dict` before the loader is iterated"
        )
        made = Related(place, "the loader is made here")
        return Finding(Severity.WARNING, message, context.place_of(resumed), (made,))
    message = (
        "nothing saves the state of this StatefulDataLoader, so it does what a DataLoader does; "
        "put its `state_dict()` into the checkpoint and load it again"
    )
    return Finding(Severity.INFO, message, place)
