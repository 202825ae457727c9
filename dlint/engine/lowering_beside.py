"""Modules of a large program, lowered by other processes while one links it.

Linking asks for one module after another, as it learns of them, and other cores would idle. So
helpers lower what is likely to be asked for: first what the linking process says that it asks for
next, then what the files of the program name, from its seeds on, and of that no more than a few
that nobody has asked for yet: what is never asked for takes the time of what is. Who does a module
marks it in memory that all see; where two take one at once, both do it. Helpers yield to other
processes.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from mmap import mmap
from typing import TYPE_CHECKING

from dlint.engine.lowering_ahead import above_share
from dlint.engine.processes import beside, collect_many
from dlint.workspace.errors import DlintCrash
from dlint.workspace.kinds import PYTHON, kind_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from dlint.engine.parts import Part
    from dlint.frontends.modules import Modules

Named = Callable[[str], Iterable[str]]
"""The files that one has to do with by its own text."""

_WORTH = 300_000
"""Bytes of text, beside those of its seeds, that helpers of a program are worth their start for."""
_MOST = 3
"""Helpers of a program: what links it takes in no more than these lower."""
_LOOKED_AT = 20
"""Modules by which it is told whether most were lowered before."""
_WAITED = 0.05
"""Seconds that a process waits for a module which a helper does, before it does it itself."""
_PAUSE = 0.01
"""Seconds between two looks at what is to be done, where it is nothing."""
_PAUSES = 200
"""Such looks in a row after which a helper ends, for its memory."""
_AHEAD = 16
"""Modules that a helper may have lowered by a guess, and nobody has asked for yet."""
_FREE, _WANTED, _TAKEN, _ASKED = range(4)
"""Whether a module is asked for next, whether somebody does it, and whether it was asked for."""


class Board:
    """What is to be done with each module of a program, in memory that processes share."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._numbers = {path: number for number, path in enumerate(self._paths)}
        self._marks = mmap(-1, len(self._paths) + 1)

    def __contains__(self, path: str) -> bool:
        return path in self._numbers

    def is_taken(self, path: str) -> bool:
        """Whether somebody does a module, or has done it."""
        return self._marks[self._numbers[path]] >= _TAKEN

    def ask(self, path: str) -> None:
        """A module is asked for."""
        self._marks[self._numbers[path]] = _ASKED

    def is_asked(self, path: str) -> bool:
        """Whether a module was asked for."""
        return self._marks[self._numbers[path]] == _ASKED

    def take(self, path: str) -> bool:
        """Do a module here; whether nobody else does."""
        if self.is_taken(path):
            return False
        self._marks[self._numbers[path]] = _TAKEN
        return True

    def want(self, paths: Iterable[str]) -> None:
        """Some modules are asked for next."""
        for path in paths:
            if path in self and not self.is_taken(path):
                self._marks[self._numbers[path]] = _WANTED

    def wanted(self) -> str | None:
        """One that is asked for next and nobody does: the last of them, as the first is at hand."""
        number = self._marks.rfind(bytes([_WANTED]), 0, len(self._paths))
        return None if number < 0 else self._paths[number]

    def end(self) -> None:
        """Nothing is asked for any more."""
        self._marks[-1] = _TAKEN

    @property
    def has_ended(self) -> bool:
        """Whether nothing is asked for any more."""
        return self._marks[-1] == _TAKEN


