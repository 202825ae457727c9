"""What a loop would gain if its data came at no cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dlint.doctor.operations import COPIES, WORK
from dlint.doctor.timeline import BETWEEN, TimeLine, steps_of
from dlint.verify.measure.record import Record

_FEWEST = 6


class Ceiling(NamedTuple):
    """The most that loading faster can bring."""

    now: float
    """Seconds a batch, with all that lies between epochs."""
    free: float
    """The same if data were free."""
    free_step: float
    """Seconds of a step, if data were free."""
    replayed: int
    """How many steps were run with batches from memory; 0 where it is only worked out, as all of a
    step but the wait for its batch."""
    behind: float
    """Seconds that the program worked on a batch in the window, beside the loading."""
    replay: float | None
    """Seconds of a step with batches from memory; None where none were run."""

    copies: float
    """Seconds of `free_step` that are copies, such as those to the device."""

    @property
    def free_of_copies(self) -> float:
        """Seconds a batch, if neither data nor copies took any."""
        return max(0.0, self.free - self.copies)

    @property
    def gain_with_copies(self) -> float:
        """How many times as fast it would be without loading and without copies."""
        least = self.free_of_copies
        return max(self.gain, self.now / least) if least > 0 else self.gain

    @property
    def gain(self) -> float:
        """How many times as fast it would be; noise makes nothing slower."""
        return max(1.0, self.now / self.free) if self.free > 0 else 1.0


def ceiling(records: Sequence[Record], line: TimeLine) -> Ceiling | None:
    """The ceiling of a run; ranks go as fast as the slowest. None without a measured window."""
    if not line.batches or line.seconds <= 0:
        return None
    now = line.seconds / line.batches
    between = line.shares[BETWEEN] * now
    replays = [found for record in records if (found := _replay(record)) is not None]
    behind = sum(line.stages[name].mean for name in WORK)
    free, count = max(replays, default=(behind, 0))
    replay = free if count else None
    if line.device is None:  # then the program has no more to do than it had behind its waits
        free = min(free, behind)
    copies = free * line.stages[COPIES].mean / behind if behind > 0 else 0.0
    return Ceiling(now, free + between, free, count, behind, replay, copies)


def _replay(record: Record) -> tuple[float, int] | None:
    """Seconds of a step that was given batches from memory, and how many there were."""
    steps, examined = steps_of(record, "replay"), record.doctor
    if steps is None or examined is None or not examined.replayed:
        return None
    entered, given = steps.loader.entered, steps.loader.given
    whole = list(steps.whole())
    if len(whole) < _FEWEST:
        return None
    if record.on_device:  # what the device has left to do is waited for at the end
        ended = examined.phases["replay"].ended or entered[whole[-1] + 1]
        left = max(0.0, ended - entered[whole[-1] + 1])
        seconds = sum(entered[n + 1] - entered[n] for n in whole) + left
        seconds -= examined.phases["replay"].restoring
    else:
        seconds = sum(entered[n + 1] - given[n] for n in whole)
    return seconds / len(whole), len(whole)
