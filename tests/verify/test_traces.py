"""What a device did, out of traces made by hand after what kineto writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dlint.verify.measure.traces import DeviceTime, device_times, read
from dlint.verify.probe.dlint_probe import profiling
from dlint.verify.report import words


def _one(events: list[dict[str, Any]], seconds: float) -> DeviceTime:
    """What the only device did."""
    (found,) = device_times(events, seconds)
    return found


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
    found = _one([*KERNELS, *OTHERS], 2e-3)
    assert found.busy == pytest.approx(500e-6)
    assert found.idle == pytest.approx(0.75)
    assert (found.copies, found.overlap) == ({}, None)


def test_copies_by_the_memory_that_they_read() -> None:
    copies = [_copy("Pageable", 500, 400), _copy("Pinned", 1350, 100), _copy("Pinned", 2050, 100)]
    found = _one([*copies, *KERNELS, *OTHERS], 2e-3)
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
    found = _one(events, 1.0)
    assert found.copies == {"pinned": 1}


def test_traces_without_a_device(tmp_path: Path) -> None:
    assert device_times(OTHERS[:3], 1.0) == []
    assert read(tmp_path / "none.json", 1.0) == []
    (tmp_path / "broken.json").write_text('{"traceEvents": [')
    assert read(tmp_path / "broken.json", 1.0) == []


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": KERNELS}))
    (found,) = read(path, 1e-3)
    assert found.idle == pytest.approx(0.5)


def test_words() -> None:
    pageable = _one([_copy("Pageable", 0, 100), *KERNELS], 2e-3)
    pinned = _one([_copy("Pinned", 1000, 100), *KERNELS], 1e-3)
    sides = [{"devices": [device.told()]} for device in (pageable, pinned)]
    gpu, copies = words._device(*sides)
    assert gpu == "the GPU without a kernel: 75% of the time, then 50%"
    assert copies.startswith("copies to the GPU: 1 from pageable memory (0% of their time beside")
    assert copies.endswith("then 1 from pinned memory (100% of their time beside kernels)")
    assert words._device({}, {}) == []


def test_each_device_is_told_apart_and_what_ranks_exchange_computes_nothing() -> None:
    reduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
    events = [
        _event("kernel", "volta_sgemm_128x64_nn", 1000.0, 400.0),
        _event("kernel", reduce, 1300.0, 300.0),
        _event("kernel", "volta_sgemm_128x64_nn", 1000.0, 100.0, device=1),
        _event("kernel", reduce, 1100.0, 800.0, device=1),
    ]
    first, second = device_times(events, 1e-3)
    assert (first.number, second.number) == (0, 1)
    assert (first.busy, second.busy) == pytest.approx((400e-6, 100e-6))
    assert (first.communicating, second.communicating) == pytest.approx((200e-6, 800e-6))
    assert (first.idle, second.idle) == pytest.approx((0.4, 0.1))
    told = words._device(*[{"devices": [first.told(), second.told()]}] * 2)
    assert told[:2] == [
        "GPU 0 without a kernel: 40% of the time, then 40%",
        "GPU 0 only exchanging: 20%, then 20%",
    ]
    assert any(line.startswith("GPU 1 without a kernel: 10%") for line in told)


def test_copies_without_kernels_say_nothing_of_kernels() -> None:
    found = _one([_copy("Pinned", 0, 100)], 1e-3)
    assert (found.idle, found.overlap) == (None, None)
    told = words._device(*[{"devices": [found.told()]}] * 2)
    assert not [line for line in told if "without a kernel" in line]


def test_a_graph_whose_kernels_are_not_recorded_leaves_no_idle_device() -> None:
    graph = _event("cuda_runtime", "cudaGraphLaunch", 900.0, 50.0)
    assert _one([{**graph, "args": {"correlation": 1}}, *KERNELS], 1e-3).idle is not None
    assert _one([{**graph, "args": {"correlation": 2}}, *KERNELS], 1e-3).idle is None


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
    activity = SimpleNamespace(CPU="cpu", CUDA="cuda")
    profilers = SimpleNamespace(ProfilerActivity=activity, profile=profile)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    monkeypatch.setitem(sys.modules, "torch.profiler", profilers)
    config = {"profile": True, "out": str(tmp_path)}
    state = SimpleNamespace(config=config, profiler=None, pid=7)
    profiling.begin(state)  # type: ignore[arg-type]
    profiling.end(state)  # type: ignore[arg-type]
    assert asked == ["cpu", "cuda"]
    assert (not read(tmp_path / "trace.7.json", 1e-3)) is fails
    assert ("CUPTI is not there" in capsys.readouterr().err) is fails


def test_without_a_device_nothing_is_profiled() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    state = SimpleNamespace(config={"profile": True}, profiler=None)
    profiling.begin(state)  # type: ignore[arg-type]
    assert state.profiler is None
