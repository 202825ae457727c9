"""Which batches are measured: a window of the training loader, opened and closed at `next()`."""

# ruff: noqa: PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
import threading
from typing import Any

from . import profiling
from .gate import Gate
from .leave import leave, rank_and_world
from .record import finish
from .state import Loader, State, clock, synchronise

_BACKWARDS = 10
"""Calls of `backward` that name the training loader where no optimizer of torch steps."""
_UNTRAINED = 100
"""Batches that name it where nothing is trained."""
_WITHOUT = 12
"""Steps without any loader, from which on none is expected: before a CUDA graph is recorded, and
to warm a compiler up, a program takes a few with made-up batches."""
_NEVER = float("inf")
_MOST_HASHED, _FEWEST_HASHED = 2 << 30, 60
"""Bytes after which batches were looked at for long enough, and how many those must be."""


def enter(state: State, loader: Loader, now: float) -> None:
    """`next()` is called: open the window or close it."""
    if state.train is None:
        _choose_untrained(state, loader)
    if state.train is not loader:
        return
    config = state.config
    if state.doctor is not None:
        state.doctor.enter(loader, now)
        return
    if state.window is None and loader.batches >= config["warmup"]:
        begin(state, loader)
        if config.get("gate"):
            state.gate = Gate(config["gate"], config["skip"], config["steps"])
    over = state.gate.enter(loader) if state.gate else _is_over(state, loader, now)
    state.due, state.until = _next(state)
    if over:
        close(state, loader)
        finish(state, "window")
        leave(state)


def begin(state: State, loader: Loader) -> None:
    """The window begins here."""
    synchronise()
    profiling.begin(state)
    state.window = _edge(state, loader)
    loader.facts["background"] = threading.current_thread() is not threading.main_thread()


def close(state: State, loader: Loader) -> None:
    """The window ends here."""
    if state.window is None:
        return
    synchronise()
    last = _edge(state, loader)
    profiling.end(state)
    first = state.window
    state.window = {
        "first_step": first["batches"],
        "steps": last["batches"] - first["batches"],
        "seconds": last["now"] - first["now"],
        "optimizer_steps": last["optimizer_steps"] - first["optimizer_steps"],
        "epochs": last["epochs"] - first["epochs"],
        "opened": first["now"] - state.installed,
    }
    if state.gate:
        taken = state.gate.slices
        state.window["slices"] = taken
        state.window["steps"] = sum(steps for _, steps, _ in taken)
        state.window["seconds"] = sum(seconds for _, _, seconds in taken)


def close_early(state: State) -> None:
    """The program ended before the window did: what there is of it counts, unless it failed: then
    its device may have, too, and cannot be waited for."""
    if state.error is not None:
        state.window = None
    elif state.window is not None and "now" in state.window and state.train is not None:
        close(state, state.train)


def _edge(state: State, loader: Loader) -> dict[str, Any]:
    return {
        "now": clock(),
        "batches": loader.batches,
        "optimizer_steps": state.optimizer_steps,
        "epochs": len(loader.epochs),
    }


def _next(state: State) -> tuple[int, float]:
    """From which batch on, and when, there may be something to do."""
    config, first = state.config, state.window
    if first is None:
        return config["warmup"], _NEVER
    if state.gate:
        return state.gate.due, _NEVER
    most = config.get("seconds") if rank_and_world()[1] == 1 else None
    due = 0 if config["look"] else first["batches"] + config["steps"]
    return due, (first["now"] + most if most else _NEVER)


def _is_over(state: State, loader: Loader, now: float) -> bool:
    if state.window is None or state.window["batches"] == loader.batches:
        return False
    if loader.batches - state.window["batches"] >= state.config["steps"]:
        return True
    seen = loader.hashed >= _MOST_HASHED and loader.batches >= _FEWEST_HASHED
    return now >= state.until or (seen and rank_and_world()[1] == 1)


def stepped(state: State) -> None:
    """An optimizer took a step: the loader that was read last feeds the training."""
    loader = state.current
    if loader is not None and (state.train is None or loader is not state.train):
        loader.optimizer_steps += 1
        if state.train is None and loader.optimizer_steps >= 2:
            choose(state, loader)


def stepped_without(state: State) -> None:
    """An optimizer took a step, and nothing was read. Where no loader was ever made, none is
    expected."""
    if not state.loaders and state.optimizer_steps == _WITHOUT:
        open(os.path.join(state.config["out"], "loaderless"), "w").close()


def went_back(state: State) -> None:
    """A gradient was computed: it names the loader where no optimizer of torch is used."""
    loader = state.current
    if loader is not None and state.train is None:
        loader.backwards += 1
        if loader.backwards >= _BACKWARDS and not state.optimizer_steps:
            choose(state, loader)


def _choose_untrained(state: State, loader: Loader) -> None:
    """Nothing is trained with what loaders give, as far as is seen: the steps of a CUDA graph are
    not, and those before it may have had no batch."""
    untouched = not any(x.optimizer_steps or x.backwards for x in state.loaders)
    if untouched and loader.batches >= _UNTRAINED:
        choose(state, loader)


def choose(state: State, loader: Loader) -> None:
    """This loader feeds the training; the parent is told that the start-up is over."""
    state.train = loader
    open(os.path.join(state.config["out"], f"started.{state.pid}"), "w").close()
    if state.config.get("post"):
        from . import post

        post.send(state)
