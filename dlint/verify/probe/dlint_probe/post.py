"""What a rank tells the first machine where there are several, over torch's own store."""

# ruff: noqa: PTH107, PTH118, PTH208
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from .state import State

_TIMEOUT = timedelta(seconds=20)
_BEAT = 0.5
"""Seconds between two signs of life."""
_DEAD = 6.0
"""Seconds without one after which a rank is not waited for."""
_GATE_SECONDS = 60.0
_SENT = re.compile(r"(record|started|injected|loaded|worker|fetch|trace|loaderless)\b(?!.*\.new$)")
_TERMINATED = 143


class Post:
    """The way to the first machine. All keys begin with a word that others do not know."""

    def __init__(self, state: State, rank: int, world: int) -> None:
        from torch import distributed

        store: Any = distributed
        address = state.config["post"]
        self._store: Any = store.TCPStore(
            address["host"],
            address["port"],
            is_master=False,
            timeout=_TIMEOUT,
            wait_for_workers=False,
        )
        self._prefix = f"{address['token']}/{address['run']}"
        self._state, self._rank, self._world = state, rank, world
        self._sent: set[str] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._live, daemon=True, name="dlint").start()

    def _live(self) -> None:
        """Say that this rank is there, for as long as it is."""
        with suppress(Exception):
            self._store.set(self._key("host", self._rank), socket.gethostname())
            while True:
                self._store.add(self._key("alive", self._rank), 1)
                time.sleep(_BEAT)

    def _key(self, *parts: object) -> str:
        return "/".join((self._prefix, *map(str, parts)))

    def send(self) -> None:
        """Send what lies in the folder of this run, each file once."""
        if not self._state.config.get("distant"):
            return
        with self._lock:
            folder = self._state.config["out"]
            for name in sorted(os.listdir(folder)):
                if name not in self._sent and _SENT.match(name):
                    self._put(name, os.path.join(folder, name))
                    self._sent.add(name)

    def _put(self, name: str, path: str) -> None:
        """One file, which whoever sends last takes away."""
        try:
            with open(path, "rb") as file:
                content = file.read()
        except FileNotFoundError:  # another rank of this machine sent it
            return
        head = f"{socket.gethostname()}\n{name}\n".encode()
        number = self._store.add(self._key("count"), 1)
        self._store.set(self._key("file", number), head + content)
        if not name.startswith(("started", "injected")):
            with suppress(OSError):
                os.remove(path)

    def wait_for_all(self) -> None:
        """Wait until every rank is here, or does not live any more."""
        self._store.set(self._key("gate", self._rank), "here")
        end = time.monotonic() + _GATE_SECONDS
        seen = dict.fromkeys(range(self._world), (-1, time.monotonic()))
        while time.monotonic() < end:
            away = [n for n in seen if not self._store.check([self._key("gate", n)])]
            for number in away:
                beats = self._store.add(self._key("alive", number), 0)
                if beats != seen[number][0]:
                    seen[number] = beats, time.monotonic()
            if all(time.monotonic() - seen[number][1] > _DEAD for number in away):
                return
            time.sleep(0.05)


def opened(state: State) -> Post | None:
    """The way to the first machine; made when it is first asked for, None where there is none."""
    if state.config.get("post") is None:
        return None
    if state.post is None:
        from .leave import rank_and_world

        try:
            state.post = Post(state, *rank_and_world())
        except Exception as error:
            sys.stderr.write(f"dlint: the first machine: {type(error).__name__}: {error}\n")
            state.config["post"] = None
    found: Post | None = state.post
    return found


def send(state: State) -> None:
    """Send what was written; what cannot be sent is told where the program's own errors are."""
    way = opened(state)
    if way is None:
        return
    try:
        way.send()
    except Exception as error:
        sys.stderr.write(f"dlint: the first machine: {type(error).__name__}: {error}\n")


def listen_to_termination(state: State, end: Callable[[State], None]) -> None:
    """Write the record of a rank that is told to end, as when another one died: also where it waits
    in a collective operation, in which Python's own handlers do not run."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    if signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False) != -1:
        return
    known, lock = os.getpid(), threading.Lock()

    def leave(*_: object) -> None:
        with lock, suppress(Exception):
            end(state)
        os._exit(_TERMINATED)

    def is_listened_to() -> bool:
        """Whether the program has no handler of its own by now."""
        return signal.getsignal(signal.SIGTERM) == leave

    def wait() -> None:
        with reading, writing:  # both ends are open for as long as somebody listens
            while told := reading.recv(1):
                if told == bytes([signal.SIGTERM]) and is_listened_to():
                    leave()

    def forget() -> None:
        """A worker ends as it always does."""
        if os.getpid() != known and is_listened_to():
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    signal.signal(signal.SIGTERM, leave)
    os.register_at_fork(after_in_child=forget)
    threading.Thread(target=wait, daemon=True, name="dlint").start()
