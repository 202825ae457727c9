"""Keywords that torch's DataLoader does not take.

Question: which keywords of a call that certainly makes a DataLoader of torch itself does its
constructor not know? It takes no `**options`, and no version of torch took one that 2.13 does not
(torch/utils/data/dataloader.py:255). Given up on: what a dict brings, keys of config files, and
loaders of projects and of other libraries, which may take more.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import library_callees
from dlint.analyses.written_arguments import positional
from dlint.library_facts.loaders import ARGUMENTS, OF_TORCH

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex

_ALIKE = 0.75
"""How much of two names has to be the same, so that one is taken for the other."""


class UnknownArgument(NamedTuple):
    """A keyword that raises TypeError, and the argument that it looks like."""

    argument: ex.Argument
    meant: str | None

    @property
    def name(self) -> str:
        """The keyword."""
        return self.argument.keyword or ""


def unknown_arguments(context: AnalysisContext, call: ex.Call) -> list[UnknownArgument]:
    """The keywords of a call that torch's constructor does not take."""
    keywords = {argument.keyword: argument for argument in call.arguments if argument.keyword}
    unknown = [keywords[name] for name in keywords if name not in ARGUMENTS]
    called = library_callees(context, call) if unknown else ()
    if not called or not OF_TORCH.issuperset(called):
        return []
    given = len(positional(call))
    free = [name for name in ARGUMENTS[given:] if name not in keywords]
    return [UnknownArgument(argument, _meant(argument, free)) for argument in unknown]


def _meant(argument: ex.Argument, free: list[str]) -> str | None:
    name = (argument.keyword or "").lower()
    ending = [one for one in free if name.endswith(f"_{one}")]
    found = ending or get_close_matches(name, free, 1, _ALIKE)
    return max(found, key=len, default=None)
