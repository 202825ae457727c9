"""What a rule claims, and so what its fix is judged by."""

from __future__ import annotations

from enum import StrEnum

_PER_EPOCH = frozenset({"missing-persistent-workers", "loader-in-epoch-loop"})
"""Rules whose fix acts where an epoch begins."""
_PINNING = frozenset(
    {"missing-pin-memory", "ineffective-pin-memory", "deprecated-pin-memory-device"}
)
_TRANSFER_CODES = "DLT3"


class Observable(StrEnum):
    """What is looked at."""

    STEP = "seconds a step"
    EPOCH = "seconds an epoch"
    FIRST_BATCH = "seconds to the first batch"
    MEMORY = "bytes of all processes"
    FAULT = "a fault of the first epochs"
    CRASH = "the exception"


_BY_CLAIM = {
    "throughput": Observable.STEP,
    "none": Observable.STEP,
    "startup": Observable.FIRST_BATCH,
    "memory": Observable.MEMORY,
    "order": Observable.FAULT,
    "duplicates": Observable.FAULT,
    "strategy": Observable.FAULT,
    "exception": Observable.CRASH,
}


def observable(rule: str, claim: str) -> Observable:
    """What the fix of a rule with this claim is judged by."""
    return Observable.EPOCH if rule in _PER_EPOCH else _BY_CLAIM[claim]


def needs_accelerator(rule: str, code: str) -> bool:
    """Whether a fix can only act where batches are copied to an accelerator."""
    return rule in _PINNING or code.startswith(_TRANSFER_CODES)
