"""Seeds that a `worker_init_fn` gives to the global generators, and what they depend on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dlint.ir import expressions as ex
from dlint.library_facts.seeding import NAMES, SEEDERS, drawn_by
from dlint.model.worker_code import WorkerCode
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.worker_code import Entry

_VARIES = re.compile(r"epoch|step|iter|time|round|initial_seed|entropy", re.I)
_PURE = frozenset({"int", "abs", "get_rank", "get_world_size", "len", "hash"})
_DEPTH = 12


class Depends(StrEnum):
    """What a seed depends on."""

    NOTHING = "nothing"
    WORKER = "the number of the worker"


class Seeding(NamedTuple):
    """A call that seeds a global generator in each worker."""

    call: ex.Call
    library: str
    seed: ex.Expression
    depends: Depends


def seedings(entry: Entry) -> list[Seeding]:
    """The seeds that a `worker_init_fn` gives, where it is known what they depend on."""
    found = []
    for call, frame in entry.calls():
        library = _library(entry, call, frame) if call.name in NAMES else None
        if library is not None and call.arguments:
            seed = call.arguments[0].value
            depends = _depends(entry, seed, frame)
            if depends is not None:
                found.append(Seeding(call, library, seed, depends))
    return found


def _library(entry: Entry, call: ex.Call, frame: CallContext) -> str | None:
    targets = entry.targets.of(call.function, frame)
    paths = (target.path for target in targets if isinstance(target, External))
    return next((SEEDERS[path] for path in paths if path in SEEDERS), None)


def _depends(
    entry: Entry, seed: ex.Expression, frame: CallContext, depth: int = _DEPTH
) -> Depends | None:
    """What a seed depends on; None where it may differ from epoch to epoch."""
    if depth == 0:
        return None
    match seed:
        case ex.Constant():
            return Depends.NOTHING if seed.value is not None else None
        case ex.Parameter():
            return _of_parameter(entry, seed.name, frame, depth)
        case ex.Reference() if seed.definition is not None:
            return _depends(entry, seed.definition.value, frame, depth - 1)
        case ex.Reference():
            return None if _VARIES.search(seed.name) else Depends.NOTHING
        case ex.Attribute():
            return _of_attribute(seed)
        case ex.Unary():
            return _depends(entry, seed.operand, frame, depth - 1)
        case ex.Binary():
            return _joined(_depends(entry, s, frame, depth - 1) for s in (seed.left, seed.right))
        case ex.Call() if seed.name in _PURE:
            given = (a.value for a in seed.arguments)
            return _joined(_depends(entry, value, frame, depth - 1) for value in given)
    return None


def _of_parameter(entry: Entry, name: str, frame: CallContext, depth: int) -> Depends | None:
    if _VARIES.search(name):
        return None
    given = entry.targets.argument(name, frame)
    if given is not None:
        return _depends(entry, given[0], given[1], depth - 1)
    names = [spec.name for spec in frame.scope.parameters]
    default = next((s.default for s in frame.scope.parameters if s.name == name), None)
    if default is not None:
        return _depends(entry, default, frame, depth - 1)
    if frame.scope is not entry.scope:
        return None
    if frame.call is not None:
        # a partial has given the others
        return Depends.WORKER
    first = 1 if names[:1] == ["self"] else 0
    return Depends.WORKER if names[first : first + 1] == [name] else None


def _of_attribute(seed: ex.Attribute) -> Depends | None:
    """`args.seed` stays as it is; `get_worker_info().seed` does not, and `.id` is the worker."""
    root: ex.Expression = seed
    while isinstance(root, ex.Attribute):
        if _VARIES.search(root.name):
            return None
        root = root.value
    while isinstance(root, ex.Reference) and root.definition is not None:
        root = root.definition.value
    if isinstance(root, ex.Call):
        return Depends.WORKER if root.name == "get_worker_info" and seed.name == "id" else None
    return Depends.NOTHING if isinstance(root, ex.Reference | ex.Parameter) else None


def _joined(parts: Iterable[Depends | None]) -> Depends | None:
    found = set(parts)
    if None in found:
        return None
    return Depends.WORKER if Depends.WORKER in found else Depends.NOTHING


def drawn_from(context: AnalysisContext, loader: Loader) -> Iterator[str]:
    """The libraries whose global generators the samples of a loader are drawn from."""
    for entry in context[WorkerCode].entries:
        if loader in entry.loaders and entry.role != "worker_init_fn":
            for call, frame in entry.calls():
                for target in entry.targets.of(call.function, frame):
                    library = drawn_by(target.path) if isinstance(target, External) else None
                    if library is not None:
                        yield library
