"""One file a project, that holds what is kept of it: named values in JSON.

It is replaced whole and at once, so that runs at the same time, also on network drives, see the one
or the other and never a half; what both put there is joined when it is written. A first line says
which dlint wrote it and gives a digest of the rest: a file of another one, or one that is broken,
counts as none. Nothing in it can be run. Where it cannot be written it is not, without a word.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from dlint.workspace.cache_folder import ANSWERS, DAY, KEPT, open_folder

Json = Any
MOST_BYTES = 64_000_000
"""Of one file; what was not used for longest goes first."""
_USED = "used"


def storage_at(folder: Path, root: Path) -> Path:
    """Where what is kept of a project lies in a folder of caches."""
    name = blake2b(os.fsencode(root), digest_size=16).hexdigest()
    return folder / f"{ANSWERS}{name}.jsonl"


class Storage:
    """Values by name. Values that are noted as used go a month after their last use."""

    def __init__(self, path: Path, version: str) -> None:
        self._path = path
        self._version = version
        self._seen: tuple[int, ...] = ()
        self._lines = self._read()
        self._put: dict[str, bytes] = {}
        used = self._parsed(_USED)
        self._used: dict[str, float] = used if isinstance(used, dict) else {}
        self._is_used_anew = False

    def get(self, name: str) -> Json:
        """The value of a name; None where there is none."""
        return self._parsed(name)

    def use(self, name: str) -> None:
        """Note that a value was of use."""
        day = time.time() // DAY
        if self._used.get(name) != day:
            self._used[name] = day
            self._is_used_anew = True

    def put(self, name: str, value: Json) -> None:
        """Keep a value."""
        self._lines[name] = self._put[name] = json.dumps(value, separators=(",", ":")).encode()

    def save(self) -> None:
        """Write what is new, beside what another run wrote meanwhile."""
        if not self._put and not self._is_used_anew:
            return
        if self._state() != self._seen:
            self._lines = self._read() | self._put
        with suppress(OSError):
            self._write(self._bounded())
        self._put, self._is_used_anew = {}, False

    def _parsed(self, name: str) -> Json:
        try:
            return json.loads(self._lines[name])
        except (KeyError, ValueError, RecursionError):
            return None

    def _state(self) -> tuple[int, ...]:
        try:
            found = self._path.stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self) -> dict[str, bytes]:
        self._seen = self._state()
        try:
            head, _, body = self._path.read_bytes().partition(b"\n")
        except OSError:
            return {}
        if head != self._head(body):
            return {}
        pairs = (line.partition(b" ") for line in body.split(b"\n"))
        return {name.decode("ascii", "replace"): value for name, _, value in pairs if name}

    def _head(self, body: bytes) -> bytes:
        digest = blake2b(body, digest_size=16).hexdigest()
        return f"{self._version} {digest}".encode()

    def _bounded(self) -> dict[str, bytes]:
        """What is to be written, the used values last."""
        today = time.time() // DAY
        lines = {name: line for name, line in self._lines.items() if name not in self._used}
        lines.pop(_USED, None)
        left = MOST_BYTES - sum(map(len, lines.values()))
        for name in sorted(self._used, key=self._used.__getitem__, reverse=True):
            line = self._lines.get(name, b"")
            left -= len(line)
            if not line or left < 0 or (today - self._used[name]) * DAY > KEPT:
                del self._used[name]
            else:
                lines[name] = line
        lines[_USED] = json.dumps(self._used, separators=(",", ":")).encode()
        return lines

    def _write(self, lines: dict[str, bytes]) -> None:
        body = b"\n".join(name.encode() + b" " + line for name, line in lines.items())
        open_folder(self._path.parent)
        temporary = self._path.with_suffix(f".{os.getpid()}-{time.monotonic_ns()}")
        try:
            temporary.write_bytes(self._head(body) + b"\n" + body)
            temporary.replace(self._path)
        finally:
            temporary.unlink(missing_ok=True)
