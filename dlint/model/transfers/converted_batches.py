"""Batches that an operation of the CPU converts before they are copied.

Question: which operation made what is copied, of a batch as it came? Followed is one name. Told too
is what a conversion leaves as it is: pictures that the transforms make `float32` of, and objects of
other libraries, which are no tensors; and whether it puts all samples of a batch together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.samples.samples import collate_functions
from dlint.semantics.values.values import Batch, ClassObject, FunctionObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.model.transfers.transfers import Transfer


def converted_by(transfer: Transfer) -> str | None:
    """The operation of the CPU that made what is copied, of a batch as it came; None for none."""
    operation = _operation(transfer.context, transfer.source)
    if operation is None or not _is_first(transfer.context, operation):
        return None
    return operation.name


def joins(operation: str) -> bool:
    """Whether an operation puts parts of a batch together, so that it always makes a new tensor."""
    return operation in _JOINING


def joins_samples(transfer: Transfer) -> bool:
    """Whether what is copied was put together of all parts of what a batch holds, however many."""
    operation = _operation(transfer.context, transfer.source)
    given = None if operation is None else _joined(operation)
    return given is not None and not isinstance(given, ex.Sequence)


_JOINING = frozenset({"cat", "concat", "stack", "hstack", "vstack"})
"""Functions of torch that put tensors together."""


def _operation(context: AnalysisContext, source: ex.Expression) -> ex.Call | None:
    """The operation whose result is copied, directly or by a name."""
    if isinstance(source, ex.Reference) and source.definition is not None:
        source = source.definition.value
    if not isinstance(source, ex.Call):
        return None
    if source.name in tensors.CONVERSIONS or _is_joining(context, source):
        return source
    return None


def _is_joining(context: AnalysisContext, call: ex.Call) -> bool:
    paths = library_callees(context, call) if call.name in _JOINING else ()
    return any(path == f"torch.{call.name}" for path in paths)


def _is_first(context: AnalysisContext, operation: ex.Call) -> bool:
    """Whether the operation takes a batch as it came, and not what another has made of it."""
    callee = operation.function
    if operation.name in _JOINING:
        given = _joined(operation)
        parts = given.items if isinstance(given, ex.Sequence) else (given,)
        return bool(parts) and all(p and _is_as_it_came(context, p, operation) for p in parts)
    taken = callee.value if isinstance(callee, ex.Attribute) else operation
    return _is_as_it_came(context, taken, operation)


def _joined(operation: ex.Call) -> ex.Expression | None:
    """What a function puts together: a display, or what holds the parts; None for no such one."""
    given = written(operation, 0, "tensors") if operation.name in _JOINING else None
    given = None if given is None else origin_of(given)
    while isinstance(given, ex.Call) and given.name in ("list", "tuple"):
        given = written(given, 0)
    if isinstance(given, ex.Comprehension) and not given.conditions:
        return given.element
    return given


def _is_as_it_came(context: AnalysisContext, part: ex.Expression, operation: ex.Call) -> bool:
    found = context.values(part, operation.scope)
    return any(isinstance(value, Batch) and not value.fresh for value in found)


_OURS = frozenset({"torch", "torchvision", "numpy", "builtins"})

_TO_FLOAT = frozenset({"ToTensor"})
"""Transforms of torchvision that make `float32` of pictures."""


def are_floats(loader: Loader) -> bool:
    """Whether all transforms that are composed where the loader or its data set is made make
    `float32` of pictures.
    """
    origins = loader.context[DatasetOrigins].of_loader(loader) or ()
    scopes = dict.fromkeys([loader.call.scope, *(origin.call.scope for origin in origins)])
    composed = [call for scope in scopes for call in scope.calls if call.name == "Compose"]
    return bool(composed) and all(_makes_floats(loader.context, call) for call in composed)


def _makes_floats(context: AnalysisContext, compose: ex.Call) -> bool:
    given = written(compose, 0, "transforms")
    given = None if given is None else origin_of(given)
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
