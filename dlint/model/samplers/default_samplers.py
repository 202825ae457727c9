"""Samplers that torch makes itself: what `loader.sampler` is where a loader is given none.

Question: is `loader.sampler` certainly one that torch has made, and beside a batch sampler or not?
Given up on: loaders that a framework wraps, classes of the project, and names that stand for
loaders of both kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.ir import expressions as ex
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.semantics.values import constant_folding
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import NONE, is_of_library

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader


class DefaultSampler(NamedTuple):
    """A loader that is given no sampler, and whether it is given a batch sampler."""

    loader: Loader
    is_batched: bool


def default_sampler(
    context: AnalysisContext, expression: ex.Expression, scope: Scope
) -> DefaultSampler | None:
    """Of `loader.sampler`, the loader, where torch has certainly made the sampler."""
    if not isinstance(expression, ex.Attribute) or expression.name != "sampler":
        return None
    loaders = context[Loaders].denoted(expression.value, scope)
    kinds = {_is_batched(loader) for loader in loaders}
    kind = kinds.pop() if len(kinds) == 1 else None
    return None if kind is None else DefaultSampler(loaders[0], kind)


def _is_batched(loader: Loader) -> bool | None:
    """Whether a batch sampler (True) or nothing (False) is given; None where it may differ."""
    if any(a.value not in (ABSENT, NONE) for a in loader.argument("sampler")):
        return None
    if loader.context[Consumption].of(loader.made) or not is_of_library(loader.made):
        return None
    given = {
        True
        if constant_folding.is_object(a.value)
        else False
        if a.value in (ABSENT, NONE)
        else None
        for a in loader.argument("batch_sampler")
    }
    return given.pop() if len(given) == 1 else None
