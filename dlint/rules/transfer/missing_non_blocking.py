"""missing-non-blocking: pinned batches that are copied to CUDA by copies that wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.library_facts.frameworks import Duty
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_named_for_evaluation, may_train, serves_training
from dlint.model.loops.collected_batches import is_collected
from dlint.model.loops.few_batches import (
    begins_anew_for_each_batch,
    is_of_few_steps,
    is_short,
    takes_few_steps,
)
from dlint.model.loops.step_costs import dwarfs_copies
from dlint.model.loops.step_waits import waits_in_round
from dlint.model.machines import timing
from dlint.model.machines.hardware import lives_on_mac
from dlint.model.samples import batch_parts, opaque_parts, samples
from dlint.model.samples.media import may_be_large
from dlint.model.transfers import copies
from dlint.model.transfers.batch_copies import BatchCopies, copies_of_batches, outlives_loops
from dlint.model.transfers.renewed_batches import renewed_loaders
from dlint.model.transfers.target_copies import is_of_targets_alone
from dlint.model.versions.code_versions import is_of_long_ago
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import amount, overlapping

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.transfers.transfers import Transfer

_MOST_RELATED = 6
_MOST_NAMED = 3
"""Functions that are named, where copies of one batch stand in several."""


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Blocking copies to CUDA of batches that some loader provably pins, a finding a batch."""
    pinned = {t: loader for t in context[Loaders].transfers if (loader := _pinned(t)) is not None}
    written = [t for t in pinned if t.non_blocking is not None]
    left = [t for t in pinned if t.non_blocking is None]
    taken: set[Place] = set()
    for found in (*copies_of_batches(context, left), *copies_of_batches(context, written)):
        first = _first(found)
        place = found.place_of(first)
        if place in taken:
            place = first.place
        taken.add(place)
        yield _finding(found, pinned[first], first, place)


def _pinned(transfer: Transfer) -> Loader | None:
    """A loader whose pinned batches are copied here by a copy that waits, for several steps."""
    if not transfer.is_blocking or not copies.may_be_sound(transfer):
        return None
    if transfer.is_scattered or batch_parts.copies_once(transfer) or timing.measures(transfer):
        return None
    context = transfer.context
    renewed = renewed_loaders(transfer)
    for batch in transfer.batches:
        loader = context[Loaders].of(batch.loader)
        if batch.loader not in renewed and _gives_pinned(loader, transfer):
            return loader
    return None


def _gives_pinned(loader: Loader, transfer: Transfer) -> bool:
    if not loader.is_pinned or not loader.is_iterated or not loader.is_made:
        return False
    if loader.context[Consumption].takes_over(loader.made, Duty.MOVES_BATCH) is not None:
        return False
    if samples.yields_cuda(loader) or transfer.goes_to_cpu(loader):
        return False
    if takes_few_steps(loader) or begins_anew_for_each_batch(loader):
        return False
    if samples.opaque_batches(loader) or opaque_parts.part_of(loader, transfer) is not None:
        # torch pins nothing of them, which is another rule's matter
        return False
    return batch_parts.is_leaf(transfer) or not samples.collates_own_type(loader)


def _first(found: BatchCopies) -> Transfer:
    """The copy at which the finding stands: one that matters most."""
    return min(found.transfers, key=lambda t: _is_minor(found, t))


def _finding(found: BatchCopies, loader: Loader, first: Transfer, place: Place) -> Finding:
    explicit = first.non_blocking is not None
    flag = copies.flag(first)
    mps = flag == "True" and any(copies.may_be_mps(t) for t in found.transfers)
    limit = ", except where the device is MPS" if mps else ""
    if first.names_dtype:
        limit += "; what has another dtype is to be converted behind the copy"
    many = found.most_at_once > 1
    waits = "block the loop until they are" if many else "blocks the loop until it is"
    overlap = "they overlap" if many else "it overlaps"
    return Finding(
        Severity.INFO if _is_minor(found, first) else Severity.WARNING,
        f"{_what(found, first, place)} {waits} done{amount(_meant(first))}; "
        f"pass `non_blocking={flag}` so that {overlap} with computation{limit}",
        place,
        tuple(_related(found, loader, place)),
        None if explicit else _fix(found),
        needs=("non-blocking",),
    )


