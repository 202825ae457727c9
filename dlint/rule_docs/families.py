"""What the first digit of a code says a rule is about."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dlint.rule_docs import Summary, summaries

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "1": "Loader arguments",
        "2": "Samplers and distributed training",
        "3": "Copies to and from the device",
        "4": "Map-style datasets",
        "5": "Iterable datasets",
        "6": "Processes and sharing",
        "7": "Reproducibility and checkpoints",
        "8": "The training loop",
        "9": "Files, containers and comments",
    }
)
"""In the order of codes, as pages and lists of the rules show them."""


def members(digit: str) -> list[Summary]:
    """The rules of a family, in the order of codes; those of other packages belong to none."""
    return [s for s in summaries().values() if s.package is None and s.code[3] == digit]
