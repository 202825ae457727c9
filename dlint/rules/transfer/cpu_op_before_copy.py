"""cpu-op-before-copy: pinned batches that a CPU operation copies before they go to the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.written_arguments import written
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.library_facts.frameworks import Duty
from dlint.model.frameworks import Consumption
from dlint.model.loaders import Loaders
from dlint.model.samples import collate_functions
from dlint.semantics.values.values import Batch, ClassObject, FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.model.transfers import Transfer


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Copies of what a CPU operation made of a pinned batch."""
    for transfer in context[Loaders].transfers:
        operation = _operation(transfer.source)
        if operation is None or not transfer.may_reach_cuda or not _is_first(context, operation):
            continue
        loader = _pinned(transfer)
        if loader is not None and not _is_other(loader, operation):
            yield Finding(
                Severity.INFO,
                f"`{operation.name}` makes a new tensor in ordinary memory, unless the batch has "
                "that type already, so this copy gains nothing from the loader's pinning; copy "
                f"first with `non_blocking=True`, and let the GPU run `{operation.name}`",
                context.place_of(transfer.call),
                (Related(loader.place, "the batch is pinned here"),),
            )


def _is_other(loader: Loader, operation: ex.Call) -> bool:
    """Whether the operation changes nothing, or is one of something that is no tensor."""
    return (operation.name == "float" and are_floats(loader)) or are_of_library(loader)


def _operation(source: ex.Expression) -> ex.Call | None:
    """The operation whose result is copied, directly or by a name."""
    if isinstance(source, ex.Reference) and source.definition is not None:
        source = source.definition.value
    if isinstance(source, ex.Call) and source.name in tensors.CONVERSIONS:
        return source
    return None


def _is_first(context: AnalysisContext, operation: ex.Call) -> bool:
    """Whether the operation takes a batch as it came, and not what another has made of it."""
    callee = operation.function
    taken = callee.value if isinstance(callee, ex.Attribute) else operation
    found = context.values(taken, operation.scope)
    return any(isinstance(value, Batch) and not value.fresh for value in found)


def _pinned(transfer: Transfer) -> Loader | None:
    """The pinned loader whose batches a CPU operation has copied, and no other."""
    context = transfer.context
    for batch in transfer.batches:
        loader = context[Loaders].of(batch.loader)
        kept = transfer.copies_pinned(batch.loader)
        moved = context[Consumption].takes_over(batch.loader, Duty.MOVES_BATCH)
        if batch.fresh and not kept and moved is None and loader.is_pinned:
            return None if transfer.goes_to_cpu(loader) else loader
    return None


_OURS = frozenset({"torch", "torchvision", "numpy", "builtins"})
_TO_FLOAT = frozenset({"ToTensor"})
"""Transforms of torchvision that make `float32` of pictures."""


def are_floats(loader: Loader) -> bool:
    """Whether all transforms that the loader's function composes make `float32` of pictures."""
    composed = [call for call in loader.call.scope.calls if call.name == "Compose"]
    return bool(composed) and all(_makes_floats(loader.context, call) for call in composed)


def _makes_floats(context: AnalysisContext, compose: ex.Call) -> bool:
    given = written(compose, 0, "transforms")
    steps = given.items if isinstance(given, ex.Sequence) else ()
    made = [list(_made(context, step)) for step in steps]
    if not all(made) or any(not p.startswith("torchvision.") for paths in made for p in paths):
        return False
    return any({p.rpartition(".")[2] for p in paths} <= _TO_FLOAT for paths in made)


def _made(context: AnalysisContext, value: ex.Expression | None) -> Iterator[str]:
    """What makes a value: paths of library callables, "?" for unknown ones, "" for the rest."""
    if isinstance(value, ex.Reference) and value.definition is not None:
        value = value.definition.value
    for one in value.alternatives if isinstance(value, ex.Join) else (value,):
        if not isinstance(one, ex.Call):
            yield ""
            continue
        own = context.values(one.function, one.scope)
        is_own = any(isinstance(v, ClassObject | FunctionObject | Method) for v in own)
        yield from library_callees(context, one) or ("" if is_own else "?",)


def are_of_library(loader: Loader) -> bool:
    """Whether a collate function returns what something else than torch makes, such as a graph."""
    for scope in collate_functions(loader) or ():
        for result in scope.returns:
            for path in _made(loader.context, result):
                if path and path.partition(".")[0] not in _OURS:
                    return True
    return False
