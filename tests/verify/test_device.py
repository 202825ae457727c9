"""What the probe does where there is a device; with one that is made up."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dlint.verify.measure import interleaved, windows
from dlint.verify.measure.traces import DeviceTime
from dlint.verify.probe.dlint_probe import content, hooks, record, window
from dlint.verify.probe.dlint_probe.state import synchronise
from tests.verify import made


def _cuda(peaks: list[int] | None) -> Any:
    """Devices of which the most bytes are known, or not."""

    def most(number: int) -> int:
        if peaks is None:
            raise RuntimeError("CUDAPluggableAllocator does not yet support getDeviceStats.")
        return peaks[number]

    return SimpleNamespace(
        device_count=lambda: len(peaks or [0]),
        max_memory_reserved=most,
        get_device_name=lambda number=0: f"GPU {number}",
        mem_get_info=lambda number: (100 + number, 1000),
        memory_reserved=lambda number: 4,
    )


def test_an_allocator_that_keeps_nothing_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert record._device(_cuda([0])) == {}
    monkeypatch.setenv("PYTORCH_NO_CUDA_MEMORY_CACHING", "1")
    assert record._device(_cuda([0])) == {"cuda_used": True, "gpu": "GPU 0"}


def test_the_device_that_held_most_is_the_one_that_was_used() -> None:
    assert record._device(_cuda([0, 5])) == {
        "cuda_used": True,
        "gpu": "GPU 1",
        "cuda_peak_bytes": 5,
        "cuda_room_bytes": 105,
    }


def test_two_live_at_once_where_others_leave_room_for_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interleaved, "_available", lambda: 1 << 40)
    device = DeviceTime(1.0, 0.5, {}, 0, 0.0, 0.0)

    def fits(room: int | None) -> bool:
        run = made.run(device=device)
        held = {"cuda_peak_bytes": 30, "cuda_room_bytes": room}
        return interleaved.fits(replace(run, records=[run.records[0].model_copy(update=held)]))

    assert [fits(80), fits(60), fits(None)] == [True, False, False]


def test_a_device_that_only_a_pinning_loader_started_was_not_used() -> None:
    assert record._device(_cuda([0])) == {}


def test_an_allocator_that_keeps_no_count() -> None:
    assert record._device(_cuda(None)) == {"cuda_used": True, "gpu": "GPU 0"}


def _with_device(monkeypatch: pytest.MonkeyPatch, wait: Any, devices: int = 1) -> None:
    cuda = SimpleNamespace(
        is_initialized=lambda: True,
        device_count=lambda: devices,
        synchronize=wait,
    )
    core = SimpleNamespace(_cuda_hasPrimaryContext=lambda number: number > 0)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, _C=core))


def test_only_devices_that_the_program_uses_are_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[int | None] = []
    for devices in (1, 3):
        _with_device(monkeypatch, waits.append, devices)
        synchronise()
    assert waits == [None, 1, 2]


def test_a_device_that_failed_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(device: int | None) -> None:
        raise RuntimeError("device-side assert triggered")

    _with_device(monkeypatch, fail)
    opened = {"now": 0.0, "batches": 1, "optimizer_steps": 1, "epochs": 1}
    state: Any = SimpleNamespace(error={"type": "RuntimeError"}, window=opened, train=object())
    window.close_early(state)
    assert state.window is None


def test_what_the_device_does_is_no_time_of_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    _with_device(monkeypatch, lambda device: time.sleep(0.05))
    monkeypatch.setattr(content, "note", lambda loader, batch: None)
    state: Any = SimpleNamespace(config={"look": True}, first_batch=1.0, hashing=0.0)
    begun = time.perf_counter()
    hooks._look(state, None, None)  # type: ignore[arg-type]
    assert time.perf_counter() - begun >= 0.05
    assert state.hashing < 0.05


class _Loss:
    """A tensor with one value, which cannot be asked for while a graph is recorded."""

    is_cuda = True
    captured = True

    def numel(self) -> int:
        """One."""
        return 1

    def detach(self) -> float:
        """Its value."""
        assert not self.captured, "operation not permitted when stream is capturing"
        return 0.5

    def backward(self) -> None:
        """Nothing."""


def test_a_loss_is_not_asked_for_its_value_while_a_graph_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    assert not torch.cuda.is_initialized()
    steps = SimpleNamespace(register_optimizer_step_post_hook=id)
    monkeypatch.setitem(sys.modules, "torch.optim.optimizer", steps)
    monkeypatch.setattr(_Loss, "backward", _Loss.backward)
    cuda = SimpleNamespace(is_current_stream_capturing=lambda: _Loss.captured)
    state: Any = SimpleNamespace(
        config={"look": True}, here=True, current=None, train=None, losses=[], streams=[]
    )
    hooks._listen_to_training(state, SimpleNamespace(Tensor=_Loss, cuda=cuda))
    _Loss().backward()
    monkeypatch.setattr(_Loss, "captured", False)
    _Loss().backward()
    assert state.losses == [0.5]


def test_steps_of_a_graph_name_no_loader(tmp_path: Path) -> None:
    loader: Any = SimpleNamespace(batches=100, optimizer_steps=0, backwards=0)
    config = {"out": str(tmp_path)}
    state: Any = SimpleNamespace(
        config=config, loaders=[loader], optimizer_steps=3, train=None, pid=7
    )
    window._choose_untrained(state, loader)
    assert state.train is loader


class _Batches:
    """A loader's record, and how often a batch was taken."""

    batches = 0

    def took(self, entered: float, given: float) -> None:
        """One more."""
        self.batches += 1


@pytest.mark.parametrize("by_epoch", [False, True])
def test_steps_of_timed_epochs_wait_for_the_device(
    by_epoch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[bool] = []
    _with_device(monkeypatch, lambda device: waits.append(True))
    loader = _Batches()
    config = {"look": False, "by_epoch": by_epoch}
    state: Any = SimpleNamespace(
        config=config, here=True, train=loader, due=9, until=float("inf"), first_batch=1.0
    )
    following = hooks._measured(state, next)

    class Iterator:
        _dlint_loader = loader

        def __next__(self) -> int:
            return 1

    assert [following(Iterator()) for _ in range(3)] == [1, 1, 1]
    assert loader.batches == 3
    assert len(waits) == (3 if by_epoch else 0)
    epochs = windows.of_epochs(windows.Pace(1.0, 0.01, None), [made.loader()], 1.0)
    assert epochs is not None
    assert epochs.by_epoch


def test_aligned_samples_leave_the_random_stream_of_the_device_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    class Fetcher:
        def fetch(self, indices: Any) -> Any:
            return torch.rand(2).tolist()

    seeded: list[int] = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeded.append)
    content.align(Fetcher, 3)
    before = torch.get_rng_state()
    assert Fetcher().fetch([1]) == Fetcher().fetch([1]) != Fetcher().fetch([2])
    assert torch.equal(before, torch.get_rng_state())
    assert seeded == []
