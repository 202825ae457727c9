"""Faults in the arguments of loaders and copies: pinning, blocking copies, shuffling twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.tools.inject.faults import Fault, replaced, without_keyword
from tests.tools.inject.files import File, is_true, keyword, last_name
from tests.tools.inject.loops import Copy, Reading, is_loader, is_pinned, names_framework, names_mps
from tests.tools.inject.names import Origin

_BEFORE_SHUFFLE = 2
"""Arguments of torch's DataLoader that stand before `shuffle`."""


def unpinned(reading: Reading) -> Iterator[Fault]:
    """`pin_memory=True` taken out of a loader.

    Must be reported where a loop over that loader copies a batch, as it came, to CUDA, and no
    framework is named in the files of the loader and the loop.
    """
    for file in reading.files:
        for call in file.calls:
            argument = keyword(call, "pin_memory")
            if is_loader(file, call) and argument is not None and is_true(argument):
                text = without_keyword(file, argument)
                if text is not None:
                    evidence = _copied(reading, file, call)
                    yield _fault("pin_memory", file, call, text, evidence)


def _copied(reading: Reading, file: File, loader: ast.Call) -> str:
    for batch_loop in reading.loops_over(loader):
        if batch_loop.copies and not names_framework({file, batch_loop.file}):
            return f"its batches are copied at {_where(batch_loop.copies[0])}"
    return ""


def blocking(reading: Reading) -> Iterator[Fault]:
    """`non_blocking=True` taken out of a copy.

    Must be reported where the copy is of a batch, as it came, in a loop over a loader whose call
    says `pin_memory=True`, and no framework and no MPS is named in the files of loader and loop.
    """
    pinned = {copy.call: origin for copy, origin in _copies_of_pinned(reading)}
    for file in reading.files:
        for call in file.calls:
            argument = keyword(call, "non_blocking")
            if last_name(call) not in ("to", "cuda") or argument is None or not is_true(argument):
                continue
            text = without_keyword(file, argument)
            if text is not None:
                origin = pinned.get(call)
                evidence = f"the batch is pinned at {_at(*origin)}" if origin else ""
                yield _fault("non_blocking", file, call, text, evidence)


def _copies_of_pinned(reading: Reading) -> Iterator[tuple[Copy, Origin]]:
    for batch_loop in reading.loops:
        files = batch_loop.files
        for file, loader in batch_loop.loaders:
            if is_pinned(loader) and not names_framework(files) and not names_mps(files):
                for copy in batch_loop.copies:
                    yield copy, (file, loader)


def shuffled(reading: Reading) -> Iterator[Fault]:
    """`shuffle=True` put beside a `sampler`.

    Must be reported where the sampler is made by a call of a class named `…Sampler`, in the
    argument itself or where the argument's name is bound; another branch may bind None.
    """
    for file in reading.files:
        for call in file.calls:
            sampler = keyword(call, "sampler")
            if not is_loader(file, call) or sampler is None or _shuffles(call):
                continue
            text = _with_shuffle(file, call, sampler)
            if text is not None:
                made = reading.names.origins(file, sampler.value, _makes_sampler)
                evidence = f"the sampler is made at {_at(*min(made, key=_order))}" if made else ""
                yield _fault("shuffle", file, call, text, evidence)


def _shuffles(call: ast.Call) -> bool:
    """Whether `shuffle` is on already, or given by position."""
    return is_true(keyword(call, "shuffle")) or len(call.args) > _BEFORE_SHUFFLE


def _with_shuffle(file: File, call: ast.Call, sampler: ast.keyword) -> str | None:
    present = keyword(call, "shuffle")
    if present is not None:
        return replaced(file.text, file.span(present.value), "True")
    if any(k.arg is None for k in call.keywords):
        return None
    _, end = file.span(sampler)
    return replaced(file.text, (end, end), ", shuffle=True")


def _makes_sampler(file: File, call: ast.Call) -> bool:
    name = last_name(call)
    return name.endswith("Sampler") and not name.endswith("BatchSampler")


def _fault(kind: str, file: File, call: ast.Call, text: str, evidence: str) -> Fault:
    rows = file.rows(call)
    return Fault(kind, file.path, rows[0], text, evidence, (file.path, rows, rows))


def _where(copy: Copy) -> str:
    return _at(copy.file, copy.call)


def _order(origin: Origin) -> tuple[str, int]:
    return origin[0].path, origin[1].lineno


def _at(file: File, call: ast.Call) -> str:
    return f"{file.path}:{call.lineno}"
