"""What a loader is for: to train, or to evaluate only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.domain.epochs import is_evaluation
from dlint.domain.loops import EVALUATION
from dlint.index import expressions as ex
from dlint.index import walk
from dlint.index.model import Bind

if TYPE_CHECKING:
    from dlint.domain.loaders import Loader


def only_evaluates(loader: Loader) -> bool:
    """Whether every loop over a loader, and every framework that takes it, only evaluates."""
    frameworks = loader.program.frameworks
    handed = [by for by, call in frameworks.of(loader.made) if call is not None]
    if not loader.loops and not all(by.hooks for by in handed):
        return False
    if frameworks.trains(loader.made):
        return False
    if any(loop.is_single or loop.trains or not is_evaluation(loop) for loop in loader.loops):
        return False
    return bool(loader.loops or handed or frameworks.hooks_of(loader.made))


def is_named_for_evaluation(loader: Loader) -> bool:
    """Whether the name of a loader, or of the data that it is given, says that it evaluates."""
    statement = loader.call.statement
    names = [d.name for d in statement.definitions] if isinstance(statement, Bind) else []
    given = loader.written("dataset")
    for part in () if given is None else walk.walk(given):
        if isinstance(part, ex.Reference | ex.Attribute):
            names.append(part.name)
    return any(map(EVALUATION.search, names))
