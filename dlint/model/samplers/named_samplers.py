"""How a sampler is named before a loop over epochs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.joined_names import JoinedNames
from dlint.model.loops.epochs import EpochLoop
from dlint.semantics.values.values import NONE

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.model.samplers.distributed_samplers import Sampler
    from dlint.semantics.values.values import Value


_IF_GIVEN = "if {} is not None:\n    "


_IF_IT_CAN = 'if hasattr({}, "set_epoch"):\n    '


class NamedSampler(NamedTuple):
    """An expression for the sampler, and the test that must precede a call on it."""

    name: str
    guard: str


def named_sampler(sampler: Sampler, loader: Loader, epoch: EpochLoop) -> NamedSampler | None:
    """How the sampler is named at the epoch loop."""
    context = sampler.context
    given = loader.values("sampler") | loader.values("batch_sampler")
    for name, value in context[JoinedNames].before(epoch.scope, epoch.loop):
        found = context.values(value, epoch.scope)
        if sampler.made in found and found <= given | {sampler.made, NONE}:
            return NamedSampler(name, _guard(sampler, found))
    path = sampler.path_from(loader)
    if path is None or NONE in given:
        return None
    for name, value in context[JoinedNames].before(epoch.scope, epoch.loop):
        if context.values(value, epoch.scope) == {loader.made}:
            return NamedSampler(f"{name}.{path}", _guard(sampler, given))
    return None


def _guard(sampler: Sampler, values: Iterable[Value]) -> str:
    """What to ask first: a run that is not distributed may have none, or one without epochs."""
    others = set(values) - {sampler.made}
    if not others:
        return ""
    return _IF_GIVEN if others == {NONE} else _IF_IT_CAN
