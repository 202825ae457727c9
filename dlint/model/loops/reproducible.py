"""What a program does to get the same batches again: fixed orders, and states that it saves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_anywhere, calls_to, is_call_to
from dlint.analyses.control.order import preceding
from dlint.analyses.control.path_tests import is_optional
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.module import Block
from dlint.library_facts.seeding import EVERYTHING, TORCH_SEEDERS
from dlint.model.loops.batch_loops import calls_in
from dlint.semantics.values.values import AllocationSite, ClassObject, External

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop

_STATEFUL = "StatefulDataLoader"


class Reason(NamedTuple):
    """What asks for reproducible batches, and where."""

    what: str
    place: Place


def keeps_state(loader: Loader) -> bool:
    """Whether it is torchdata's loader, which can save where it is."""
    origin = loader.made.origin
    if isinstance(origin, ClassObject):
        paths = loader.context.solver.classes.externals(origin.cls)
    else:
        paths = [origin.path]
    return any(path.rpartition(".")[2] == _STATEFUL for path in paths)


def asked_for(loader: Loader) -> Reason | None:
    """Deterministic algorithms, or a generator of the loader's own that is seeded."""
    context = loader.context
    for call in calls_to(context, "torch.use_deterministic_algorithms"):
        if not bind(context, call).is_certainly("mode", False):
            return Reason("`use_deterministic_algorithms`", context.place_of(call))
    for value in loader.values("generator"):
        if isinstance(value, AllocationSite) and _is_seeded(loader, value):
            return Reason("a seeded generator", context.place_of(value.call))
    return None


def is_seeded_before(loop: BatchLoop) -> bool:
    """Whether the function of a loop seeds torch before it, so that every pass is the same."""
    if loop.scope.kind == "module":
        return False
    calls = (call for earlier in preceding(loop.statement) for call in calls_in(Block([earlier])))
    return any(
        is_call_to(loop.context, call, TORCH_SEEDERS | EVERYTHING) and not is_optional(call)
        for call in calls
    )


def _is_seeded(loader: Loader, generator: AllocationSite) -> bool:
    """Whether it is torch's, and `manual_seed` is called on it."""
    context = loader.context
    return generator.origin == External("torch.Generator") and any(
        isinstance(call.function, ex.Attribute)
        and generator in context.values(call.function.value, call.scope)
        for call in calls_anywhere(context, "manual_seed")
    )
