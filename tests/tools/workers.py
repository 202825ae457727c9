"""Tasks in processes of their own, so that neither a crash nor an endless loop ends the run."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Answer]):
    """What became of one item: an answer, or the reason why there is none."""

    item: Item
    answer: Answer | None
    problem: str | None
    """The traceback of a crash, or that the time limit was reached."""
    cpu_seconds: float


@dataclass(slots=True)
class _Running(Generic[Item]):
    item: Item
    process: BaseProcess
    deadline: float


def each(
    task: Callable[[Item], Answer], items: Sequence[Item], processes: int, limit_s: float
) -> Iterator[Done[Item, Answer]]:
    """Run `task` on every item, `processes` at a time; results in the order in which they come.

    `task` must be a function of a module, items and answers must pickle.
    """
    context = get_context()
    pending = list(reversed(items))
    running: dict[Connection, _Running[Item]] = {}
    while pending or running:
        while pending and len(running) < processes:
            item = pending.pop()
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(task, item, sender), daemon=True)
            process.start()
            sender.close()
            running[receiver] = _Running(item, process, time.monotonic() + limit_s)
        for receiver in _ready(running):
            yield _collected(receiver, running.pop(receiver), limit_s)


def _work(task: Callable[[Item], Answer], item: Item, sender: Connection) -> None:
    start = time.process_time()
    answer, problem = None, None
    try:
        answer = task(item)
    except Exception:
        problem = traceback.format_exc()
    sender.send((answer, problem, time.process_time() - start))


def _ready(running: dict[Connection, _Running[Item]]) -> list[Connection]:
    """Connections with an answer, or whose time is up."""
    now = time.monotonic()
    patience = min(one.deadline for one in running.values()) - now
    answered = wait(list(running), max(patience, 0.0))
    late = [c for c, one in running.items() if one.deadline <= time.monotonic()]
    return [c for c in running if c in answered or c in late]


def _collected(receiver: Connection, one: _Running[Item], limit_s: float) -> Done[Item, Answer]:
    answer, problem, seconds = None, f"not done after {limit_s:g} s", limit_s
    try:
        if receiver.poll():
            answer, problem, seconds = receiver.recv()
    except EOFError:
        one.process.join()
        problem, seconds = f"the process ended with code {one.process.exitcode}", 0.0
    if one.process.is_alive():
        one.process.terminate()
    one.process.join()
    receiver.close()
    return Done(one.item, answer, problem, seconds)
