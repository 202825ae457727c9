"""What is asked inside the workers: their sharing strategy; and what the program asked for."""

# ruff: noqa: PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from . import content
from .state import State


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

    def fetch(self: Any, indices: Any) -> Any:
        pid = os.getpid()
        if pid != state.pid or _is_worker():
            now = (pid, module.get_sharing_strategy())
            if seen != [now]:
                seen[:] = [now]
                _write(state.config["out"], pid, now[1])
        return original(self, indices)

    fetcher.fetch = fetch


def _is_worker() -> bool:
    from torch.utils.data import get_worker_info

    return get_worker_info() is not None


def _write(folder: str, pid: int, strategy: str) -> None:
    with suppress(OSError), open(os.path.join(folder, f"worker.{pid}"), "a") as file:
        file.write(f"{strategy}\n")
