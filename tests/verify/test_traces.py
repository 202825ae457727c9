"""What a device did, out of traces made by hand after what kineto writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dlint.verify.measure.traces import device_time, read
from dlint.verify.probe.dlint_probe import profiling
from dlint.verify.report import words


def _event(cat: str, name: str, start: float, length: float, **facts: Any) -> dict[str, Any]:
    """An event as `torch.profiler.profile.export_chrome_trace` writes it: times in microseconds."""
    stream = facts.pop("stream", 7)
    return {
        "ph": "X",
        "cat": cat,
        "name": name,
        "pid": 0,
        "tid": stream,
        "ts": start,
        "dur": length,
        "args": {"device": 0, "context": 1, "stream": stream, "correlation": 1, **facts},
    }


def _copy(kind: str, start: float, length: float, size: int = 4 << 20) -> dict[str, Any]:
    return _event("gpu_memcpy", f"Memcpy HtoD ({kind} -> Device)", start, length, bytes=size)


KERNELS = [
    _event("kernel", "volta_sgemm_128x64_nn", 1000.0, 300.0),
    _event("kernel", "void at::native::reduce_kernel<512>", 1200.0, 200.0, stream=9),
    _event("kernel", "volta_sgemm_128x64_nn", 2000.0, 100.0),
]
OTHERS = [
    {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}},
    {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 1, "pid": 0, "tid": 7, "ts": 1000.0},
    _event("cuda_runtime", "cudaLaunchKernel", 900.0, 50.0),
    _event("gpu_memset", "Memset (Device)", 900.0, 50.0),
    _event("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 3000.0, 100.0, bytes=4),
    _event("gpu_user_annotation", "step", 0.0, 5000.0),
]


def test_the_time_of_kernels_counts_once() -> None:
    found = device_time([*KERNELS, *OTHERS], 2e-3)
    assert found is not None
    assert found.busy == pytest.approx(500e-6)
    assert found.idle == pytest.approx(0.75)
    assert (found.copies, found.overlap) == ({}, None)


def test_copies_by_the_memory_that_they_read() -> None:
    copies = [_copy("Pageable", 500, 400), _copy("Pinned", 1350, 100), _copy("Pinned", 2050, 100)]
    found = device_time([*copies, *KERNELS, *OTHERS], 2e-3)
    assert found is not None
    assert found.copies == {"pageable": 1, "pinned": 2}
    assert found.copied == 3 * (4 << 20)
    assert found.copying == pytest.approx(600e-6)
    assert found.beside == pytest.approx(100e-6)
    assert found.overlap == pytest.approx(1 / 6)


def test_copies_whose_kinds_stand_in_the_arguments() -> None:
    kinds = {"copy kind": "HtoD", "src kind": "pinned", "dst kind": "device"}
    back = {"copy kind": "DtoH", "src kind": "device", "dst kind": "pinned"}
    events = [
        _event("gpu_memcpy", "Memcpy", 0, 10, bytes=1, **kinds),
        _event("gpu_memcpy", "Memcpy", 0, 10, bytes=1, **back),
    ]
    found = device_time(events, 1.0)
    assert found is not None
    assert found.copies == {"pinned": 1}


def test_traces_without_a_device(tmp_path: Path) -> None:
    assert device_time(OTHERS[:3], 1.0) is None
    assert read(tmp_path / "none.json", 1.0) is None
    (tmp_path / "broken.json").write_text('{"traceEvents": [')
    assert read(tmp_path / "broken.json", 1.0) is None


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": KERNELS}))
    found = read(path, 1e-3)
    assert found is not None
    assert found.idle == pytest.approx(0.5)


def test_words() -> None:
    pageable = device_time([_copy("Pageable", 0, 100), *KERNELS], 2e-3)
    pinned = device_time([_copy("Pinned", 1000, 100), *KERNELS], 1e-3)
    assert pageable is not None
    assert pinned is not None
    sides = [d._asdict() | {"idle": d.idle, "overlap": d.overlap} for d in (pageable, pinned)]
    gpu, copies = words._device(*sides)
    assert gpu == "the GPU without a kernel: 75% of the time, then 50%"
    assert copies.startswith("copies to the GPU: 1 from pageable memory (0% of their time beside")
    assert copies.endswith("then 1 from pinned memory (100% of their time beside kernels)")
    assert words._device(None, None) == []


class _Profiler:
    """Stands for the profiler of torch; one that is told to fails."""

    def __init__(self, fails: bool) -> None:
        self._fails = fails

    def start(self) -> None:
        """Record."""
        if self._fails:
            raise RuntimeError("CUPTI is not there")

    def stop(self) -> None:
        """Record no more."""

    def export_chrome_trace(self, path: str) -> None:
        """Write what was recorded."""
        Path(path).write_text(json.dumps({"traceEvents": KERNELS}))


@pytest.mark.parametrize("fails", [False, True])
def test_a_profiler_that_fails_says_so_and_ends_nothing(
    fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[object] = []

    def profile(activities: list[object]) -> _Profiler:
        asked.extend(activities)
        return _Profiler(fails)

    cuda = SimpleNamespace(
        is_initialized=lambda: True, device_count=lambda: 1, synchronize=lambda device: None
    )
    activity = SimpleNamespace(CUDA="cuda")
    profilers = SimpleNamespace(ProfilerActivity=activity, profile=profile)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    monkeypatch.setitem(sys.modules, "torch.profiler", profilers)
    config = {"profile": True, "out": str(tmp_path)}
    state = SimpleNamespace(config=config, profiler=None, pid=7)
    profiling.begin(state)  # type: ignore[arg-type]
    profiling.end(state)  # type: ignore[arg-type]
    assert asked == ["cuda"]
    assert (read(tmp_path / "trace.7.json", 1e-3) is None) is fails
    assert ("CUPTI is not there" in capsys.readouterr().err) is fails


def test_without_a_device_nothing_is_profiled() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    state = SimpleNamespace(config={"profile": True}, profiler=None)
    profiling.begin(state)  # type: ignore[arg-type]
    assert state.profiler is None
