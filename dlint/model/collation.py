"""Collation: whose samples torch's own collate function makes batches of.

Question: which loaders give the samples of just this class, as its `__getitem__` returns them, to
the default collate function? Followed are torch's own parts of data sets (`Subset`, `random_split`,
`ConcatDataset`); a wrapper of the project stands between, so that nothing is said behind one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.library_facts.collation import PADDING, STACK, STACKING
from dlint.library_facts.passthrough import SPLITS
from dlint.semantics.calls import attributes
from dlint.semantics.calls.binding import argument_for
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.contents import contents
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    Container,
    External,
    FunctionObject,
    Value,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Store
    from dlint.model.loader import Loader

_WHOLE = {"Subset": "dataset", "ConcatDataset": "datasets"}
_TORCH = ("torch.utils.data.", "torch.utils.data.dataset.")
_MOST = 30


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
    waiting = list(loader.values("dataset") - {NONE})
    seen: set[Value] = set()
    found: set[Value] = set()
    while waiting and len(seen) < _MOST:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        inner = _parts(loader.context, value)
        waiting += inner or ()
        found |= {value} if inner is None else set()
    return frozenset(found) | (frozenset({UNKNOWN}) if waiting else frozenset())


def _parts(context: AnalysisContext, value: Value) -> list[Value] | None:
    """What torch's part of a data set, or a list, takes its samples from; None for others."""
    if isinstance(value, Container):
        node = contents(context.solver, value, None)
        context.solver.settle()
        return list(node.values)
    if not isinstance(value, AllocationSite) or not isinstance(value.origin, External):
        return None
    path = value.origin.path
    name = "dataset" if path in SPLITS else _WHOLE.get(path.rpartition(".")[2])
    if name is None or not (path in SPLITS or path.startswith(_TORCH)):
        return None
    if any(_is_replaced(context, value, store) for store in context.project.writing(name)):
        return [UNKNOWN]
    passed = context.solver.passed.get(value)
    bound = None if passed is None else argument_for(passed, 0, name).expression
    return [UNKNOWN] if bound is None else list(context.solver.values(*bound))


def _is_replaced(context: AnalysisContext, part: AllocationSite, store: Store) -> bool:
    """Whether a store may put another data set behind a part: `part.dataset = other`."""
    found = context.values(store.target.value, store.scope)
    return any(isinstance(value, AllocationSite) and value.call is part.call for value in found)


def takes_samples_of(loader: Loader, cls: Class) -> bool:
    """Whether the samples of a loader are those of this class, and of none other."""
    sources = sample_sources(loader)
    return bool(sources) and all(attributes.project_class(v) is cls for v in sources)
