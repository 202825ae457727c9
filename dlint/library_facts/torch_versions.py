"""In which torch versions a fact holds, read from the sources of the wheels 1.7.1 to 2.13.0."""

from __future__ import annotations

from dataclasses import dataclass

from dlint.findings.regexes import lazily

_NUMBERS = lazily(r"(\d+)\.(\d+)")

Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """The first and the last minor version in which something holds; None is open."""

    first: Version | None = None
    last: Version | None = None


FACTS: dict[str, Window] = {
    "non-blocking": Window((0, 4)),
    "persistent-workers": Window((1, 7)),
    "persistent-workers-with-pinning": Window((1, 8)),
    "prefetch-factor": Window((1, 7)),
    "prefetch-factor-defaults-to-none": Window((2, 0)),
    "draws-with-a-generator": Window((1, 9)),
    "workers-seed-numpy": Window((1, 9)),
    "warns-of-too-many-workers": Window((1, 8)),
    "iterator-without-next": Window((1, 13)),
    "without-torch-six": Window((2, 0)),
    "pin-memory-device": Window((1, 12), (2, 8)),
    "pin-memory-device-is-ignored": Window((2, 9)),
    "pinning-without-accelerator-warns": Window((2, 7)),
    "pins-for-any-accelerator": Window((2, 7)),
    "fetches-by-getitems": Window((1, 13)),
    "subset-has-getitems": Window((2, 1)),
    "subset-with-own-getitem-raises": Window((2, 11)),
    "sampler-requires-data-source": Window(None, (2, 0)),
    "sampler-warns-of-data-source": Window((2, 1), (2, 9)),
    "sampler-refuses-data-source": Window((2, 10)),
    "in-order": Window((2, 6)),
    "out-of-order-uses-idle-workers": Window((2, 7)),
    "pickle-hint-names-python-3.14": Window((2, 10)),
}
"""Facts that rules and messages depend on, each with its window. Nothing below 1.7 was read."""


ARGUMENTS = {
    "non_blocking": "non-blocking",
    "persistent_workers": "persistent-workers",
    "prefetch_factor": "prefetch-factor",
    "in_order": "in-order",
    "pin_memory_device": "pin-memory-device",
}
"""Arguments that advice may name, and the fact that says in which versions they exist."""


NEWEST_FOR_PYTHON: dict[Version, Version] = {
    (2, 7): (1, 4),
    (3, 5): (1, 5),
    (3, 6): (1, 10),
    (3, 7): (1, 13),
    (3, 8): (2, 4),
    (3, 9): (2, 8),
}
"""The last torch with wheels for a Python on PyPI; newer Pythons have no last one yet."""


def newest_for(python: Version | None) -> Version | None:
    """The newest torch that installs on a Python of at most this version; None where open."""
    if python is None or python > max(NEWEST_FOR_PYTHON):
        return None
    older = [known for known in NEWEST_FOR_PYTHON if known <= python]
    return NEWEST_FOR_PYTHON[max(older)] if older else None


_IMAGES: tuple[tuple[str, Version], ...] = (
    ("18.12", (1, 0)),
    ("19.04", (1, 1)),
    ("19.07", (1, 2)),
    ("19.10", (1, 3)),
    ("19.11", (1, 4)),
    ("20.03", (1, 5)),
    ("20.06", (1, 6)),
    ("20.08", (1, 7)),
    ("20.11", (1, 8)),
    ("21.03", (1, 9)),
    ("21.07", (1, 10)),
    ("21.11", (1, 11)),
    ("22.03", (1, 12)),
    ("22.06", (1, 13)),
    ("23.02", (2, 0)),
    ("23.06", (2, 1)),
    ("23.11", (2, 2)),
    ("24.02", (2, 3)),
    ("24.05", (2, 4)),
    ("24.08", (2, 5)),
    ("24.11", (2, 6)),
    ("25.02", (2, 7)),
    ("25.05", (2, 8)),
    ("25.09", (2, 9)),
    ("25.11", (2, 10)),
)
"""The first image of NVIDIA's (nvcr.io/nvidia/pytorch) that holds each version, or what was on its
way to it, by the release notes of the images."""


def newest_in_image(release: str) -> Version | None:
    """The torch of an image of NVIDIA's such as `20.12`; None of older ones."""
    return next((version for first, version in reversed(_IMAGES) if first <= release), None)


NEWEST_FOR_CUDA: dict[str, Version] = {"9.0": (1, 1), "9.2": (1, 7), "10.0": (1, 4)}
"""The last torch that Anaconda has built for a CUDA toolkit, of those before torch 1.8
(pytorch.org/get-started/previous-versions, which ends with 1.2 for CUDA 10.0: two more are allowed
for)."""


def holds(fact: str, version: str) -> bool:
    """Whether a fact holds in a torch version such as `2.7` or `2.13.0+cpu`.

    Raises KeyError for a fact that the table does not have, ValueError for no version.
    """
    found = _NUMBERS.match(version)
    if found is None:
        raise ValueError(f"not a version of torch: {version!r}")
    window, number = FACTS[fact], (int(found[1]), int(found[2]))
    after = window.first is None or number >= window.first
    return after and (window.last is None or number <= window.last)
