"""Words by which the code of a stream gives each worker, or each rank, a part of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.ir import expressions as ex
from dlint.library_facts import streams as known
from dlint.model.workers.worker_code import parts_of

if TYPE_CHECKING:
    from dlint.ir.module import Scope


def names_ranks(scope: Scope, *, files: bool) -> bool:
    """Whether a word of a function may speak of ranks, or of a part that is given.

    `files`: shards are known to be the files of the whole data set.
    """
    names = [p.name for p in scope.parameters if not (files and known.SHARD_FILES.search(p.name))]
    for part in parts_of(scope):
        match part:
            case ex.Reference() | ex.Attribute() if not (files and _is_file(part)):
                names.append(part.own_name)
            case ex.Constant(value=str() as text) if " " not in text:
                names.append(text)
            case ex.Call():
                names += [a.keyword for a in part.arguments if a.keyword is not None]
    return any(map(known.RANKS.search, names))


def _is_file(part: ex.Reference | ex.Attribute) -> bool:
    """Whether a name is one of shards that are files, or of one after the other in a loop."""
    made = ex.unnamed(part)
    each = part.own_name == "shard" and isinstance(made, ex.Element)
    return each or known.SHARD_FILES.search(part.own_name) is not None


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


def varies(scope: Scope) -> bool:
    """Whether a function asks for what is another thing in each process: `info.seed`, a clock."""
    if any(call.name in known.BY_PROCESS for call in scope.calls):
        return True
    read = (part for part in parts_of(scope) if isinstance(part, ex.Attribute))
    return any(part.name == "seed" and not is_self(part.value, scope) for part in read)
