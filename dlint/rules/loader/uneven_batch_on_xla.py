"""uneven-batch-on-xla: a last batch of another shape, for which XLA compiles anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import SetArgument
from dlint.library_facts.samplers import PLAIN
from dlint.model.loading.call_contexts import used
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_only_tried
from dlint.model.loops.loop_limits import takes_every_batch
from dlint.model.ranks.xla_training import keeps_to_full_batches, sign_of, trained_by
from dlint.model.samples.collation import stacks_samples
from dlint.model.samples.sample_work import is_iterable
from dlint.model.worth.volume import LoaderVolume, volume_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop


class Training(NamedTuple):
    """What shows that a loader is trained on by XLA, and the loop where there is one."""

    sign: Place
    loop: BatchLoop | None


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that keep a last batch of another shape, and are trained on by XLA."""
    for group in context[Loaders].told():
        loaders = used(group)
        found = [(loader, _training(loader)) for loader in loaders if _is_wanting(loader)]
        trained = [(loader, training) for loader, training in found if training is not None]
        if trained:
            yield _finding(*trained[0], is_shared=len(trained) < len(loaders))


def _is_wanting(loader: Loader) -> bool:
    """Whether the loader certainly makes batches itself, and may give a smaller last one."""
    if not loader.is_made or not _keeps_last(loader) or not stacks_samples(loader):
        return False
    if is_iterable(loader) or is_only_tried(loader) or keeps_to_full_batches(loader):
        return False
    return _is_sampled_by_torch(loader) and _may_be_uneven(volume_of(loader))


def _keeps_last(loader: Loader) -> bool:
    """Whether several samples make a batch, and nobody asks to drop the last one."""
    if loader.gives("batch_sampler"):
        return False
    dropping = loader.argument("drop_last")
    kept = all((a.is_absent or a.is_false) and a.assumed is None for a in dropping)
    return kept and not any(a.is_nothing or a.integer == 1 for a in loader.argument("batch_size"))


def _is_sampled_by_torch(loader: Loader) -> bool:
    """Whether no sampler of the project may fill the last batch up."""
    return all(a.is_nothing or a.maker in PLAIN for a in loader.argument("sampler"))


def _may_be_uneven(volume: LoaderVolume) -> bool:
    """Whether several batches are made, of which the last one is not known to be full."""
    size, samples = volume.batch_size, volume.samples or volume.data.length
    if size is None or samples is None or not size.is_exact or not samples.is_exact:
        return True
    return samples.low > size.low and samples.low % size.low != 0


def _training(loader: Loader) -> Training | None:
    """Where XLA takes gradient steps on every batch; None where that is not seen."""
    trainer = next(trained_by(loader), None)
    if trainer is not None:
        return Training(loader.context.place_of(trainer), None)
    for loop in loader.loops:
        sign = sign_of(loader, loop) if loop.trains and takes_every_batch(loop) else None
        if sign is not None:
            return Training(loader.context.place_of(sign), loop)
    return None


def _finding(loader: Loader, training: Training, *, is_shared: bool) -> Finding:
    advice = "set `drop_last=True` where it makes batches to train on"
    message = (
        f"this DataLoader is trained on by XLA, and {_what(volume_of(loader))}; XLA compiles for "
        "fixed shapes, so at the end of the first epoch it compiles the training step once more "
        f"for this batch; {advice if is_shared else 'set `drop_last=True`'}"
    )
    loop = training.loop
    related = [Related(training.sign, "this shows that XLA runs the training")]
    if loop is not None:
        related.append(Related(loop.place, "this loop trains on every batch"))
    fix = None if is_shared else _fix(loader)
    return Finding(Severity.INFO, message, loader.place, tuple(related), fix)


def _what(volume: LoaderVolume) -> str:
    """What is known of the last batch."""
    size, samples = volume.batch_size, volume.samples
    if size is None or samples is None or not size.is_exact or not samples.is_exact:
        return "its last batch is smaller where the samples do not come to full batches"
    assumed = dict.fromkeys((*samples.assumed, *size.assumed))
    by = f", by the {', '.join(assumed)}" if assumed else ""
    left = samples.low % size.low
    return f"its last batch has {left:,.0f} samples, not {size.low:,.0f}{by}"


def _fix(loader: Loader) -> Fix | None:
    """Leave the last batch out, where the call itself says nothing of it."""
    if not loader.is_spelled_out or loader.written("drop_last") is not None:
        return None
    operation = SetArgument(loader.place, "drop_last", "True", loader.position("drop_last"))
    return Fix(Applicability.UNSAFE, "Leave out the last batch", (operation,))
