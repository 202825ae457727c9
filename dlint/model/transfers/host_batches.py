"""Batches that stay on the host, or meet no model, and collate functions that make no tensors.

Question: do all loops over a loader turn its batches into arrays or lists and use them in no other
way? Do they ask no model, as they only collect or show what batches hold? Does a collate function
of the project only put together what the samples hold? Given up on:
batches that are handed to a function of the project, kept or returned, and calls that nobody knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Return
from dlint.library_facts.tensors import ONLY_OF_TENSORS
from dlint.model.loading.frameworks import Consumption
from dlint.model.loops.batch_loops import calls_in
from dlint.model.samples.samples import collate_functions
from dlint.semantics.values.values import Batch

if TYPE_CHECKING:
    from dlint.ir.module import Block, Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop

_TO_HOST = frozenset({"numpy", "tolist", "item"})
_OF_HOST = ("builtins.", "numpy.", "math.", "os.", "pickle.", "json.")
_GATHERING = frozenset(
    {"append", "extend", "insert", "items", "keys", "values", "get", "join", "split", "update"}
)
"""Methods of lists, dicts and texts, which make no tensor."""
_COLLECTING = _GATHERING - {"update"}
"""Those that no metric has, which may run a model itself."""
_SHOWING = ("matplotlib.", "PIL.", "cv2.", "tqdm.", "time.", "pathlib.", "shutil.", "pandas.")


def stays_on_host(loader: Loader) -> bool:
    """Whether the loops over a loader take its batches as arrays, and hand on nothing else."""
    if loader.transfers or not loader.loops:
        return False
    return all(loop.body is not None and _keeps(loop, loop.body) for loop in loader.loops)


def _keeps(loop: BatchLoop, body: Block) -> bool:
    """Whether a loop's body takes arrays of its batches, and gives batches to nothing else."""
    fetched = False
    for call in calls_in(body):
        if any(_is_tensor(loop, argument.value, call.scope) for argument in call.arguments):
            if not _is_of_host(loop, call):
                return False
        elif call.name in _TO_HOST and isinstance(call.function, ex.Attribute):
            fetched |= _is_batch(loop, call.function.value, call.scope)
    handed = loop.is_in_generator or any(isinstance(s, Return) for s in walk.statements(body))
    kept = [store.value for store in loop.scope.stores]
    return fetched and not handed and not any(_is_kept(loop, value) for value in kept)


def _is_batch(loop: BatchLoop, value: ex.Expression, scope: Scope) -> bool:
    found = loop.context.values(value, scope)
    return any(isinstance(one, Batch) and one.loader in loop.loaders for one in found)


def _is_tensor(loop: BatchLoop, value: ex.Expression, scope: Scope) -> bool:
    """Whether a value is a part of a batch of which nothing has made an array yet."""
    fetches = (part for part in walk.walk(ex.unnamed(value)) if isinstance(part, ex.Call))
    return _is_batch(loop, value, scope) and not any(call.name in _TO_HOST for call in fetches)


def _is_kept(loop: BatchLoop, value: ex.Expression) -> bool:
    """Whether a value is written down as the tensor that it is."""
    plain = isinstance(value, ex.Reference | ex.Subscript)
    return plain and _is_batch(loop, value, loop.scope)


def _is_of_host(loop: BatchLoop, call: ex.Call) -> bool:
    paths = library_callees(loop.context, call)
    return bool(paths) and all(path.startswith(_OF_HOST) for path in paths)


def asks_no_model(loader: Loader) -> bool:
    """Whether the loops over a loader call nothing that may be a model, or a metric of one."""
    if not loader.loops or loader.context[Consumption].of(loader.made):
        return False
    return not any(
        loop.body is None
        or loop.is_in_generator
        or not all(_is_no_model(loop, call) for call in calls_in(loop.body))
        for loop in loader.loops
    )


def _is_no_model(loop: BatchLoop, call: ex.Call) -> bool:
    paths = library_callees(loop.context, call)
    if paths:
        return all(path.startswith((*_OF_HOST, *_SHOWING)) for path in paths)
    if not isinstance(call.function, ex.Attribute):
        return False
    if call.name in _COLLECTING or call.name in ONLY_OF_TENSORS or call.name in _TO_HOST:
        return True
    return _is_batch(loop, call.function.value, call.scope)


def only_gathers(loader: Loader) -> bool:
    """Whether functions of the project collate, which make nothing of what the samples hold."""
    functions = collate_functions(loader)
    return bool(functions) and all(
        _makes_nothing(loader, call) for scope in functions or () for call in calls_in(scope.body)
    )


def _makes_nothing(loader: Loader, call: ex.Call) -> bool:
    paths = library_callees(loader.context, call)
    if paths:
        return all(path.startswith("builtins.") for path in paths)
    return isinstance(call.function, ex.Attribute) and call.name in _GATHERING
