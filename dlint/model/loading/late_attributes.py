"""Attributes that are set on a loader once it is made.

Question: where is an attribute that torch's constructor reads written on a loader afterwards
(`loader.batch_size = 4`)? Given up on: what may be another object than a loader, loaders of project
classes, code that is never run, and code that waits for the very error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.completions import is_dead
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Try
from dlint.library_facts import loaders as signature
from dlint.semantics.calls import attributes, calls
from dlint.semantics.values.values import library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Statement, Store

_UNNOTICED = "shuffle"
_RAISED = "ValueError"
"""What torch raises when one of them is set (torch/utils/data/dataloader.py, `__setattr__`)."""


class LateAttribute(NamedTuple):
    """`loader.name = …`, which raises, or changes nothing."""

    name: str
    place: Place


def late_attributes(context: AnalysisContext) -> Iterator[LateAttribute]:
    """The attributes that torch's constructor reads and that are set on a loader afterwards."""
    for name in (*signature.CONSTRUCTED_WITH, _UNNOTICED):
        for store in context.project.writing(name):
            awaited = name != _UNNOTICED and _is_awaited(store.statement)
            idle = awaited or is_dead(store.statement)
            if _is_on_loader(context, store) and not idle:
                yield LateAttribute(name, Place(store.scope.module.path, *store.statement.span))


def _is_awaited(statement: Statement) -> bool:
    """Whether a statement stands in `try:`, and `except ValueError` behind it."""
    tried = statement.block.owner
    if not isinstance(tried, Try) or statement.block is not tried.body:
        return False
    caught = (handler.statements[0] for handler in tried.handlers if handler.statements)
    parts = (p for first in caught for p in _read(first))
    return any(isinstance(part, ex.Reference) and part.name == _RAISED for part in parts)


def _read(first: Statement) -> Iterator[ex.Expression]:
    """What stands behind `except`."""
    if isinstance(first, Bind) and isinstance(first.value, ex.Opaque):
        yield from walk.walk(first.value)


def _is_on_loader(context: AnalysisContext, store: Store) -> bool:
    if attributes.written_on_self(store) is not None:
        return False
    found = context.values(store.target.value, store.scope)
    return bool(found) and all(
        library_path(value).startswith("torch.utils.data.")
        and calls.is_loader(context.solver, value)
        for value in found
    )
