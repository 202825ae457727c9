"""Where a call gives the argument that is at fault, a finding points at that argument."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.findings.diagnostic import Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.testing import cases

AT_FAULT = {
    "data-sharded-twice": "sampler=sampler",
    "deprecated-pin-memory-device": 'pin_memory_device="cuda:1"',
    "distributed-sampler-rank": "rank=local_rank",
    "dropped-eval-samples": "drop_last=True",
    "exclusive-loader-arguments": "shuffle=True",
    "ineffective-pin-memory": "pin_memory=True",
    "invalid-loader-arguments": "num_workers=-1",
    "mismatched-sampler": "batch_sampler=RandomSampler(dataset)",
    "non-blocking-to-mps": "non_blocking=True",
    "out-of-order-batches": "in_order=False",
    "oversized-prefetch": "prefetch_factor=16",
    "shuffle-in-eval": "shuffle=True",
    "shuffle-with-sampler": "shuffle=True",
    "unpicklable-worker-arguments": "worker_init_fn=seed_worker",
    "unsynced-copy-to-host": "non_blocking=True",
    "workers-beyond-cpus": "num_workers=os.cpu_count()",
    "workers-for-in-memory-data": "num_workers=8",
    "zero-workers": "num_workers=0",
}
"""What is underlined in one of the examples of each rule's page."""


def _underlined(place: Place | None) -> str | None:
    return None if place is None else Path(place.path).read_text("utf-8")[place.start : place.end]


@pytest.mark.parametrize("rule", AT_FAULT)
def test_the_argument_at_fault_is_known(rule: str, tmp_path: Path) -> None:
    found = set()
    for number, case in enumerate(cases(rule)):
        folder = tmp_path / str(number)
        folder.mkdir()
        case.write(folder)
        found |= {_underlined(diagnostic.argument) for diagnostic in case.found(folder)}
    assert AT_FAULT[rule] in found


@pytest.mark.parametrize(
    ("argument", "is_kept"),
    [
        (Place("/a.py", 12, 15), True),
        (Place("/a.py", 2, 5), False),
        (Place("/b.py", 12, 15), False),
        (None, False),
    ],
)
def test_an_argument_of_another_call_is_none(argument: Place | None, is_kept: bool) -> None:
    """A finding at a caller is not about what stands in the call of its callee."""
    finding = Finding(Severity.INFO, "m", Place("/a.py", 10, 20), argument=argument)
    assert finding.diagnostic("rule", "DLT999").argument == (argument if is_kept else None)
