"""Which file an exception in the analysis is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dlint.ir.expressions import Call
from dlint.ir.module import ModuleIndex, Scope, Store
from dlint.workspace.errors import DlintCrash


@contextmanager
def blamed(rule: str | None = None) -> Iterator[None]:
    """Turn any exception into a DlintCrash that names the rule at work and, if known, the file."""
    try:
        yield
    except DlintCrash:
        raise
    except (Exception, SystemExit) as error:
        raise DlintCrash(_path(error), rule) from error


def _path(error: BaseException) -> str | None:
    """The file that the innermost function that holds a piece of one was looking at."""
    frames: list[FrameType] = []
    traceback = error.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    for frame in reversed(frames):
        for value in frame.f_locals.values():
            path = _path_of(value)
            if path is not None:
                return path
    return None


def _path_of(value: object) -> str | None:
    match value:
        case ModuleIndex():
            return value.path
        case Scope():
            return value.module.path
        case Call() | Store():
            return value.scope.module.path
    return None
