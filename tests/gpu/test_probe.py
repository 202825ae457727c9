"""What the probe sees of a CUDA device."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest

from dlint.verify.measure.traces import DeviceTime
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant
from tests.tools.gpu_acceptance import PROGRAMS

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # some versions warn of what is installed beside them
    import torch

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("default")]


def _device(folder: Path, name: str) -> tuple[Run, DeviceTime]:
    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    shutil.copytree(PROGRAMS, folder / "programs")
    script = folder / "programs" / f"{name}.py"
    with Runner(TargetScript(script), script.parent, cwd=script.parent) as runner:
        run = runner.run(Variant("x", {}), RunConfig(10, 20, profile=True))
    assert run.code == 0, run.stderr
    assert run.device is not None, "the profiler recorded nothing"
    return run, run.device


def test_pageable_copies(tmp_path: Path) -> None:
    _, device = _device(tmp_path, "missing_pin_memory")
    assert device.copies.get("pageable", 0) >= 20
    assert not device.copies.get("pinned")
    assert 0 <= device.idle < 1


def test_pinned_copies(tmp_path: Path) -> None:
    run, device = _device(tmp_path, "missing_non_blocking")
    assert run.training is not None
    assert run.training.pinned in (True, None)
    assert device.copies.get("pinned", 0) >= 20
    pixels = 1024 if shutil.disk_usage("/dev/shm").total >= 1 << 30 else 128
    assert device.copied >= 20 * 8 * 4 * pixels**2
