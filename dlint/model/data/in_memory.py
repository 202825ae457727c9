"""Loaders whose samples are in memory, where taking one is no more than indexing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of
from dlint.analyses.calls import is_call_to
from dlint.analyses.value_parts import parts_in_function
from dlint.analyses.written_arguments import written
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.library_facts import tensors as known
from dlint.library_facts.loaders import TENSOR_DATASETS
from dlint.library_facts.passthrough import SPLITS
from dlint.library_facts.readers import READERS, Form, Kind, gives_array
from dlint.model.data.given_datasets import given_datasets
from dlint.model.samples.samples import collate_functions
from dlint.model.worth.volume import volume_of
from dlint.model.worth.worth import LARGE_BATCH, LARGE_SAMPLE
from dlint.semantics.calls import attributes
from dlint.semantics.names.dtypes import is_dtype
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    Container,
    External,
    Literal,
    Row,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader

_LARGE = lazily(r"im(a)?g|video|frame|patch|volume|audio|wave|pixel|spectro", re.I)
"""Names of tensors with samples so large that collating them pays for the way."""
_DATA = ("torch.utils.data", "torch.utils.data.dataset")
_PARTS = SPLITS | {f"{module}.Subset" for module in _DATA}
_TAKING = _PARTS | {f"{module}.ConcatDataset" for module in _DATA}
_ARRAYS = ("numpy.", "pandas.")
_MAPPING = ("mmap_mode", "mmap")
_MAPPED = frozenset({"numpy.memmap", "numpy.lib.format.open_memmap"})
_DEEP = 2
"""How many functions of the project are entered, one by the other, that make a sample."""


def tensors(loader: Loader) -> list[AllocationSite] | None:
    """The data sets of tensors in memory that a loader is given, if it is given nothing else."""
    found = list(given_datasets(loader))
    made = [v for v in found if is_of_library(v)]
    tensors = [v for v in made if library_path(v) in TENSOR_DATASETS]
    whole = [v for v in loader.values("dataset") if isinstance(v, AllocationSite)]
    known = len(whole) == len(loader.values("dataset"))
    others = set(map(library_path, made)) - _PARTS - TENSOR_DATASETS
    return tensors if tensors and known and not others else None


def only_indexes(loader: Loader) -> bool:
    """Whether torch or the project does no more for a sample than index what is in memory.

    Asked of each data set that its samples come from, behind subsets, splits and concatenations.
    What is not known counts for nothing beside what is.
    """
    if collate_functions(loader) is None:
        return False
    if tensors(loader) is not None:
        return True
    given = loader.values("dataset")
    if given and all(isinstance(value, Container) for value in given):
        return True  # a list of samples that somebody has made
    wholes = [value for value in given_datasets(loader) if value != UNKNOWN and not _is_part(value)]
    return bool(wholes) and all(_indexes(loader, value) for value in wholes)


def _is_part(value: Value) -> bool:
    """Whether a data set takes its samples from others, as they are."""
    return library_path(value) in _TAKING


def _indexes(loader: Loader, value: Value) -> bool:
    """Whether a data set of the project takes a sample with no call but those that wrap it."""
    if _is_held(value) or _is_tensor_dataset(value):
        return True  # what the samples are taken from, and is in memory
    cls = attributes.project_class(value)
    method = None if cls is None else loader.context.solver.classes.method(cls, "__getitem__")
    return method is not None and takes_no_time(loader.context, method)


def _is_tensor_dataset(value: Value) -> bool:
    """Whether a value is torch's own data set of tensors, whose samples are their rows."""
    return library_path(value) in TENSOR_DATASETS


def _is_held(value: Value) -> bool:
    """Whether a value lies in memory as it is: numbers, texts, lists of them, arrays."""
    return isinstance(value, Container | Literal | Row) or is_array(value) or _is_read(value)