class Helped:
    """A program that is linked with helpers, for the process that links it."""

    def __init__(self, board: Board, told: Sequence[Connection]) -> None:
        self._board = board
        self._told = [*told]
        self._found: dict[str, bytes | None] = {}

    def expect(self, paths: Iterable[str]) -> None:
        """These modules are asked for next, in this order."""
        self._board.want(paths)

    def lowered(self, path: str) -> bytes | None:
        """The index of a module; None where it is not handed over: it may be kept by now."""
        if path not in self._board or self._board.has_ended:
            return None
        self._take_in(0)
        is_free = self._board.take(path)
        self._board.ask(path)
        if not is_free:
            while path not in self._found and self._take_in(_WAITED):
                pass
        return self._found.pop(path, None)

    def end(self) -> None:
        """The program is linked."""
        self._board.end()
        self._found.clear()

    def _take_in(self, seconds: float) -> bool:
        """Take what is told, waiting for it if nothing is yet; whether anything was."""
        from multiprocessing.connection import wait

        ready = wait(self._told, seconds) if self._told else []
        for told in [told for told in self._told if told in ready]:
            try:
                while told.poll():
                    path, packed = told.recv()
                    self._found[path] = packed
            except (EOFError, OSError):
                self._told.remove(told)
        return bool(ready)


@contextmanager
def helped(
    parts: Sequence[Part], modules: Modules, jobs: int, named: Callable[[Part], Named]
) -> Iterator[dict[Part, Helped]]:
    """The large ones of some parts, each with its helpers."""
    large = [part for part in _large(parts, modules, jobs) if _is_worth(_others(part), modules)]
    count = min(max(jobs // max(len(large), 1) - 1, 1), _MOST)
    with ExitStack() as stack:
        found = {}
        for part in large:
            board = Board(_others(part))
            work = _Work(modules, board, part, named).do
            told = [stack.enter_context(beside(work)) for _ in range(count)]
            found[part] = Helped(board, told)
        yield found


def _large(parts: Sequence[Part], modules: Modules, jobs: int) -> list[Part]:
    """Those that begin with more than the share of one process: fewer than there may be."""
    sizes = [sum(len(modules.text(path)) for path in part.seeds) for part in parts]
    return [parts[number] for number in above_share(sizes, jobs)]


def _others(part: Part) -> list[str]:
    """The modules that a program does not begin with."""
    return sorted(path for path in part.files.difference(part.seeds) if kind_of(path) == PYTHON)


def _is_worth(paths: list[str], modules: Modules) -> bool:
    """Whether some modules are much, and most of them were not lowered before."""
    some = paths[:: max(len(paths) // _LOOKED_AT, 1)]
    is_new = 2 * sum(map(modules.lacks, some)) >= len(some)
    return is_new and sum(len(modules.text(path)) for path in paths) >= _WORTH


class _Work:
    """What a helper does."""

    def __init__(
        self, modules: Modules, board: Board, part: Part, named: Callable[[Part], Named]
    ) -> None:
        self._modules = modules
        self._board = board
        self._part = part
        self._named = named

    def do(self, told: Connection) -> None:
        """Lower one module after another until the program is linked."""
        likely, pauses = self._guessed(), 0
        while not self._board.has_ended and pauses < _PAUSES:
            path = self._board.wanted() or next(likely)
            pauses = 0 if path else pauses + 1
            if path is None:
                time.sleep(_PAUSE)
            elif self._board.take(path):
                told.send((path, self._packed(path)))
                collect_many()

    def _packed(self, path: str) -> bytes | None:
        with suppress(DlintCrash):  # the process that links says it
            return self._modules.ahead(path)
        return None

    def _guessed(self) -> Iterator[str | None]:
        """What is likely to be asked for; None where enough of it was not asked for yet."""
        ahead: list[str] = []
        for path in self._likely():
            while len(ahead) >= _AHEAD:
                ahead = [one for one in ahead if not self._board.is_asked(one)]
                if len(ahead) >= _AHEAD:
                    yield None
            if not self._board.is_taken(path):
                ahead.append(path)
                yield path
        while True:
            yield None

    def _likely(self) -> Iterator[str]:
        """What the seeds have to do with, the nearest first."""
        waiting, named = deque(self._part.seeds), self._named(self._part)
        seen = {*waiting}
        while waiting:
            for path in named(waiting.popleft()):
                if path not in seen:
                    seen.add(path)
                    waiting.append(path)
                    if path in self._board:
                        yield path
