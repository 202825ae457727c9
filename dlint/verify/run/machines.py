"""Launchers that start ranks on several machines, and how these reach the first one."""

from __future__ import annotations

import secrets
import shlex
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlint.verify.errors import UnmeasurableError
from dlint.verify.probe.dlint_probe.distant import VARIABLE, packed

_OFFICE = Path(__file__).parent.parent / "probe" / "post_office.py"
_OPENING = 120.0
"""Seconds in which torch is imported and the store opened."""
_UNDER_WAY = 3.0
"""Seconds that records may be under way."""
_LONGEST = 120_000
"""Characters of one variable: Linux allows 128 KiB (`MAX_ARG_STRLEN`)."""
_ALWAYS = frozenset({"srun", "pdsh", "ssh", "clush"})
_COUNTS = ("--nnodes", "--num_machines", "--num-machines", "--num_nodes", "--nodes")
_HOSTS = ("--hostfile", "--host", "--hosts", "--machinefile", "-H")


def span(launcher: str | None) -> bool:
    """Whether a launcher may start ranks on several machines."""
    words = [] if launcher is None else _words(launcher)
    if any(Path(word).name in _ALWAYS for word in words):
        return True
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        following = value if equals else next(iter(words[number + 1 : number + 2]), "")
        if name in _HOSTS or (name in _COUNTS and following not in {"1", "1:1"}):
            return True
    return False


def _words(launcher: str) -> list[str]:
    """The words of a command, with those of a shell text in it."""
    found: list[str] = []
    for word in shlex.split(launcher):
        inner = word.split() if " " in word else [word]
        found += inner
    return found


@dataclass
class PostOffice:
    """Where ranks of all machines send what they saw."""

    folder: Path
    python: str
    address: str | None = None
    """The name of this machine, as others reach it; None for what it calls itself."""
    token: str = field(default_factory=lambda: secrets.token_hex(16))

    def open(self) -> None:
        """Open it. Raises UnmeasurableError where torch cannot."""
        command = [self.python, str(_OFFICE), self.token, str(self.folder)]
        log = self.folder / "post_office.log"
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file
            )
        port, end = self.folder / "port", time.monotonic() + _OPENING
        while not port.exists():
            if self._process.poll() is not None or time.monotonic() > end:
                said = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
                raise UnmeasurableError(f"a store of torch could not be opened: {' '.join(said)}")
            time.sleep(0.05)
        self._port = int(port.read_text())

    def close(self) -> None:
        """Close it."""
        process = getattr(self, "_process", None)
        if process is not None:
            process.kill()
            process.wait()

    def told(self, run: int) -> dict[str, Any]:
        """What a rank must know to reach it."""
        host = self.address or socket.gethostname()
        return {"host": host, "port": self._port, "token": self.token, "run": run}

    def variable(self, facts: Mapping[str, Any], edited: Mapping[str, bytes]) -> dict[str, str]:
        """The environment of ranks that do not see the files of this machine. Raises
        UnmeasurableError where the edited files are too large for it."""
        texts = {path: text.decode("utf-8", "surrogateescape") for path, text in edited.items()}
        word = packed(dict(facts), texts)
        if len(word) > _LONGEST:
            raise UnmeasurableError(
                "the edited files are too large to be taken to other machines by the environment"
            )
        return {VARIABLE: word}


def silent(out: Path) -> list[str]:
    """The ranks that fell silent for long, each with its machine."""
    return [_named(out, path.suffix[1:]) for path in sorted(out.glob("lost.*"))]


def missing(out: Path) -> tuple[str, ...]:
    """The ranks that began and left no record, each with its machine; what is under way is waited
    for."""
    end = time.monotonic() + _UNDER_WAY
    while True:
        seen = [path.suffix[1:] for path in sorted(out.glob("seen.*"))]
        left = [rank for rank in seen if not any(out.glob(f"record.{rank}.*.json"))]
        if not left or time.monotonic() > end:
            return tuple(_named(out, rank) for rank in left)
        time.sleep(0.05)


def _named(out: Path, rank: str) -> str:
    machine = out / f"seen.{rank}"
    return f"rank {rank} on {machine.read_text('utf-8') if machine.exists() else 'a machine'}"
