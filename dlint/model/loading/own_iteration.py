"""Loaders of a project's class that go through their data themselves.

Question: does a loader of a project's class never begin torch's own iterator? That one starts the
workers, and pins (torch 2.13.0, `torch/utils/data/dataloader.py`, `DataLoader.__iter__`). Followed
are the methods of the class and of its ancestors in the project, by the names under which torch's
iterators are begun. Given up on: classes with an ancestor that is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.loaders import BEGINNING_ITERATORS
from dlint.semantics.calls import attributes

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.semantics.values.values import AllocationSite


def is_own(context: AnalysisContext, made: AllocationSite) -> bool:
    """Whether what goes through a loader is its class's own `__iter__`, and nothing of torch."""
    cls = attributes.project_class(made)
    classes = context.solver.classes
    if cls is None or classes.method(cls, "__iter__") is None:
        return False
    return classes.is_whole(cls) and not any(map(_begins, classes.ancestors(cls)))


def _begins(cls: Class) -> bool:
    """Whether a method of a class names what begins an iterator of torch."""
    return any(map(_names_iterator, cls.methods.values()))


def _names_iterator(method: Scope) -> bool:
    return any(
        part.own_name in BEGINNING_ITERATORS
        for statement in walk.statements(method.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
        if isinstance(part, ex.Reference | ex.Attribute)
    )
