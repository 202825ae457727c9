"""Where and with what was measured."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from dlint import __version__
from dlint.verify.run.runner import Run

_DRIVERS = ("nvidia[0-9]*", "nvidiactl", "nvhost*", "nvgpu", "kfd", "dxg")
"""Of NVIDIA's, on servers and on small boards; of AMD's; and of Windows below Linux."""
_OTHERS = ("dri/renderD*", "accel/accel*", "davinci[0-9]*", "hl[0-9]*", "cambricon_dev[0-9]*")
"""Of what torch knows beside CUDA and ROCm: Intel's GPUs, and accelerators of others."""


def environment(run: Run, script: Path) -> dict[str, Any]:
    """The facts that a result holds for."""
    record = run.record
    facts: dict[str, Any] = {
        "dlint": __version__,
        "system": platform.platform(),
        "cpu": _cpu(),
        "cpu_count": os.cpu_count(),
        "affinity": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "commit": _commit(script),
    }
    if record is not None:
        facts.update(
            python=record.python,
            torch=record.torch,
            torch_threads=record.threads,
            cuda=record.cuda_version,
            cuda_used=record.cuda_used,
            accelerator=record.accelerator,
            gpu=record.gpu,
            driver=_driver() if record.cuda_used else None,
            ranks=record.world,
        )
    loader = run.training
    if loader is not None:
        facts["loader"] = {
            "num_workers": loader.workers,
            "start_method": loader.start_method,
            "batch_size": loader.batch_size,
            "batches_per_epoch": loader.length,
            "batch_bytes": loader.batch_bytes,
        }
    return facts


def may_have_gpu() -> bool:
    """Whether torch could find a device: there is a driver's file, and none are hidden."""
    if platform.system() != "Linux":
        return os.environ.get("CUDA_VISIBLE_DEVICES", "0") not in _HIDDEN
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "0") in _HIDDEN
    patterns = _OTHERS if hidden else (*_DRIVERS, *_OTHERS)
    return any(any(Path("/dev").glob(pattern)) for pattern in patterns)


_HIDDEN = frozenset({"", "-1"})


_CPU_OF_MACOS = ["sysctl", "-n", "machdep.cpu.brand_string"]


def _cpu() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return _output(_CPU_OF_MACOS) or platform.processor() or None
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, None)


def _commit(script: Path) -> str | None:
    """The commit that the script stands at, with `+` behind it where files were changed since."""
    commit = _output(["git", "-C", str(script.parent), "rev-parse", "HEAD"])
    if commit is None:
        return None
    changed = _output(["git", "-C", str(script.parent), "status", "--porcelain", "-uno"])
    return f"{commit}+" if changed else commit


def _driver() -> str | None:
    found = _output(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
    return None if found is None else ", ".join(dict.fromkeys(found.split()))  # a line for each GPU


def _output(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
