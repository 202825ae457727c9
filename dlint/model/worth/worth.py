"""Worth: what following a finding about speed can bring, and how its text says how much there is.

One table of figures stands behind it, each with where it comes from: what was measured, what is
assumed, what was chosen. A finding of which it is known that it brings less than can be noticed is
no warning; what is not known changes nothing. `docs/worth.md` shows the table and explains it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.volume.ranges import Range, exactly
from dlint.library_facts.start_methods import StartMethod
from dlint.model.worth.volume import LoaderVolume, volume_of

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader


class Basis(StrEnum):
    """Where a figure comes from."""

    MEASURED = "measured"
    ASSUMED = "assumed"
    CHOSEN = "chosen"


class Figure(NamedTuple):
    """One number that estimates rest on: what it stands for, and where it comes from."""

    value: float
    unit: str
    meaning: str
    basis: Basis
    source: str


_MACHINE = "torch 2.13.0 on Linux, 2 workers, a warm cache"

PAGEABLE = Figure(
    6e9,
    "bytes a second",
    "a copy to the GPU from pageable memory",
    Basis.ASSUMED,
    "half of a pinned copy: the driver stages it through a pinned buffer of its own",
)
PINNED = Figure(
    12e9,
    "bytes a second",
    "a copy to the GPU from pinned memory",
    Basis.ASSUMED,
    "PCIe 3.0 x16 carries 15.75 GB/s at most",
)
FORKED = Figure(
    0.04,
    "seconds an epoch",
    "starting and stopping forked workers, beyond those that live on",
    Basis.MEASURED,
    f"41 ms to the first batch and 13 ms to stop, 14 ms if they live on ({_MACHINE})",
)
SPAWNED = Figure(
    2.7,
    "seconds an epoch",
    "starting and stopping spawned workers, beyond those that live on",
    Basis.MEASURED,
    f"2.0 s to the first batch and 0.75 s to stop, 15 ms if they live on ({_MACHINE})",
)
EPOCH = Figure(
    1.0,
    "seconds an epoch",
    "what can be noticed in an epoch",
    Basis.CHOSEN,
    "less is lost in the spread from epoch to epoch",
)
RUN = Figure(
    10.0,
    "seconds a run",
    "what can be noticed in a run",
    Basis.CHOSEN,
    "about as long as it takes to read the finding",
)
MAKING = Figure(
    0.01,
    "seconds a sample",
    "reading and transforming a sample, at most",
    Basis.ASSUMED,
    "a photograph that is read, decoded, cropped and made a tensor",
)
LARGE_SAMPLE = Figure(
    1e5,
    "bytes a sample",
    "a sample in memory so large that workers may pay",
    Basis.MEASURED,
    "of samples of 150 kB two workers made 155 batches a second, the loop 28; of 3 kB 221 and 738",
)
LARGE_BATCH = Figure(
    256,
    "samples a batch",
    "a batch of samples in memory so large that workers may pay",
    Basis.MEASURED,
    "of 4 tensors a sample, 256 took the main process 3.0 ms, with a worker 2.0; 64 0.5 and 1.8",
)
STEP = Figure(
    2.5e-4,
    "seconds a step",
    "what can be noticed in a step",
    Basis.CHOSEN,
    "a fortieth of a step of 10 ms, which is a short one",
)
WAITING_STEP = Figure(
    1e-3,
    "seconds a step",
    "a copy that can be noticed in a step that waits for its result anyway",
    Basis.CHOSEN,
    "what is hidden is at most the time in which such a step is launched, some milliseconds",
)
READING = Figure(
    1e-5,
    "seconds a value",
    "reading one value of a tensor on the GPU, with nothing left to wait for",
    Basis.ASSUMED,
    "an index, a copy of some bytes and a wait for it, each some microseconds of the driver's",
)
SMALL_BATCH = Figure(
    4,
    "samples a batch",
    "a batch so small that nothing is known to be large about it",
    Basis.CHOSEN,
    "readers of findings found pinning one to four pictures or clips of a training step no matter",
)
USUAL = Figure(
    200,
    "epochs a run",
    "the most epochs of a run of which no number is known",
    Basis.CHOSEN,
    "what published recipes for small data sets train for",
)
FEW_EPOCHS = Figure(
    5,
    "epochs a run",
    "a run of few epochs",
    Basis.CHOSEN,
    "readers of findings found runs of three to five epochs not worth a warning",
)
FEW_STEPS = Figure(
    100,
    "steps a run",
    "a run of few steps",
    Basis.CHOSEN,
    "readers of findings found loops of a few dozen steps not worth one; torch warms up meanwhile",
)
FIGURES = (
    *(PAGEABLE, PINNED, READING, FORKED, SPAWNED, MAKING, LARGE_SAMPLE, LARGE_BATCH),
    *(STEP, WAITING_STEP, EPOCH, RUN, USUAL, FEW_EPOCHS, FEW_STEPS, SMALL_BATCH),
)


class Worth(NamedTuple):
    """The seconds that something can bring, each None where they are not known."""

    epoch: Range | None
    run: Range | None
    step: Range | None = None

    @property
    def is_noticeable(self) -> bool | None:
        """Whether it can be noticed at all; None where that is not known.

        Of a run of which no number of epochs is known, the most that are usual are counted.
        """
        if self.step is not None and self.step.high < STEP.value:
            return False
        if any(found.low >= figure.value for found, figure in self._known):
            return True
        return False if self._most is not None and self._most < RUN.value else None

    @property
    def is_noticeable_beside_waits(self) -> bool:
        """Whether it is known that it can be noticed in steps that wait for their results.

        Then the next copy begins on an idle GPU, and hides nothing but the launch of the step.
        """
        return self.step is not None and self.step.low >= WAITING_STEP.value

    @property
    def _known(self) -> list[tuple[Range, Figure]]:
        pairs = [(self.run, RUN)] if self.run is not None else [(self.epoch, EPOCH)]
        return [(found, figure) for found, figure in pairs if found is not None]

    @property
    def _most(self) -> float | None:
        """The most seconds of a run."""
        if self.run is not None:
            return self.run.high
        return None if self.epoch is None else self.epoch.high * USUAL.value


_NOTHING_KNOWN = Worth(None, None)


def pinning(volume: LoaderVolume) -> Worth:
    """What copies from pinned memory save, if nothing else is done meanwhile."""
    return _copying(volume, 1 / PAGEABLE.value - 1 / PINNED.value)


def overlapping(volume: LoaderVolume) -> Worth:
    """What copies save that computation hides: all the time that they take."""
    return _copying(volume, 1 / PINNED.value)


def _copying(volume: LoaderVolume, saved: float) -> Worth:
    size, samples = volume.batch_bytes, volume.epoch_bytes
    step = None if size is None else size * exactly(saved)
    if samples is None:
        return Worth(None, None, step)
    return _over_epochs(samples * exactly(saved), volume)._replace(step=step)


def making_samples(volume: LoaderVolume) -> Worth:
    """What workers save at most that make the samples: nothing, where these take no time."""
    samples = volume.samples
    if samples is None:
        return _NOTHING_KNOWN
    return _over_epochs(samples * Range(0, MAKING.value), volume)


def reading_values(values: Range) -> Worth:
    """What a step saves that brings values of the GPU to the host at once, not one by one."""
    return Worth(None, None, values * exactly(READING.value))


def keeping_workers(volume: LoaderVolume, methods: frozenset[StartMethod]) -> Worth:
    """What workers save that live on, by how they may be started: all epochs but one gain."""
    costs = [FORKED.value if m is StartMethod.FORK else SPAWNED.value for m in methods]
    if not costs:
        return _NOTHING_KNOWN
    epoch = Range(min(costs), max(costs))
    epochs = volume.epochs
    return Worth(epoch, None if epochs is None else epoch * (epochs - exactly(1)))


def _over_epochs(epoch: Range, volume: LoaderVolume) -> Worth:
    return Worth(epoch, None if volume.epochs is None else epoch * volume.epochs)


def has_few_epochs(volume: LoaderVolume) -> bool:
    """Whether the run is known to have so few epochs that beginning them costs little."""
    return volume.epochs is not None and volume.epochs.high <= FEW_EPOCHS.value


def has_few_steps(volume: LoaderVolume) -> bool:
    """Whether all the steps of a run are known, and so few that none of them matters."""
    batches, epochs = volume.batches, volume.epochs
    if batches is None or epochs is None:
        return False
    return (batches * epochs).high <= FEW_STEPS.value


def has_small_batches(volume: LoaderVolume) -> bool:
    """Whether batches have so few samples that nothing says that they are large.

    Not so by a default: whoever trains for long asks for more.
    """
    size = volume.batch_size
    return size is not None and size.high <= SMALL_BATCH.value and not size.assumed


# -- in words

_WIDE = 2
"""A number of which no more is known than that it lies between one and more than twice that."""

_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def amount(loaders: Iterable[Loader]) -> str:
    """How much the loaders of one finding give, as a clause in brackets with a blank before it.

    Empty where it is not known, or not the same for all of them.
    """
    said = {_in_words(volume_of(loader)) for loader in loaders}
    text = said.pop() if len(said) == 1 else ""
    return f" ({text})" if text else ""


def _in_words(volume: LoaderVolume) -> str:
    size, batches = _narrow(volume.batch_bytes), _narrow(volume.batches)
    parts = [] if size is None else [f"about {_bytes(size)} a batch"]
    if batches is not None and batches.low >= 1:
        one = batches.high == 1
        parts.append(f"{_span(batches.low, batches.high)} batch{'' if one else 'es'} an epoch")
    assumed = dict.fromkeys(n for r in (size, batches) if r is not None for n in r.assumed)
    if parts and assumed:
        parts.append("by " + " and ".join(f"the {name}" for name in assumed))
    return ", ".join(parts)


def _narrow(found: Range | None) -> Range | None:
    """A range that tells something: not what differs from one object of a class to the next."""
    return None if found is None or found.high > _WIDE * found.low else found


def _bytes(size: Range) -> str:
    """A number of bytes, rounded to two figures."""
    scale, unit = next((pair for pair in _UNITS if size.high >= pair[0]), (1, "bytes"))
    low, high = (float(f"{end / scale:.2g}") for end in (size.low, size.high))
    return f"{_span(low, high)} {unit}"


def _span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
