"""Processes and memory by psutil, where the system is another one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from dlint.verify.measure.busy import busy
from dlint.verify.run import processes
from dlint.verify.run.memory import Memory
from dlint.verify.run.processes import Family
from dlint.verify.run.system import limits
from dlint.verify.run.terminal import Terminal

TOKEN = "/tmp/dlint-of-the-test/probe.json"
WAITS = [sys.executable, "-c", "import sys; sys.stdin.read()"]


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that carries the token, in a session of its own."""
    environment = {**os.environ, "DLINT_PROBE": TOKEN}
    started = subprocess.Popen(
        WAITS, stdin=subprocess.PIPE, env=environment, start_new_session=True
    )
    yield started
    started.kill()
    started.communicate()


def test_a_process_is_known_by_its_session(child: subprocess.Popen[bytes]) -> None:
    assert Family(child.pid, "no token").members() == [child.pid]


def test_a_process_is_known_by_its_environment(
    child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_session", lambda pid: None)
    end = time.monotonic() + 30  # just begun, a process may have no environment to be read yet
    while not Family(0, TOKEN).members() and time.monotonic() < end:
        time.sleep(0.01)
    assert Family(0, TOKEN).members() == [child.pid]
    assert Family(0, TOKEN).holds_python()
    assert Family(0, "another").members() == []


def test_what_waits_to_be_collected_is_gone(child: subprocess.Popen[bytes]) -> None:
    family = Family(child.pid, TOKEN)
    os.kill(child.pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(child.pid)], timeout=30)
    assert family.members() == []


def test_a_family_is_ended(child: subprocess.Popen[bytes]) -> None:
    Family(child.pid, TOKEN).end()
    assert child.wait(30) == -signal.SIGTERM


def test_where_nothing_is_shared_in_parts_memory_is_private(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(process: Any) -> SimpleNamespace:
        return SimpleNamespace(uss=7 << 20)

    monkeypatch.setattr(psutil.Process, "memory_full_info", full)
    memory = Memory()
    memory.sample([os.getpid()], 0.0)
    assert memory.peak_private == {os.getpid(): 7 << 20}
    assert memory.peak_total >= 7 << 20


def test_a_process_that_is_gone_has_no_memory() -> None:
    memory = Memory()
    memory.sample([2**22 + 1], 0.0)
    assert memory.peak_total == 0


def test_time_of_the_host_is_told_where_it_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [(1.0, 1.0, 0.0), (2.0, 2.0, 1.0)]

    class Times(tuple[float, ...]):
        steal = property(lambda self: self[2])

    left = [Times(t) for t in times]
    monkeypatch.setattr(psutil, "cpu_times", lambda: left.pop(0))
    monkeypatch.setattr("dlint.verify.measure.busy.time.sleep", lambda seconds: None)
    assert any("its host gives 33% of the CPU time to others" in text for text in busy())
    left = [tuple(t) for t in times]  # type: ignore[misc]
    assert not any("its host" in text for text in busy())


def test_windows_has_no_terminal_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert Terminal(real=True).stdin == subprocess.DEVNULL


@pytest.mark.parametrize(("platform", "count"), [("linux", 0), ("darwin", 1), ("win32", 2)])
def test_what_a_system_cannot_do_is_said(
    monkeypatch: pytest.MonkeyPatch, platform: str, count: int
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert len(limits()) == count
