"""Collation: whose samples torch's own collate function makes batches of.

Question: which loaders give the samples of just this class, as its `__getitem__` returns them, to
the default collate function? Followed are torch's own parts of data sets (`Subset`, `random_split`,
`ConcatDataset`); a wrapper of the project stands between, so that nothing is said behind one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.library_facts.collation import PADDING, STACK, STACKING
from dlint.model.samples.sample_sources import sources_of
from dlint.semantics.calls import attributes
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import (
    NONE,
    External,
    FunctionObject,
    Value,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.model.loading.loader import Loader


def collates_by_default(loader: Loader) -> bool:
    """Whether samples come to torch's own collate function, several to a batch."""
    sizes = loader.argument("batch_size")
    return converts_by_default(loader) and not any(a.is_none for a in sizes)


def makes_large_batches(loader: Loader) -> bool:
    """Whether a batch certainly holds more than one sample."""
    numbers = [a.integer for a in loader.argument("batch_size")]
    return bool(numbers) and all(n is not None and n > 1 for n in numbers)


def converts_by_default(loader: Loader) -> bool:
    """Whether torch itself makes tensors of the samples, in batches or one by one."""
    return not loader.gives("collate_fn")


def stacks_samples(loader: Loader) -> bool:
    """Whether samples are certainly stacked, so that all of them have one shape.

    Of a function of the project its own calls count: it stacks, and pads nothing.
    """
    given = [a.value for a in loader.argument("collate_fn")]
    return all(value in (ABSENT, NONE) or _stacks(loader.context, value) for value in given)


def _stacks(context: AnalysisContext, value: object) -> bool:
    if isinstance(value, External):
        return value.path in STACKING
    if not isinstance(value, FunctionObject):
        return False
    called = [path for call in value.scope.calls for path in library_callees(context, call)]
    return not STACK.isdisjoint(called) and PADDING.isdisjoint(called)


def sample_sources(loader: Loader) -> frozenset[Value]:
    """The data sets whose samples a loader takes as they are, torch's parts of them left out."""
    return sources_of(loader.context, loader.values("dataset") - {NONE})


def takes_samples_of(loader: Loader, cls: Class) -> bool:
    """Whether the samples of a loader are those of this class, and of none other."""
    sources = sample_sources(loader)
    return bool(sources) and all(attributes.project_class(v) is cls for v in sources)
