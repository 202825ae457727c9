"""Devices of every kind that torch knows, made up: what is asked of them, and of none else."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dlint.verify.probe import dlint_probe
from dlint.verify.probe.dlint_probe import accelerator, content, profiling, record
from dlint.verify.probe.dlint_probe.device_clock import DeviceClock
from dlint.verify.probe.dlint_probe.state import synchronise
from dlint.verify.run import machine
from tests.verify.made import run

PROBE = Path(dlint_probe.__file__).parent
CUDA_ONLY = {
    "hooks.py": 2,  # TF32, and whether a CUDA graph is being recorded
    "record.py": 1,  # `cuda_available`, which reports have told since they are there
}
"""Where the probe asks `torch.cuda`, and for what else has no twin."""


class Event:
    """A mark; each is reached 10 ms after the one before."""

    count = 0

    def __init__(self, enable_timing: bool) -> None:
        Event.count += 1
        self.number = Event.count

    def record(self) -> None:
        """It is marked."""

    def elapsed_time(self, other: Event) -> float:
        """Milliseconds."""
        return 10.0 * (other.number - self.number)


def module(calls: list[Any], started: bool = True, devices: int = 1) -> Any:
    """As `torch.xpu` and plug-ins have it."""
    return SimpleNamespace(
        __name__="torch.made_up",
        is_initialized=lambda: started,
        is_available=lambda: True,
        device_count=lambda: devices,
        synchronize=lambda *number: calls.append(number),
        memory_allocated=lambda number=0: number,
        memory_reserved=lambda number: 4,
        max_memory_reserved=lambda number: 5,
        mem_get_info=lambda number: (100, 1000),
        get_device_name=lambda number=0: f"device {number}",
        get_rng_state=lambda: "state of the device",
        Event=Event,
    )


def apples(calls: list[Any], held: int = 3) -> Any:
    """As `torch.mps` has it: no count of devices, no word on whether it is started."""
    return SimpleNamespace(
        __name__="torch.mps",
        synchronize=lambda *number: calls.append(number),
        current_allocated_memory=lambda: held,
        event=SimpleNamespace(Event=Event),
    )


def nothing() -> Any:
    """`torch.cuda` where it is not there; to ask for more than that fails."""
    return SimpleNamespace(is_initialized=lambda: False, is_available=lambda: False)


def having(monkeypatch: pytest.MonkeyPatch, said: str | None = None, **modules: Any) -> Any:
    """A torch with these kinds; `said` is what `torch.accelerator` says, None in older ones."""
    known = {"cuda": nothing(), **modules}
    if said is not None:
        device = SimpleNamespace(type=said)
        known["accelerator"] = SimpleNamespace(current_accelerator=lambda: device)
    if "mps" in modules:
        known["backends"] = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: True))
    torch = SimpleNamespace(**known)
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


@pytest.mark.parametrize("said", ["xpu", None])
def test_a_kind_is_found_with_and_without_the_word_of_torch(
    monkeypatch: pytest.MonkeyPatch, said: str | None
) -> None:
    calls: list[Any] = []
    having(monkeypatch, said, xpu=module(calls))
    found = accelerator.in_use()
    assert found is not None
    assert found.kind == "xpu"
    assert accelerator.is_there()
    synchronise()
    assert calls == [(None,)]


def test_a_plug_in_is_found_by_the_word_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    having(monkeypatch, "made_up", made_up=module(calls))
    found = accelerator.in_use()
    assert found is not None
    assert found.kind == "made_up"
    having(monkeypatch, None, made_up=module(calls))
    assert accelerator.in_use() is None, "nothing names it"


def test_none_is_started_by_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    having(monkeypatch, "xpu", xpu=module(calls, started=False))
    assert accelerator.in_use() is None
    assert accelerator.is_there()
    synchronise()
    DeviceClock().mark()
    assert calls == []
    having(monkeypatch, "cuda")
    assert not accelerator.is_there()


def test_of_several_devices_those_that_hold_something_are_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[Any] = []
    having(monkeypatch, "xpu", xpu=module(calls, devices=3))
    synchronise()
    assert calls == [(1,), (2,)]


def test_apples_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    having(monkeypatch, None, mps=apples(calls))
    found = accelerator.in_use()
    assert found is not None
    assert (found.kind, found.event) == ("mps", Event)
    synchronise()
    assert calls == [()]
    assert record._device(found.module) == {"gpu": "mps"}
    having(monkeypatch, None, mps=apples(calls, held=0))
    assert accelerator.in_use() is None


@pytest.mark.parametrize("made", [module, apples])
def test_when_a_device_came_to_a_batch(monkeypatch: pytest.MonkeyPatch, made: Any) -> None:
    kind = "mps" if made is apples else "xpu"
    having(monkeypatch, kind, **{kind: made([])})
    clock = DeviceClock()
    for _ in range(3):
        clock.mark()
    moments = clock.moments([0.0, 0.0, 0.0])
    assert [round(b - a, 6) for a, b in pairwise(moments)] == [0.01, 0.01]


def test_a_device_without_marks_has_the_moments_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = module([])
    kind.Event = None
    having(monkeypatch, "xpu", xpu=kind)
    clock = DeviceClock()
    clock.mark()
    assert clock.moments([0.5]) == [0.5]


def test_what_a_record_tells_of_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = having(monkeypatch, "xpu", xpu=module([]))
    torch.version = SimpleNamespace(cuda=None)
    torch.__version__ = "2.13.0"
    torch.get_num_threads = lambda: 2
    told = record._environment(SimpleNamespace())  # type: ignore[arg-type]
    assert (told["accelerator"], told["cuda_used"], told["device_available"]) == (
        "xpu",
        False,
        True,
    )
    assert told["gpu"] == "device 0"
    held = {"number": 0, "peak": 5, "held": 4, "total": 1000, "used": 900}
    assert told["cuda_memory"] == [held]
    one = run().records[0]
    assert not one.on_device
    assert one.model_copy(update={"accelerator": "xpu"}).on_device


def test_random_streams_of_a_device_count(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for state in ("one", "other"):
        kind = module([])
        kind.get_rng_state = lambda state=state: state
        torch = having(monkeypatch, "xpu", xpu=kind)
        torch.get_rng_state = lambda: "host"
        torch.Tensor = type("Tensor", (), {})
        monkeypatch.setattr("random.getstate", lambda: "python")
        monkeypatch.setattr(content, "_numpy", lambda: None)
        found.append(content.streams())
    assert found[0] != found[1]


@pytest.mark.parametrize(
    ("device", "expected"), [("cpu", False), ("meta", False), ("cuda:1", True), ("npu", True)]
)
def test_where_a_tensor_lies(device: str, expected: bool) -> None:
    assert accelerator.holds(SimpleNamespace(device=device)) is expected


def test_what_the_profiler_calls_it() -> None:
    from torch.profiler import ProfilerActivity

    known = {"cuda": ProfilerActivity.CUDA, "mps": None, "xpu": ProfilerActivity.XPU}
    for kind, activity in known.items():
        assert accelerator.Accelerator(kind, None).activity is activity


def test_what_the_profiler_does_not_record_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = accelerator.Accelerator("mps", apples([]))
    monkeypatch.setattr(accelerator, "in_use", lambda: found)
    state: Any = SimpleNamespace(config={"profile": True}, profiler=None)
    profiling.begin(state)
    assert state.profiler is None
    assert "it does not record mps" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(PROBE.rglob("*.py")), ids=lambda path: path.name)
def test_only_what_is_cudas_alone_asks_for_it(path: Path) -> None:
    text = path.read_text("utf-8")
    asked = re.findall(r"torch\.cuda\.\w|torch\.backends\.cuda|\.is_cuda\b", text)
    if path.name == "hooks.py":  # the tensor's own word, beside each
        asked = [one for one in asked if one != ".is_cuda"]
    assert len(asked) == CUDA_ONLY.get(path.name, 0), path


def test_the_files_of_drivers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[str] = []

    def glob(self: Path, pattern: str) -> list[Path]:
        seen.append(pattern)
        return [self / "renderD128"] if pattern == "dri/renderD*" else []

    monkeypatch.setattr(machine.platform, "system", lambda: "Linux")
    monkeypatch.setattr(Path, "glob", glob)
    assert machine.may_have_gpu()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert machine.may_have_gpu(), "that hides NVIDIA's only"
    monkeypatch.setattr(Path, "glob", lambda self, pattern: [])
    assert not machine.may_have_gpu()
