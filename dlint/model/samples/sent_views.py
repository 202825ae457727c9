"""Rows of tensors that workers send as they are, with the whole tensor behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.callees import is_self
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir.module import Scope
from dlint.library_facts.tensors import STORAGE_MAKERS
from dlint.model.samplers.asked_indices import asks_for_numbers
from dlint.model.samples.sample_parts import sample_parts
from dlint.model.samples.samples import bound_callee
from dlint.semantics.values.values import NONE, External

if TYPE_CHECKING:
    from dlint.model.data.datasets import DatasetClass
    from dlint.model.loading.loader import Loader


_PLAIN = (ex.Slice, ex.Parameter, ex.Constant, ex.Binary, ex.Unary)


class SentView(NamedTuple):
    """A row of a stored tensor that a sample is, and the loader that sends it as it is."""

    row: ex.Subscript
    place: Place
    attribute: str
    loader: Loader

    @property
    def copied(self) -> str | None:
        """What sends a copy instead, where the row is `self.name[index]`; else None."""
        row = self.row
        if not isinstance(row.value, ex.Attribute) or not isinstance(row.index, ex.Reference):
            return None
        owner = row.value.value
        if not isinstance(owner, ex.Reference):
            return None
        return f"{owner.name}.{row.value.name}[{row.index.name}].clone()"


def sent_views(dataset: DatasetClass) -> Iterator[SentView]:
    """Rows of tensors that the constructor made, where no batch is made of them."""
    method = dataset.context.solver.classes.method(dataset.cls, "__getitem__")
    loader = next((x for x in dataset.own_loaders if _sends_samples(x)), None)
    if method is None or loader is None:
        return
    for part, frame in sample_parts(dataset.context, method):
        name = _kept(dataset, part, frame.scope) if isinstance(part, ex.Subscript) else None
        if isinstance(part, ex.Subscript) and name is not None and _is_tensor(dataset, name):
            yield SentView(part, Place(frame.scope.module.path, *part.span), name, loader)


def _kept(dataset: DatasetClass, row: ex.Subscript, scope: Scope) -> str | None:
    """The attribute of the data set that a view is taken of, in a method of its own."""
    if not isinstance(row.value, ex.Attribute) or not is_self(row.value.value, scope):
        return None
    if not _makes_view(row.index):
        return None
    own = scope.owner in dataset.context.solver.classes.ancestors(dataset.cls)
    return row.value.name if own else None


def _makes_view(index: ex.Expression) -> bool:
    """Whether a tensor gives a view for an index: for numbers and slices; a copy for a list."""
    whole = ex.unnamed(index)
    is_tuple = isinstance(whole, ex.Sequence) and whole.kind == "tuple"
    parts = whole.items if isinstance(whole, ex.Sequence) and is_tuple else (whole,)
    return all(isinstance(ex.unnamed(part), _PLAIN) for part in parts)


def _is_tensor(dataset: DatasetClass, attribute: str) -> bool:
    """Whether an attribute is one tensor in memory that is not shared yet."""
    state = dataset.state
    found = state.written_to(attribute)
    for write in found:
        value = write.value
        while isinstance(value, ex.Reference) and value.definition is not None:
            value = value.definition.value
        if not isinstance(value, ex.Call) or written(value, None, "mmap") is not None:
            return False
        targets = state.targets.of(value.function, write.frame)
        if not any(isinstance(t, External) and t.path in STORAGE_MAKERS for t in targets):
            return False
    return bool(found)


def _sends_samples(loader: Loader) -> bool:
    """Whether a worker sends samples as they are: nothing stacks them."""
    if loader.workers_present is None:
        return False
    given = loader.values("collate_fn")
    if given <= {NONE}:
        has_batches = any(a.value != NONE for a in loader.argument("batch_size"))
        return not has_batches and asks_for_numbers(loader)
    functions = [bound_callee(loader.context, value) for value in given]
    return all(f is not None and _keeps_samples(f.scope) for f in functions)


def _keeps_samples(scope: Scope) -> bool:
    """`lambda batch: batch`, `tuple(zip(*batch))`, `list(batch)`."""
    names = [spec.name for spec in scope.parameters if spec.name != "self"]
    return len(names) == 1 and bool(scope.returns) and all(map(_hands_on, scope.returns))


def _hands_on(result: ex.Expression) -> bool:
    match result:
        case ex.Parameter():
            return True
        case ex.Reference() if result.definition is not None:
            return _hands_on(result.definition.value)
        case ex.Starred():
            return _hands_on(result.value)
        case ex.Call() if result.name in ("tuple", "list", "zip") and len(result.arguments) == 1:
            return all(_hands_on(argument.value) for argument in result.arguments)
    return False
