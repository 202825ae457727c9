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
from dlint.verify.measure.record import DeviceMemory
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
    assert record._device(_cuda([0])) == {"gpu": "GPU 0"}


def test_devices_that_held_something_are_those_that_were_used() -> None:
    assert record._device(_cuda([0, 5])) == {
        "gpu": "GPU 1",
        "cuda_memory": [{"number": 1, "peak": 5, "held": 4, "total": 1000, "used": 899}],
    }


def test_two_live_at_once_where_others_leave_room_for_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interleaved, "_available", lambda: 1 << 40)
    device = DeviceTime(1.0, 0.5, {}, 0, 0.0, 0.0)

    def fits(*memory: DeviceMemory) -> bool:
        run = made.run(device=device)
        held = {"cuda_memory": memory}
        return interleaved.room(replace(run, records=[run.records[0].model_copy(update=held)])) > 1

    small = DeviceMemory(number=0, peak=30, held=20, used=25, total=100)
    context = small.model_copy(update={"used": 35})
    assert [fits(small), fits(context), fits()] == [True, False, False]
    assert not fits(small, context), "each device must have room, not the fullest only"


def test_a_device_that_only_a_pinning_loader_started_was_not_used() -> None:
    assert record._device(_cuda([0])) == {}


def test_an_allocator_that_keeps_no_count() -> None:
    assert record._device(_cuda(None)) == {"gpu": "GPU 0"}


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
    assert waits == [None, 1, 2], "of one, the current one"


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


class _Autocast:
    """A part of a program that computes with coarse numbers, if that is switched on."""

    fast_dtype = 0.01

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled

    def __enter__(self) -> None:
        """Nothing."""


class _Loss:
    """A tensor with one value, which cannot be asked for while a graph is recorded."""

    is_cuda = True
    captured = True
    dtype = 1e-7

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
    monkeypatch.setattr(_Autocast, "__enter__", _Autocast.__enter__)
    cuda = SimpleNamespace(is_current_stream_capturing=lambda: _Loss.captured)
    state: Any = SimpleNamespace(
        config={"look": True}, here=True, current=None, train=None, losses=[], streams=[]
    )
    state.precision = 0.0
    numbers = SimpleNamespace(
        Tensor=_Loss, cuda=cuda, autocast=_Autocast, finfo=lambda kind: SimpleNamespace(eps=kind)
    )
    hooks._listen_to_training(state, numbers)
    _Loss().backward()
    monkeypatch.setattr(_Loss, "captured", False)
    _Loss().backward()
    assert state.losses == [0.5]
    assert state.precision == 1e-7
    for enabled in (False, True):
        _Autocast(enabled).__enter__()
        assert state.precision == (0.01 if enabled else 1e-7)


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
    device: Any = None

    def ended(self, entered: float) -> None:
        """There is none left."""

    def took(self, entered: float, given: float) -> None:
        """One more."""
        self.batches += 1


class _Event:
    """A mark in the stream of a device that is behind."""

    now = 0.0

    def __init__(self, enable_timing: bool) -> None:
        assert enable_timing

    def record(self) -> None:
        """Reached half a second after the one before."""
        _Event.now += 0.5
        self.at = _Event.now

    def elapsed_time(self, later: _Event) -> float:
        """Milliseconds."""
        return 1000 * (later.at - self.at)


@pytest.mark.parametrize("by_epoch", [False, True])
def test_steps_of_timed_epochs_are_marked_on_the_device_and_not_waited_for(
    by_epoch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[bool] = []
    _with_device(monkeypatch, lambda device: waits.append(True))
    sys.modules["torch"].cuda.Event = _Event  # type: ignore[attr-defined]
    loader: Any = _Batches()
    config = {"look": False, "by_epoch": by_epoch}
    state: Any = SimpleNamespace(
        config=config, here=True, train=loader, due=9, until=float("inf"), first_batch=1.0
    )
    following = hooks._measured(state, next)

    class Iterator:
        _dlint_loader = loader
        left = 3

        def __next__(self) -> int:
            if not self.left:
                raise StopIteration
            self.left -= 1
            return 1

    batches = Iterator()
    assert [following(batches) for _ in range(3)] == [1, 1, 1]
    with pytest.raises(StopIteration):
        following(batches)
    assert loader.batches == 3
    assert len(waits) == int(by_epoch), "once, for the time of the first mark"
    if by_epoch:
        first, *rest = loader.device.moments([0.0, 0.1, 0.2])
        assert [moment - first for moment in rest] == pytest.approx([0.5, 1.0])
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
