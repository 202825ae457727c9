"""When open files are checked: soon after an edit, and not for what a newer edit made old."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TypeVar

from dlint.engine.room import roomy
from dlint.server.open_files import Open
from dlint.server.session import Checked, Results, Scene, Session

T = TypeVar("T")
Pause = Callable[[], None]
"""Called now and then by some work, which it ends by raising something."""

_DELAY = 0.05
"""Seconds after an edit in which further ones are waited for."""
_IDLE = 0.3
"""Seconds without an edit before other open files are checked again."""


_MUCH = 100_000
"""Objects that checks have left: they are collected in the time between two keys."""
_WHOLE = 40
"""Every how many collections of garbage all of it is looked for."""


class Superseded(BaseException):
    """The work is no longer wanted: no failure, so that nothing takes it for one."""


class Worker:
    """The one thread that asks the engine, with room on its stack."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "dlint")
        with roomy():
            self._pool.submit(gc.disable).result()

    async def run(self, work: Callable[[], T]) -> T:
        """The result of some work, once what came before is done."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def stop(self) -> None:
        """Take no further work."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Schedule:
    """Checks what was edited at once, and what else is open when nobody types."""

    def __init__(
        self,
        session: Session,
        scene: Callable[[], Scene],
        publish: Callable[[Results], None],
    ) -> None:
        self._worker = Worker()
        self._session = session
        self._scene = scene
        self._publish = publish
        self._edited: set[str] = set()
        self._others: set[str] = set()
        self._stops: set[Event] = set()
        """Those of what is at work for the text as it was before the next edit."""
        self._task: asyncio.Task[None] | None = None
        self._checked: dict[str, tuple[Open, Checked]] = {}
        """What was found, each with the state of the file that it was found in."""
        self._news = asyncio.Event()
        self._typed = asyncio.Event()
        self._collections = 0

    def edited(self, path: str) -> None:
        """A file has another text: check it, and later what else is open."""
        self._edited.add(path)
        self._typed.set()
        self._others |= self._scene().files.keys() - {path}
        self._supersede()
        self._begin()

    def touched(self) -> None:
        """Something outside has changed that may matter: check all that is open."""
        self._others |= self._scene().files.keys()
        self._begin()

    def closed(self, path: str) -> None:
        """A file is open no longer."""
        self._checked.pop(path, None)
        self.touched()

    async def result(self, path: str) -> Checked | None:
        """What is to be said of a file as it is now; None where it is not open."""
        while (one := self._scene().files.get(path)) is not None:
            state, checked = self._checked.get(path, (None, None))
            if state is one:
                return checked
            self._news.clear()
            await self._news.wait()
        return None

    async def ask(self, work: Callable[[Pause], T]) -> T | None:
        """The answer to a question about what is open; None where an edit makes it another one."""
        try:
            return await self._run(work)
        except Superseded:
            return None

    def interrupt(self) -> None:
        """End what is at work, and do not begin anything again."""
        self._supersede()
        if self._task is not None:
            self._task.cancel()
        self._worker.stop()

    def _begin(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._edited or self._others:
            if self._edited or not await self._is_calm():
                await asyncio.sleep(_DELAY)
            waiting = self._edited or self._others
            paths = frozenset(waiting)
            waiting.clear()
            self._others -= paths
            scene = self._scene()
            try:
                results = await self._run(partial(self._session.check, scene, paths))
            except Superseded:
                waiting |= paths & self._scene().files.keys()
                continue
            self._take(results, scene)
            await self._tidy()

    async def _tidy(self) -> None:
        """Collect what checks have left when nobody types, or where it is much."""
        if gc.get_count()[0] > _MUCH or (not self._edited and await self._is_calm()):
            await self._worker.run(self._collect)

    async def _is_calm(self) -> bool:
        """Whether nobody types for a while; told at once if somebody does."""
        self._typed.clear()
        try:
            await asyncio.wait_for(self._typed.wait(), _IDLE)
        except TimeoutError:
            return True
        return False

    def _collect(self) -> None:
        """What is kept is looked at again only now and then: it is far more than what goes."""
        self._collections += 1
        if self._collections % _WHOLE == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()

    async def _run(self, work: Callable[[Pause], T]) -> T:
        """Do some work until an edit makes it old. Raises Superseded."""
        stop = Event()

        def pause() -> None:
            if stop.is_set():
                raise Superseded

        self._stops.add(stop)
        try:
            return await self._worker.run(lambda: work(pause))
        finally:
            self._stops.discard(stop)

    def _supersede(self) -> None:
        for stop in self._stops:
            stop.set()

    def _take(self, results: Results, scene: Scene) -> None:
        """Publish what was found in files that are still as they were."""
        now = self._scene().files
        current = [one for one in results.checked if now.get(one.path) is scene.files[one.path]]
        self._checked |= {one.path: (scene.files[one.path], one) for one in current}
        self._news.set()
        self._publish(results._replace(checked=current))
