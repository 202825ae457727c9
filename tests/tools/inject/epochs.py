"""Faults in the order of things: no `set_epoch`, a sharing strategy set too late."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.tools.inject.faults import Fault, replaced, with_statement
from tests.tools.inject.files import File, inside, is_true, keyword, last_name
from tests.tools.inject.loops import BatchLoop, Reading, is_loader, is_torch, names_framework
from tests.tools.inject.names import Origin

_BEFORE_SHUFFLE = 3
"""Arguments of DistributedSampler that stand before `shuffle`."""

_STRATEGY = 'torch.multiprocessing.set_sharing_strategy("file_system")'


def unset_epoch(reading: Reading) -> Iterator[Fault]:
    """A statement `x.set_epoch(…)` replaced by `pass`.

    Must be reported where `x` is torch's DistributedSampler made without `shuffle=False`, or
    reached from its loader; the statement stands in a loop in which that loader is run through to
    train, there or in a function called there; no other `set_epoch` can be on it; no framework is
    named in these files.
    """
    for file in reading.files:
        for call in file.calls:
            statement = file.statement(call)
            if last_name(call) != "set_epoch" or not isinstance(statement, ast.Expr):
                continue
            text = replaced(file.text, file.span(statement), "pass")
            if text is not None and statement.value is call:
                yield _unset(reading, file, call, text)


def _unset(reading: Reading, file: File, call: ast.Call, text: str) -> Fault:
    samplers = _samplers(reading, file, call)
    batch_loop = _run_there(reading, file, call, samplers)
    evidence = ""
    path, rows = file.path, file.rows(call)
    if batch_loop is not None and not _is_set_elsewhere(reading, call, samplers, batch_loop):
        evidence = f"trained at {batch_loop.file.path}:{batch_loop.loop.lineno}"
    if samplers:
        origin = min(samplers, key=lambda o: (o[0].path, o[1].lineno))
        path, rows = origin[0].path, origin[0].rows(origin[1])
    return Fault("set_epoch", file.path, call.lineno, text, evidence, (path, rows, rows))


def _samplers(reading: Reading, file: File, call: ast.Call) -> set[Origin]:
    """The distributed samplers that a `set_epoch` may be called on."""
    if not isinstance(call.func, ast.Attribute):
        return set()
    receiver = call.func.value
    if isinstance(receiver, ast.Attribute) and receiver.attr == "sampler":
        base = receiver.value
        if isinstance(base, ast.Attribute) and base.attr == "batch_sampler":
            base = base.value
        loaders = reading.names.origins(file, base, is_loader)
        found = (_given(reading, *loader) for loader in loaders)
        return set().union(*found)
    return reading.names.origins(file, receiver, _is_distributed)


def _is_distributed(file: File, call: ast.Call) -> bool:
    return is_torch(file, call, "DistributedSampler")


def _given(reading: Reading, file: File, loader: ast.Call) -> set[Origin]:
    """The distributed samplers that a loader takes its order from."""
    argument = keyword(loader, "sampler") or keyword(loader, "batch_sampler")
    value = None if argument is None else argument.value
    if isinstance(value, ast.Call) and last_name(value) == "BatchSampler" and value.args:
        value = value.args[0]
    return set() if value is None else reading.names.origins(file, value, _is_distributed)


def _run_there(
    reading: Reading, file: File, call: ast.Call, samplers: set[Origin]
) -> BatchLoop | None:
    """A loop that trains on a loader of these samplers in each round of a loop around `call`."""
    around = next((a for a in file.ancestors(call) if isinstance(a, ast.For | ast.While)), None)
    if around is None or not samplers or any(_keeps_order(sampler) for _, sampler in samplers):
        return None
    for batch_loop in _loops_in(reading, file, around):
        files = {file, *batch_loop.files, *(f for f, _ in samplers)}
        given = (_given(reading, *loader) & samplers for loader in batch_loop.loaders)
        if batch_loop.trains and not names_framework(files) and any(given):
            return batch_loop
    return None


def _loops_in(reading: Reading, file: File, around: ast.For | ast.While) -> Iterator[BatchLoop]:
    """The batch loops in a loop, or in functions that it calls."""
    calls = (node for node in inside(around) if isinstance(node, ast.Call))
    targets = (reading.names.target(file, call) for call in calls)
    entered = {target.function for target in targets if target is not None}
    for batch_loop in reading.loops:
        block = batch_loop.file.block(batch_loop.loop)
        if block in entered or around in batch_loop.file.ancestors(batch_loop.loop):
            yield batch_loop


def _keeps_order(sampler: ast.Call) -> bool:
    argument = keyword(sampler, "shuffle")
    given_on = argument is None or is_true(argument)
    return not given_on or len(sampler.args) > _BEFORE_SHUFFLE


def _is_set_elsewhere(
    reading: Reading, call: ast.Call, samplers: set[Origin], batch_loop: BatchLoop
) -> bool:
    """Whether another `set_epoch` is on one of these samplers, or near and on something unknown."""
    near = {*batch_loop.files, *(f for f, _ in samplers)}
    for file, other in reading.names.calls.get("set_epoch", ()):
        if other is call:
            continue
        found = _samplers(reading, file, other)
        if found & samplers or (not found and file in near):
            return True
    return any(re.search(r"[\"']set_epoch[\"']", file.text) for file in near)


def late_strategy(reading: Reading) -> Iterator[Fault]:
    """`set_sharing_strategy` called directly behind a loop over a loader.

    Must be reported where all loaders of that loop have a literal `num_workers` above 0 and the
    repository sets no sharing strategy itself.
    """
    is_set = any("set_sharing_strategy" in file.text for file in reading.files)
    for batch_loop in reading.loops:
        file = batch_loop.file
        if file.imports.get("torch") != "torch":
            continue
        text = with_statement(file, batch_loop.loop, _STRATEGY)
        if text is not None:
            certain = not is_set and all(_has_workers(call) for _, call in batch_loop.loaders)
            origin, loader = next(iter(batch_loop.loaders))
            evidence = f"workers are set at {origin.path}:{loader.lineno}" if certain else ""
            row = (batch_loop.loop.end_lineno or 0) + 1
            place = (file.path, file.rows(batch_loop.loop), (row, row))
            yield Fault("sharing_strategy", file.path, row, text, evidence, place)


def _has_workers(loader: ast.Call) -> bool:
    argument = keyword(loader, "num_workers")
    value = None if argument is None else argument.value
    return isinstance(value, ast.Constant) and isinstance(value.value, int) and value.value > 0
