"""Words by which the code of a stream gives each worker, or each rank, a part of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.library_facts import streams as known
from dlint.model.workers.worker_code import parts_of

if TYPE_CHECKING:
    from dlint.ir.module import Scope


def splits(scope: Scope) -> bool:
    """Whether a function speaks of workers, ranks or shards, or takes every n-th element."""
    given = [spec.name for spec in scope.parameters]
    if any(map(known.SPLITTING.search, given)):
        return True
    if scope.name == "__init__" and known.PART in given:
        return True
    return any(_is_splitting(part) for part in parts_of(scope))


def prepares_worker(scope: Scope) -> bool:
    """Whether a `worker_init_fn` does more than to seed: it may give its dataset a part."""
    touched = any(
        isinstance(part, ex.Reference | ex.Attribute)
        and part.own_name in ("dataset", "get_worker_info", "worker_info")
        for part in parts_of(scope)
    )
    return touched or bool(scope.stores)


def _is_splitting(part: ex.Expression) -> bool:
    match part:
        case ex.Attribute(name=known.PART):
            return True
        case ex.Reference() | ex.Attribute():
            return known.SPLITTING.search(part.own_name) is not None
        case ex.Constant():
            return isinstance(part.value, str) and known.SPLITTING.search(part.value) is not None
        case ex.Slice():
            return part.bounds[2] is not None
        case ex.Call():
            strides = part.name == "islice" and len(part.arguments) > 3
            return strides or any(
                a.keyword is not None and known.SPLITTING.search(a.keyword) for a in part.arguments
            )
    return False
