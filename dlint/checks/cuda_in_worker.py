"""cuda-in-worker: code of worker processes that puts tensors on CUDA, or is given some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.checks import Finding
from dlint.diagnostic import Related, Severity
from dlint.domain import device_code
from dlint.domain.worker_counts import text_of
from dlint.domain.workers import start_methods_of
from dlint.knowledge.start_methods import StartMethod

if TYPE_CHECKING:
    from dlint.domain.program import Program
    from dlint.domain.worker_code import Entry
    from dlint.index import expressions as ex
    from dlint.places import Place

_INSTEAD = "give CPU tensors to the loader, and copy each batch in the loop that uses it"


def check(program: Program) -> Iterator[Finding]:
    """Calls that need CUDA in workers, and tensors on CUDA that workers take samples from."""
    seen: set[Place] = set()
    for call, entry in device_code.device_calls(program):
        if (place := program.place_of(call)) not in seen:
            seen.add(place)
            runs = f"{_named(entry)} runs in workers and puts tensors on CUDA"
            yield _finding(program, call, entry, runs)
    for dataset in program.dataset_classes:
        entries = program.worker_code.of_class(dataset.cls)
        working = next((entry for entry in entries if entry.working is not None), None)
        for call, attribute in device_code.kept_on_cuda(dataset) if working else ():
            if working and (place := program.place_of(call)) not in seen:
                seen.add(place)
                kept = f"`{dataset.cls.name}` keeps `self.{attribute}` on CUDA, and workers use it"
                yield _finding(program, call, working, kept)


def _named(entry: Entry) -> str:
    if entry.cls is not None and entry.role.startswith("__"):
        return f"`{entry.cls.name}.{entry.role}`"
    return f"the `{entry.role}`"


def _finding(program: Program, call: ex.Call, entry: Entry, wrong: str) -> Finding:
    assert entry.working is not None
    loader, count = entry.working
    forks = StartMethod.FORK in start_methods_of(program, loader)
    why = (
        "a forked worker raises `RuntimeError: Cannot re-initialize CUDA in forked subprocess` "
        "once the main process has used CUDA"
        if forks
        else "each worker opens its own CUDA context, and torch advises against sending CUDA "
        "tensors between processes"
    )
    return Finding(
        Severity.ERROR if forks else Severity.WARNING,
        f"{wrong} ({text_of(count)}): {why}; {_INSTEAD}",
        program.place_of(call),
        (Related(loader.place, "this loader starts the workers"),),
    )
