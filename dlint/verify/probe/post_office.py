"""Takes what the ranks of all machines tell, and writes it where the first one looks for it.

`python post_office.py TOKEN FOLDER`: a store of torch is opened, its port is written to
`FOLDER/port`, and what comes for run N goes to `FOLDER/N/out`. There `seen.RANK` holds the machine
of a rank; one that falls silent without a record leaves `lost.RANK`.
"""

# mypy: ignore-errors
from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

_TICK = 0.1
_SILENT = 8.0
"""Seconds without a sign of life after which a rank is lost."""
_NAME = re.compile(r"[a-z]+(\.[\w-]+)*")
_NUMBERED = re.compile(r"(?P<head>(?:started|worker|fetch|trace)\.|record\.\d+\.)(?P<pid>\d+)")
_APART = 10_000_000
"""What is added to the numbers of processes of each further machine: they may be the same ones."""
_MOST_RANKS = 4096


class Office:
    """What came so far."""

    def __init__(self, store, token: str, folder: Path) -> None:
        self._store, self._token, self._folder = store, token, folder
        self._open: dict[int, set[int]] = {}
        """By run, the numbers of what was not taken yet."""
        self._counts: dict[int, int] = {}
        self._alive: dict[tuple[int, int], tuple[int, float]] = {}
        self._machines: list[str] = []

    def look(self) -> None:
        """Take what has come for the last runs."""
        runs = sorted(int(p.name) for p in self._folder.iterdir() if p.name.isdigit())
        for run in runs[-4:]:
            out = self._folder / str(run) / "out"
            if out.is_dir():
                self._take(run, out)
                self._watch(run, out)

    def _key(self, run: int, *parts: object) -> str:
        return "/".join((self._token, str(run), *map(str, parts)))

    def _take(self, run: int, out: Path) -> None:
        count = self._store.add(self._key(run, "count"), 0)
        waiting = self._open.setdefault(run, set())
        waiting.update(range(self._counts.get(run, 0) + 1, count + 1))
        self._counts[run] = count
        for number in sorted(waiting):
            key = self._key(run, "file", number)
            if self._store.check([key]):
                waiting.discard(number)
                self._write(out, self._store.get(key))
                self._store.delete_key(key)

    def _write(self, out: Path, message: bytes) -> None:
        host, name, content = message.split(b"\n", 2)
        if _NAME.fullmatch(name.decode()) is None:
            return
        if host.decode() not in self._machines:
            self._machines.append(host.decode())
        apart = _APART * (1 + self._machines.index(host.decode()))
        target = out / _renumbered(name.decode(), apart)
        fresh = target.with_name(f"{target.name}.new")
        fresh.write_bytes(_moved(name.decode(), content, apart))
        fresh.replace(target)

    def _watch(self, run: int, out: Path) -> None:
        """Note the ranks that fell silent."""
        now, rank = time.monotonic(), 0
        while rank < _MOST_RANKS and self._store.check([self._key(run, "host", rank)]):
            if not (out / f"seen.{rank}").exists():
                host = self._store.get(self._key(run, "host", rank)).decode()
                (out / f"seen.{rank}").write_text(host, "utf-8")
            beats = self._store.add(self._key(run, "alive", rank), 0)
            before = self._alive.get((run, rank))
            if before is None or before[0] != beats:
                self._alive[run, rank] = beats, now
            elif now - before[1] > _SILENT and not any(out.glob(f"record.{rank}.*")):
                (out / f"lost.{rank}").touch()
            rank += 1


def _renumbered(name: str, apart: int) -> str:
    found = _NUMBERED.match(name)
    if found is None:
        return name
    return f"{found['head']}{int(found['pid']) + apart}{name[found.end() :]}"


def _moved(name: str, content: bytes, apart: int) -> bytes:
    """A record with the numbers of its processes, as they are called here."""
    if not name.startswith("record."):
        return content
    record = json.loads(content)
    record["pid"] += apart
    for loader in record["loaders"]:
        loader["worker_pids"] = [pid + apart for pid in loader["worker_pids"]]
    return json.dumps(record).encode()


def main(token: str, folder: Path) -> None:
    """Serve until whoever started it is gone."""
    from torch.distributed import TCPStore

    store = TCPStore("0.0.0.0", 0, is_master=True, wait_for_workers=False)
    (folder / "port.new").write_text(str(store.port))
    (folder / "port.new").replace(folder / "port")
    office, above = Office(store, token, folder), os.getppid()
    while os.getppid() == above and folder.is_dir():
        office.look()
        time.sleep(_TICK)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
