"""Runs of programs that import torch, in forks of one process that has imported it."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from types import SimpleNamespace
from typing import Self
from unittest.mock import patch

_SERVER = Path(__file__).with_name("warm_server.py")
PYTHON = "a warm python"
"""The interpreter of scripts that are run in this way."""
_LOST = 120.0
"""Seconds in which a fork begins."""


class Started:
    """A process that a server forks: what `subprocess.Popen` is for others."""

    def __init__(
        self,
        server: str,
        words: Sequence[str],
        *,
        stdin: int,
        streams: Sequence[int],
        cwd: Path,
        env: Mapping[str, str],
    ) -> None:
        self.returncode: int | None = None
        self._server = socket.socket(socket.AF_UNIX)
        self._server.settimeout(_LOST)
        self._server.connect(server)
        nothing = os.open(os.devnull, os.O_RDWR)
        try:
            first = nothing if stdin == subprocess.DEVNULL else stdin
            socket.send_fds(self._server, [b"."], [first, *streams])
        finally:
            os.close(nothing)
        asked = {"words": [*words], "cwd": str(cwd), "environment": {**env}}
        self._server.sendall(json.dumps(asked).encode() + b"\n")
        self._answers = self._server.makefile()
        self.pid = int(self._answers.readline())

    def poll(self) -> int | None:
        """The code of its end; None while it runs."""
        if self.returncode is None and select.select([self._server], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self) -> int:
        """The code of its end, which is waited for."""
        if self.returncode is None:
            self._server.settimeout(None)
            self.returncode = int(self._answers.readline() or -signal.SIGKILL)
            self._answers.close()
            self._server.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it one, if it lives."""
        if self.poll() is None:
            os.kill(self.pid, number)


class Warm:
    """A server, begun when it is first asked for a process."""

    def __init__(self) -> None:
        self.all = False
        """Whether scripts of the usual interpreter are run in this way too."""
        self._process: subprocess.Popen[bytes] | None = None
        self._beginning = Lock()

    def _begin(self) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._socket)
            listener.listen()
            number = listener.fileno()
            self._process = subprocess.Popen(
                [sys.executable, _SERVER, str(number)],
                stdin=subprocess.PIPE,
                pass_fds=[number],
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )

    def start(self, words: Sequence[str], **given: object) -> Started | subprocess.Popen[bytes]:
        """A process for a command: a fork, where it begins with PYTHON, or all are forks."""
        if words[0] != (sys.executable if self.all else PYTHON):
            return subprocess.Popen(words, **given)  # type: ignore[call-overload]
        with self._beginning:
            if self._process is None:
                self._begin()
        streams = [given["stdout"].fileno(), given["stderr"].fileno()]  # type: ignore[attr-defined]
        named = {name: given[name] for name in ("stdin", "cwd", "env")}
        return Started(self._socket, words, streams=streams, **named)  # type: ignore[arg-type]

    @contextmanager
    def runs(self) -> Iterator[Self]:
        """Runs of the programs whose interpreter it is start in this way."""
        stands = SimpleNamespace(Popen=self.start)
        with TemporaryDirectory(prefix="warm") as folder:
            self._socket = f"{folder}/socket"
            with patch("dlint.verify.run.runner.subprocess", stands):
                yield self
            if self._process is not None:
                self._process.communicate()
