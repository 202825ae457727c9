"""The record of a process, written once when its measurement ends."""

# ruff: noqa: PTH105, PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import json
import os
import sys
from itertools import repeat
from typing import Any

from . import accelerator
from .leave import rank_and_world
from .state import Loader, State, clock

SCHEMA = 1
_MOMENTS = ("start", "ready", "first", "end")


def finish(state: State, why: str) -> None:
    """Write the record of this process, if it used any loader or failed."""
    if not state.here:
        return
    state.stop()
    if not state.loaders and state.error is None:
        return
    rank, world = rank_and_world()
    record = {
        "schema": SCHEMA,
        "why": why,
        "rank": rank,
        "world": world,
        "pid": state.pid,
        "seconds": clock() - state.installed,
        "import_seconds": state.config["installed_at"] - state.config["launched"],
        "first_batch_seconds": state.first_batch,
        "optimizer_steps": state.optimizer_steps,
        "hashing_seconds": state.hashing,
        "window": state.window,
        "datasets": state.datasets,
        "losses": state.losses,
        "streams": state.streams,
        "precision": state.precision,
        "error": state.error,
        "requested_strategy": state.requested_strategy,
        "train": None if state.train is None else state.loaders.index(state.train),
        "loaders": [_loader(loader, state) for loader in state.loaders],
        **_environment(state),
        **({} if state.doctor is None else {"doctor": state.doctor.told()}),
    }
    path = os.path.join(state.config["out"], f"record.{rank}.{state.pid}.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(record, file)
    os.replace(path + ".new", path)
    if state.config.get("post"):
        from . import post

        post.send(state)


def _loader(loader: Loader, state: State) -> dict[str, Any]:
    def since(times: Any) -> list[float]:
        return [round(t - state.installed, 7) for t in times]

    epochs = [
        {**epoch, **{k: round(epoch[k] - state.installed, 7) for k in _MOMENTS if k in epoch}}
        for epoch in map(_whole, loader.epochs, _ends(loader), repeat(loader))
    ]
    is_train = loader is state.train
    return {
        "site": loader.site,
        "length": loader.length,
        "epochs": epochs,
        "batches": loader.batches,
        "optimizer_steps": loader.optimizer_steps,
        "entered": since(loader.entered) if is_train else [],
        "given": since(loader.given) if is_train else [],
        "reached": since(_reached(loader)) if is_train else [],
        "order": loader.order if state.config["look"] else [],
        "hashes": loader.hashes if state.config["look"] else [],
        "samples": loader.samples if state.config["look"] else [],
        "pinned": loader.pinned,
        "batch_bytes": loader.batch_bytes,
        "worker_pids": loader.worker_pids[:1000],
        **loader.facts,
    }


def _reached(loader: Loader) -> list[float]:
    """When the device came to each batch, where that was noted."""
    return [] if loader.device is None else loader.device.moments(list(loader.entered))


def _ends(loader: Loader) -> list[int]:
    """How many batches were taken before the end of each epoch."""
    return [epoch["offset"] for epoch in loader.epochs[1:]] + [loader.batches]


def _whole(epoch: dict[str, Any], end: int, loader: Loader) -> dict[str, Any]:
    """An epoch with what its batches say."""
    entered, given = loader.entered[epoch["offset"] : end], loader.given[epoch["offset"] : end]
    found = {**epoch, "batches": end - epoch["offset"], "wait": sum(given) - sum(entered)}
    if given:
        found.update(first=given[0], first_wait=given[0] - entered[0])
    return found


def _environment(state: State) -> dict[str, Any]:
    torch: Any = sys.modules["torch"]
    device = accelerator.in_use()
    found: dict[str, Any] = {
        "torch": str(torch.__version__),
        "python": sys.version.split()[0],
        "cuda_available": bool(torch.cuda.is_available()),
        "device_available": accelerator.is_there(),
        "cuda_used": False,
        "accelerator": None,
        "cuda_version": getattr(torch.version, "cuda", None),
        "threads": torch.get_num_threads(),
        "gpu": None,
        "cuda_memory": [],
    }
    told = {} if device is None else _device(device.module)
    if device is not None and told:
        found.update(told, accelerator=device.kind, cuda_used=device.kind == "cuda")
    return found


def _device(module: Any) -> dict[str, Any]:
    """The devices that held something, and the name of the one that held most: a loader that pins
    its batches has CUDA started where the program itself stays on the CPU. An allocator of the
    program's own may keep no count, and neither does torch's, told to keep nothing."""
    uncounted = {"gpu": _name(module)}
    try:
        memory = [_memory(module, number) for number in range(module.device_count())]
    except (RuntimeError, AttributeError):
        return uncounted
    held = [device for device in memory if device["peak"]]
    if not held:
        return uncounted if "PYTORCH_NO_CUDA_MEMORY_CACHING" in os.environ else {}
    fullest = max(held, key=lambda device: device["peak"])
    try:
        for device in held:
            free, device["total"] = map(int, module.mem_get_info(device["number"]))
            device["used"] = device["total"] - free
    except (RuntimeError, AttributeError):
        held = []
    return {"gpu": _name(module, fullest["number"]), "cuda_memory": held}


def _name(module: Any, *number: int) -> str:
    """What a device is called; MPS has one, without a name."""
    asked = getattr(module, "get_device_name", None)
    return str(module.__name__).rpartition(".")[2] if asked is None else str(asked(*number))


def _memory(module: Any, number: int) -> dict[str, int]:
    return {
        "number": number,
        "peak": int(module.max_memory_reserved(number)),
        "held": int(module.memory_reserved(number)),
    }
