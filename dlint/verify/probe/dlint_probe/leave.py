"""The end of a measured process, without the program's `finally` and `atexit` code."""

# ruff: noqa: PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn

from .state import State

_SHUTDOWN_SECONDS = 8.0
_GATE_SECONDS = 60.0


def leave(state: State) -> NoReturn:
    """Wait for the other ranks, shut the workers down, and end the process at once."""
    _pass_gate(state)
    thread = threading.Thread(target=_shut_down, args=(state,), daemon=True)
    thread.start()
    thread.join(_SHUTDOWN_SECONDS)
    if state.post is not None:
        with suppress(Exception):
            state.post.send()  # what workers wrote at their end
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(0)


def _shut_down(state: State) -> None:
    for iterator in list(state.iterators):
        with suppress(Exception):
            iterator._shutdown_workers()


def rank_and_world() -> tuple[int, int]:
    """The rank of this process and their number."""
    distributed = sys.modules.get("torch.distributed")
    with suppress(Exception):
        if distributed is not None and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
    with suppress(ValueError):
        return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    return 0, 1


def _pass_gate(state: State) -> None:
    """No rank may go while another still needs it for a collective operation."""
    rank, world = rank_and_world()
    if world <= 1:
        return
    if state.post is not None:
        with suppress(Exception):
            state.post.wait_for_all()
        return
    gates = [os.path.join(state.config["out"], f"gate.{number}") for number in range(world)]
    open(gates[rank], "w").close()
    end = time.monotonic() + _GATE_SECONDS
    while time.monotonic() < end and not all(map(os.path.exists, gates)):
        time.sleep(0.02)
