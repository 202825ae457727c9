"""Batches on their way from workers to a loop, in the order in which torch's loader gives them."""

from __future__ import annotations

from collections.abc import Sequence

_STEPS = 400
"""Batches that are followed, at least; the first quarter fills the queue and does not count."""
_ROUNDS = 8
"""And how many queues of them."""


def pace_of(times: Sequence[float], step: float, workers: int, prefetch: int) -> float:
    """Seconds from batch to batch, for a loop that works for `step` seconds on each.

    `times`: seconds that a worker takes for batches, one after the other, from the first again
    where they are used up. Without workers the loop makes them itself. As in
    `_MultiProcessingDataLoaderIter`, batch n is made by worker n modulo their number, and asked for
    when batch n - workers x prefetch is taken; batches are given in their order.
    """
    if workers == 0:
        return step + sum(times) / max(1, len(times))
    queue = workers * prefetch
    count = max(_STEPS, _ROUNDS * queue, len(times))
    free, given = [0.0] * workers, [0.0] * count
    now = 0.0
    for number in range(count):
        worker = number % workers
        asked = 0.0 if number < queue else given[number - queue]
        free[worker] = max(free[worker], asked) + times[number % len(times)]
        given[number] = now = max(now, free[worker])
        now += step
    first = count // 4
    return (given[-1] - given[first]) / (count - 1 - first)