def _meant(transfer: Transfer) -> list[Loader]:
    """The loaders whose batches may be copied here: those to learn from, where there are such."""
    made = dict.fromkeys(batch.loader for batch in transfer.batches)
    loaders = [transfer.context[Loaders].of(one) for one in made]
    learnt = [x for x in loaders if serves_training(x) and not is_named_for_evaluation(x)]
    return learnt or loaders


def _what(found: BatchCopies, first: Transfer, place: Place) -> str:
    """What waits: one copy or several, here or in the functions that the batch is handed to."""
    number = found.most_at_once
    if place == first.place:
        return (
            "this copy of a pinned batch" if number == 1 else f"{number} copies of a pinned batch"
        )
    copies_ = "the copy" if number == 1 else f"the {number} copies"
    return f"{copies_} of this pinned batch{_where(found)}"


def _where(found: BatchCopies) -> str:
    """The functions that hold the copies, as far as they have names and are few."""
    names = list(dict.fromkeys(t.function_name for t in found.transfers))
    if None in names:
        return ""
    if len(names) > _MOST_NAMED:
        return f" in {len(names)} functions"
    *others, last = [f"`{name}`" for name in names]
    return f" in {', '.join(others)} and {last}" if others else f" in {last}"


def _related(found: BatchCopies, loader: Loader, place: Place) -> Iterator[Related]:
    yield Related(loader.place, "the batch is pinned here" + _assumption(loader))
    copied = [t.place for t in found.transfers]
    for other in [at for at in copied if at != place][:_MOST_RELATED]:
        yield Related(other, "it is copied here" + (" too" if place in copied else ""))


def _fix(found: BatchCopies) -> Fix:
    """Let all copies of the batch run while the loop goes on."""
    safe = all(copies.is_safe(t) and not _is_dated(t) for t in found.transfers)
    return Fix(
        Applicability.SAFE if safe else Applicability.UNSAFE,
        "Copy without blocking",
        tuple(copies.operation(t) for t in found.transfers),
    )


def _is_minor(found: BatchCopies, transfer: Transfer) -> bool:
    """Whether a copy is told as information: little is gained, or it is not certain."""
    if transfer.non_blocking is not None or transfer.is_read_at_once or _is_dated(transfer):
        return True
    if transfer.names_dtype:
        return True
    if copies.may_be_mps(transfer) or lives_on_mac(transfer.context, transfer.place.path):
        return True
    if is_collected(found, transfer) or is_of_targets_alone(transfer):
        return True
    if not _serves_training(found, transfer) or copies.waits_for_another(transfer):
        return True
    loaders = transfer.context[Loaders]
    if all(loaders.of(b.loader).workers.is_zero for b in transfer.batches):
        return True
    given = [loaders.of(batch.loader) for batch in transfer.batches]
    worth = [overlapping(volume_of(loader)) for loader in given]
    if not any(map(may_be_large, given, worth)):
        return True
    if _is_seldom(found, transfer):
        return True
    loops = [way.loop for way in found.ways[transfer]]
    if loops and all(is_short(x) or dwarfs_copies(x, _given_to(x, transfer)) for x in loops):
        return True
    if not loops or any(one.is_noticeable_beside_waits for one in worth):
        return False
    return all(map(waits_in_round, filter(may_train, loops)))  # evaluations are information anyway


def _is_seldom(found: BatchCopies, transfer: Transfer) -> bool:
    """Whether a batch is copied in one step of several, or of an epoch, only."""
    ways = found.ways[transfer]
    if not ways:
        return outlives_loops(transfer.context, transfer)
    return all(is_of_few_steps(way, transfer.call) for way in ways)


def _serves_training(found: BatchCopies, transfer: Transfer) -> bool:
    """Whether something may learn from what is copied."""
    loops = [way.loop for way in found.ways[transfer]]
    loaders = (transfer.context[Loaders].of(batch.loader) for batch in transfer.batches)
    return any(map(may_train, loops)) if loops else any(map(serves_training, loaders))


def _given_to(loop: BatchLoop, transfer: Transfer) -> list[Loader]:
    """The loaders of a loop whose batches a copy takes."""
    given = dict.fromkeys(b.loader for b in transfer.batches if b.loader in loop.loaders)
    return [loop.context[Loaders].of(made) for made in given]


def _is_dated(transfer: Transfer) -> bool:
    return is_of_long_ago(transfer.context, (transfer.place.path,))


def _assumption(loader: Loader) -> str:
    """The default that the pinning rests on."""
    assumed = next((a.assumed for a in loader.pinning if a.assumed), None)
    return f", by the {assumed}" if assumed else ""
