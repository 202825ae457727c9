"""Batches that the loop over a loader pins itself, by `pin_memory()`, before it copies them.

Silent where a test asks whether the batch is pinned, where the function runs in a thread or process
of its own, and where the loader may yield objects of classes that pin themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import CallGraph
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Scope
from dlint.library_facts.concurrency import EdgeKind
from dlint.model.loading.loaders import Loaders
from dlint.model.samples import samples

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer


class ManualPin(NamedTuple):
    """A batch that the loop pins itself and then copies."""

    call: ex.Call
    transfer: Transfer
    loader: Loader

    @property
    def place(self) -> Place:
        """Where it is pinned."""
        return self.transfer.context.place_of(self.call)

    @property
    def batch(self) -> str | None:
        """What is pinned, as it is written: a name or an attribute of one; None for the rest."""
        callee = self.call.function
        return ex.dotted(callee.value) if isinstance(callee, ex.Attribute) else None

    @property
    def is_whole_statement(self) -> bool:
        """Whether a statement does nothing but this: `x = x.pin_memory()`."""
        return any(part is self.call for part in walk.expressions(self.call.statement))


def manual_pins(context: AnalysisContext) -> Iterator[ManualPin]:
    """Where the loop over a loader pins its batches itself."""
    seen: set[ex.Call] = set()
    for transfer in context[Loaders].transfers:
        call = _pinned(transfer.source)
        if call is None or call in seen or not any(walk.enclosing_loops(transfer.call.statement)):
            continue
        if _is_asked_for(call) or _runs_apart(context, call.scope):
            continue
        seen.add(call)
        loaders = [context[Loaders].of(batch.loader) for batch in transfer.batches]
        if loaders and not any(samples.batch_classes(loader) for loader in loaders):
            yield ManualPin(call, transfer, loaders[0])


def _pinned(source: ex.Expression) -> ex.Call | None:
    """The `pin_memory()` whose result is copied, directly or by a name."""
    if isinstance(source, ex.Reference) and source.definition is not None:
        source = source.definition.value
    is_call = isinstance(source, ex.Call) and isinstance(source.function, ex.Attribute)
    if is_call and isinstance(source, ex.Call) and source.name == "pin_memory":
        return source
    return None


def _is_asked_for(call: ex.Call) -> bool:
    """Whether a test around it asks whether the batch is pinned already."""
    return any(
        isinstance(part, ex.Attribute | ex.Reference) and "pin" in part.name
        for test, _ in walk.tests(call.statement)
        for part in walk.walk(test)
    )


def _runs_apart(context: AnalysisContext, scope: Scope) -> bool:
    """Whether a function is run in a thread or process of its own, beside the loop."""
    owner = scope.owner
    if owner is not None and any("Thread" in b for b in context.solver.classes.externals(owner)):
        return True
    return any(edge.kind is not EdgeKind.CALL for edge in context[CallGraph].callers(scope))
