"""Keywords that torch's DataLoader does not take.

Question: which keywords does a call that certainly makes a DataLoader of torch itself give to its
constructor, which does not know them? It takes no `**options`, and no version of torch took one
that 2.13 does not (torch/utils/data/dataloader.py:255). Followed: what the call writes, also in a
dict that it unpacks on the spot. Given up on: dicts that have a name, of which something may take
keys on the way, keys of config files, and loaders of projects and of other libraries, which may
take more.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import certainly_calls
from dlint.ir import expressions as ex
from dlint.library_facts.loaders import ARGUMENTS, OF_TORCH

if TYPE_CHECKING:
    from dlint.analyses.binding import Bound
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place

_ALIKE = 0.75
"""How much of two names has to be the same, so that one is taken for the other."""


class UnknownArgument(NamedTuple):
    """A keyword that raises TypeError, the argument that it looks like, and where its value is."""

    name: str
    meant: str | None
    place: Place | None


def unknown_arguments(
    context: AnalysisContext, call: ex.Call, bound: Bound
) -> list[UnknownArgument]:
    """The keywords that torch's constructor is given and does not take."""
    unknown = [name for name in _keywords(call) if name not in ARGUMENTS]
    if not unknown or not certainly_calls(context, call, OF_TORCH):
        return []
    free = [name for name in ARGUMENTS if all(a.is_absent for a in bound.alternatives(name))]
    return [UnknownArgument(name, _meant(name, free), bound.place(name)) for name in unknown]


def _keywords(call: ex.Call) -> Iterator[str]:
    """Those that a call writes, also as keys of a dict."""
    for argument in call.arguments:
        if argument.keyword:
            yield argument.keyword
        elif argument.star == "**" and isinstance(argument.value, ex.Mapping):
            keys = (ex.constant(key) for key, _ in argument.value.items)
            yield from (key.value for key in keys if key and isinstance(key.value, str))


def _meant(name: str, free: list[str]) -> str | None:
    ending = [one for one in free if name.lower().endswith(f"_{one}")]
    found = ending or get_close_matches(name.lower(), free, 1, _ALIKE)
    return max(found, key=len, default=None)
