"""Loaders that are given an argument by the very expression that a loader to train on is given.

Question: does the function that makes a loader hand it the value of an argument that it hands a
loader which trains, as one flag for both? Followed: names of one value, and attributes and items
under constant keys that are read of them. Given up on: what is computed for each, constants that
are written twice (two decisions), and what the function writes anew. No budget: the calls of one
function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.model.loading.loaders import Loaders

if TYPE_CHECKING:
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader


def trained_alike(loader: Loader, name: str) -> Loader | None:
    """A loader of the same function that trains, and is given the same value of an argument."""
    given = loader.written(name)
    if given is None or _is_written_anew(given, loader.call.scope):
        return None
    for call, group in loader.context[Loaders].by_call().items():
        if call.scope is not loader.call.scope or call is loader.call:
            continue
        trained = next((other for other in group if other.trains), None)
        value = None if trained is None else trained.written(name)
        if value is not None and _is_same(given, value):
            return trained
    return None


def _is_same(one: ex.Expression, other: ex.Expression) -> bool:
    one, other = ex.unnamed(one), ex.unnamed(other)
    if one is other:
        return True
    match one, other:
        case ex.Reference(), ex.Reference():
            return one.name == other.name and one.definition is other.definition
        case ex.Attribute(), ex.Attribute():
            return one.name == other.name and _is_same(one.value, other.value)
        case ex.Subscript(), ex.Subscript():
            key, same = ex.constant(one.index), ex.constant(other.index)
            is_known = key is not None and same is not None and key.value == same.value
            return is_known and _is_same(one.value, other.value)
    return False


def _is_written_anew(given: ex.Expression, scope: Scope) -> bool:
    """Whether a function writes to a part of what an expression reads: `args.shuffle = False`."""
    given = ex.unnamed(given)
    while isinstance(given, ex.Attribute | ex.Subscript):
        if any(_may_be_of(store.target, given) for store in scope.stores):
            return True
        given = ex.unnamed(given.value)
    return False


def _may_be_of(target: ex.Expression, read: ex.Attribute | ex.Subscript) -> bool:
    if isinstance(target, ex.Attribute) and isinstance(read, ex.Attribute):
        return target.name == read.name
    if not isinstance(target, ex.Subscript) or not isinstance(read, ex.Subscript):
        return False
    written, asked = ex.constant(target.index), ex.constant(read.index)
    return written is None or asked is None or written.value == asked.value
