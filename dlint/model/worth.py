"""Worth: what following a finding about speed can bring, and how its text says how much there is.

One table of figures stands behind it, each with where it comes from: what was measured, what is
assumed, what was chosen. Severity does not rest on it yet. `docs/worth.md` shows the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.volume.ranges import Range, exactly
from dlint.library_facts.start_methods import StartMethod
from dlint.model.volume import LoaderVolume, volume_of

if TYPE_CHECKING:
    from dlint.model.loader import Loader


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
FIGURES = (PAGEABLE, PINNED, FORKED, SPAWNED, EPOCH, RUN)


class Worth(NamedTuple):
    """The seconds that something can bring, each None where they are not known."""

    epoch: Range | None
    run: Range | None

    @property
    def is_noticeable(self) -> bool | None:
        """Whether it can be noticed at all; None where that is not known."""
        pairs = [(self.epoch, EPOCH), (self.run, RUN)]
        if any(found is not None and found.low >= figure.value for found, figure in pairs):
            return True
        small = [found is not None and found.high < figure.value for found, figure in pairs]
        return False if all(small) else None


def pinning(volume: LoaderVolume) -> Worth:
    """What copies from pinned memory save, if nothing else is done meanwhile."""
    size, batches = volume.batch_bytes, volume.batches
    if size is None or batches is None:
        return Worth(None, None)
    saved = exactly(1 / PAGEABLE.value - 1 / PINNED.value)
    return _over_epochs(size * batches * saved, volume)


def keeping_workers(volume: LoaderVolume, methods: frozenset[StartMethod]) -> Worth:
    """What workers save that live on, by how they may be started."""
    forked, spawned = exactly(FORKED.value), exactly(SPAWNED.value)
    costs = [forked if method is StartMethod.FORK else spawned for method in methods]
    if not costs:
        return Worth(None, None)
    low, high = min(c.low for c in costs), max(c.high for c in costs)
    return _over_epochs(Range(low, high), volume)


def _over_epochs(epoch: Range, volume: LoaderVolume) -> Worth:
    return Worth(epoch, None if volume.epochs is None else epoch * volume.epochs)


# -- in words

_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def amount(loaders: Iterable[Loader]) -> str:
    """How much the loaders of one finding give, as a clause in brackets with a blank before it.

    Empty where it is not known, or not the same for all of them.
    """
    said = {_in_words(volume_of(loader)) for loader in loaders}
    text = said.pop() if len(said) == 1 else ""
    return f" ({text})" if text else ""


def _in_words(volume: LoaderVolume) -> str:
    size, batches = volume.batch_bytes, volume.batches
    parts = [] if size is None else [f"about {_bytes(size)} a batch"]
    if batches is not None and batches.low >= 1:
        one = batches.high == 1
        parts.append(f"{_span(batches.low, batches.high)} batch{'' if one else 'es'} an epoch")
    assumed = dict.fromkeys(n for r in (size, batches) if r is not None for n in r.assumed)
    if parts and assumed:
        parts.append("by " + " and ".join(f"the {name}" for name in assumed))
    return ", ".join(parts)


def _bytes(size: Range) -> str:
    """A number of bytes, rounded to two figures."""
    scale, unit = next((pair for pair in _UNITS if size.high >= pair[0]), (1, "bytes"))
    low, high = (float(f"{end / scale:.2g}") for end in (size.low, size.high))
    return f"{_span(low, high)} {unit}"


def _span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