def _is_read(value: Value) -> bool:
    """Whether a library function has read a file to an array."""
    path = library_path(value)
    reader = READERS.get(path)
    return gives_array(path) or (
        reader is not None and reader.kind is Kind.PAYLOAD and reader.form is not Form.OBJECT
    )


def is_array(value: Value) -> bool:
    """Whether a value is a tensor, array or table that was made in memory, in whatever form."""
    path = library_path(value)
    if isinstance(value, External) and "()" in value.path:
        path = value.path  # `table.values`
    made = path.partition("()")[0]
    return made in known.STORAGE_MAKERS or (made.startswith(_ARRAYS) and made != "numpy.memmap")


def is_mapped(value: Value) -> bool:
    """Whether a value is an array whose rows are read of its file when they are asked for."""
    call = value.call if isinstance(value, AllocationSite) else None
    mapped = call is not None and any(
        (given := written(call, None, name)) is not None
        and not (isinstance(given, ex.Constant) and not given.value)
        for name in _MAPPING
    )
    return mapped or library_path(value) in _MAPPED


def takes_no_time(context: AnalysisContext, method: Scope) -> bool:
    """Whether a function, and what it enters, gives a sample in memory another form at most."""
    level, deep = [method], _DEEP
    while not any(scope.yields for scope in level):
        further = [call for scope in level for call in scope.calls if not _is_light(context, call)]
        entered = [callees_of(context, call) if deep else [] for call in further]
        if not all(entered):
            return False
        if not further:
            return True
        level, deep = [scope for found in entered for scope in found], deep - 1
    return False


def _is_light(context: AnalysisContext, call: ex.Call) -> bool:
    if is_call_to(context, call, known.LIGHT_CALLS | known.GROUPING) or _converts(call):
        return True
    return looks_up(context, call) or context.values(call.function, call.scope) == {NONE}


def looks_up(context: AnalysisContext, call: ex.Call) -> bool:
    """`vocabulary.get(word, unknown)` of a dict in memory, `classes.index(name)` of a list."""
    if not isinstance(call.function, ex.Attribute) or call.name not in ("get", "index"):
        return False
    held = context.values(call.function.value, call.scope)
    return bool(held) and all(isinstance(value, Container) for value in held)


def _converts(call: ex.Call) -> bool:
    """`x.float()`, `x.to(torch.float32)`: a method that gives the same numbers in another form."""
    if not isinstance(call.function, ex.Attribute):
        return False
    given = [argument.value for argument in call.arguments]
    to_type = call.name == "to" and bool(given) and all(map(is_dtype, given))
    return to_type or call.name in known.LIGHT_METHODS


def is_better_without_workers(loader: Loader) -> bool:
    """Whether workers of a loader cost more than they save: small samples that lie in memory.

    Where names, or the known bytes, say that samples are large, workers may pay, and so they may
    where the batches are: each of their samples is indexed by itself.
    """
    found = tensors(loader) if may_be_better_without_workers(loader) else None
    return found is not None and is_small(loader, [name for one in found for name in _named(one)])


def may_be_better_without_workers(loader: Loader) -> bool:
    """Whether a loader has workers, and torch itself makes its batches of samples."""
    if loader.workers.positive is None or not loader.is_made or not loader.is_iterated:
        return False
    return not loader.gives("collate_fn")


def is_small(loader: Loader, names: Iterable[str]) -> bool:
    """Whether samples are small, by the bytes that are known or by their names, and few a batch."""
    volume = volume_of(loader)
    many, size = volume.batch_size, volume.sample_bytes
    if many is not None and many.low >= LARGE_BATCH.value:
        return False
    if size is not None:
        return size.low < LARGE_SAMPLE.value
    return not any(map(_LARGE.search, names))


def _named(dataset: AllocationSite) -> Iterator[str]:
    """The names of the tensors that a data set is made of, and of what these are made of."""
    for argument in dataset.call.arguments:
        for part in parts_in_function(argument.value):
            if isinstance(part, ex.Reference | ex.Attribute):
                yield part.name
