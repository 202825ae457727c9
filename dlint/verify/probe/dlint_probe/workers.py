"""What is asked inside the workers: their sharing strategy, and how long batches take them; and
what the program asked for."""

# ruff: noqa: PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from . import content
from .state import State, clock


def listen(state: State) -> None:
    """Listen to `set_sharing_strategy` and to the first batch that each worker makes."""
    import torch.multiprocessing
    from torch.utils.data._utils import fetch

    _listen_to_requests(state, torch.multiprocessing)
    fetchers = (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher)
    if state.config.get("align"):
        content.align(fetch._MapDatasetFetcher, state.config.get("seed") or 0)
    if state.config["look"]:
        for fetcher in fetchers:
            _listen_to_fetcher(state, fetcher, torch.multiprocessing)


def _listen_to_requests(state: State, module: Any) -> None:
    original = module.set_sharing_strategy

    def set_sharing_strategy(strategy: str) -> None:
        original(strategy)
        if state.here:
            state.requested_strategy = strategy

    module.set_sharing_strategy = set_sharing_strategy


def _listen_to_fetcher(state: State, fetcher: Any, module: Any) -> None:
    original = fetcher.fetch
    seen: list[tuple[int, str]] = []
    made = Made(state.config["out"])

    def fetch(self: Any, indices: Any) -> Any:
        pid = os.getpid()
        if pid == state.pid and not _is_worker():
            return original(self, indices)
        now = (pid, module.get_sharing_strategy())
        if seen != [now]:
            seen[:] = [now]
            _write(state.config["out"], f"worker.{pid}", now[1])
        begun = clock()
        batch = original(self, indices)
        made.add(pid, clock() - begun)
        return batch

    fetcher.fetch = fetch


def _is_worker() -> bool:
    from torch.utils.data import get_worker_info

    return get_worker_info() is not None


class Made:
    """How many batches this worker made, and in how many seconds, without its first one, for which
    files are opened. It is written whenever they are twice as many: nobody tells a worker that it
    will be ended."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._pid = self._count = 0
        self._seconds = 0.0

    def add(self, pid: int, seconds: float) -> None:
        """One batch more."""
        if pid != self._pid:
            self._pid, self._count, self._seconds = pid, 0, 0.0
            return
        self._count += 1
        self._seconds += seconds
        if self._count & (self._count - 1) == 0:
            _write(self._folder, f"making.{pid}", f"{self._count} {self._seconds:.9f}")


def _write(folder: str, name: str, line: str) -> None:
    with suppress(OSError), open(os.path.join(folder, name), "a") as file:
        file.write(f"{line}\n")
