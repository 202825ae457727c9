"""What a keystroke costs in `dlint server`: from the change to its diagnostics.

    python -m tests.benchmarks.server_latency REPOSITORY FILE [FILE ...] [--keystrokes N] [--seed S]

Into each file lines are typed at random places, a character at a time, and taken out again; each
keystroke waits for the diagnostics of the one before. Half of the texts on the way are no Python,
as when a person types: those that are stand apart. A real server is asked over pipes; its delay
after an edit is part of the figures, which are what was waited and, in brackets, the CPU of the
server's process.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.server.editor import Editor, editing

LINES = ("value = compute(1, key=2)", "print('step', 3)", "# a remark", "for item in items: pass")


class Texts:
    """The texts of one file while somebody types."""

    def __init__(self, text: str, seed: int) -> None:
        self._lines = text.splitlines(keepends=True)
        self._random = random.Random(seed)

    def typed(self) -> Iterator[str]:
        """Each text after one more keystroke, without end."""
        while True:
            row = self._random.randrange(len(self._lines))
            indent = self._lines[row][: len(self._lines[row]) - len(self._lines[row].lstrip())]
            line = self._random.choice(LINES)
            for count in range(1, len(line) + 1):
                yield self._with(row, f"{indent.rstrip(chr(10))}{line[:count]}\n")
            yield "".join(self._lines)

    def _with(self, row: int, line: str) -> str:
        return "".join([*self._lines[:row], line, *self._lines[row:]])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("files", type=Path, nargs="+", help="relative to the repository")
    parser.add_argument("--keystrokes", type=int, default=200, help="of each file")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(
        "milliseconds                                 first  median     p95  valid: median     p95"
    )
    for file in given.files:
        asyncio.run(_measure(given.repository.resolve(), file, given.keystrokes, given.seed))


class Cost(NamedTuple):
    """Seconds of one keystroke."""

    waited: float
    cpu: float
    """Of the server's process, which the load of the machine hardly changes."""


async def _measure(repository: Path, file: Path, keystrokes: int, seed: int) -> None:
    async with editing(repository) as editor:
        path = repository / file
        text = path.read_text("utf-8")
        uri = editor.open(path)
        first = await _cost(editor, uri)
        await _type(editor, uri, Texts(text, seed), 5)
        before = _memory()
        costs = await _type(editor, uri, Texts(text, seed), keystrokes)
        after = _memory()
    valid = [cost for cost, is_python in costs if is_python]
    for what, of_them in (("", [cost for cost, _ in costs]), (" (texts that are Python)", valid)):
        name = f"{file.as_posix()[-38:]}{what}"
        columns = [_pair(one) for one in (first, *_quantiles(of_them))]
        print(f"{name[:63]:40} " + " ".join(f"{column:>15}" for column in columns), flush=True)
    print(f"{'':40} memory {before} MB, after {keystrokes} keystrokes {after} MB", flush=True)


async def _type(editor: Editor, uri: str, texts: Texts, keystrokes: int) -> list[tuple[Cost, bool]]:
    """The cost of each keystroke, and whether the text after it is Python."""
    found = []
    for text, _ in zip(texts.typed(), range(keystrokes), strict=False):
        editor.change(uri, text)
        found.append((await _cost(editor, uri), _is_python(text)))
    return found


async def _cost(editor: Editor, uri: str) -> Cost:
    """What it takes until the diagnostics of a text are there."""
    began, cpu = time.perf_counter(), _cpu()
    await editor.found(uri)
    return Cost(time.perf_counter() - began, _cpu() - cpu)


def _quantiles(costs: Sequence[Cost]) -> tuple[Cost, Cost]:
    """The median and the 95th percentile, of each by itself."""
    waited, cpu = zip(*costs, strict=True)
    median = Cost(statistics.median(waited), statistics.median(cpu))
    return median, Cost(_p95(waited), _p95(cpu))


def _pair(cost: Cost) -> str:
    return f"{1000 * cost.waited:.0f} ({1000 * cost.cpu:.0f})"


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _server() -> psutil.Process:
    (server,) = psutil.Process().children()
    return server


def _cpu() -> float:
    used = _server().cpu_times()
    return float(used.user + used.system)


def _memory() -> int:
    """Megabytes of the server."""
    return int(_server().memory_info().rss / 1_000_000)


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


if __name__ == "__main__":
    main()
