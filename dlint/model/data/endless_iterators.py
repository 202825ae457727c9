"""Data sets and samplers that go on for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader


def is_endless(loader: Loader) -> bool:
    """Whether data set or sampler is a project class whose `__iter__` goes on forever."""
    classes = loader.context.solver.classes
    for name in ("dataset", "sampler", "batch_sampler"):
        for value in loader.values(name):
            cls = attributes.project_class(value)
            method = None if cls is None else classes.method(cls, "__iter__")
            if method is not None and never_ends(method):
                return True
    return False


def never_ends(method: Scope) -> bool:
    """Whether a function has a loop whose test is always true."""
    return any(map(_is_forever, walk.statements(method.body)))


def _is_forever(statement: object) -> bool:
    if not isinstance(statement, Loop):
        return False
    test = statement.test
    return isinstance(test, ex.Constant) and bool(test.value)
