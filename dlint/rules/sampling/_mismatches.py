"""Samplers that do not fit their loader: another dataset's, batches for indices, few weights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Question, Slice, origin_of
from dlint.analyses.calls import calls_to
from dlint.analyses.written_arguments import written as argument_written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import samplers as knowledge
from dlint.semantics.calls import arguments
from dlint.semantics.values.conditional_value import ABSENT, Absent
from dlint.semantics.values.values import NONE, AllocationSite, External, Literal, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

_TRAIN = re.compile(r"(^|_)(train|training|trn)($|_)|^train", re.I)
_HELD_OUT = re.compile(r"(^|_)(val|valid|validation|test|eval|dev)($|_)|^(val|test|eval)", re.I)
_CONVERTING = frozenset(
    {"tensor", "as_tensor", "FloatTensor", "DoubleTensor", "Tensor", "from_numpy", "array"}
    | {"asarray", "float", "double", "cpu", "to", "numpy", "tolist", "list"}
)
"""Calls that keep the entries of what they are given, or are called on."""

_COUNTING = frozenset({"bincount", "compute_class_weight"})
_SCALING = frozenset({"/", "*", "**", "+"})

Written = tuple[ex.Expression, "CallContext"]


def written(
    context: AnalysisContext, made: AllocationSite, signatures: arguments.Signatures, name: str
) -> Written | None:
    """The expression that a library sampler's parameter is given."""
    passed = context.solver.passed.get(made)
    positional = arguments.signature(context.solver, made.origin, signatures)
    return None if passed is None or positional is None else passed.written(positional, name)


class Foreign(NamedTuple):
    """A sampler over one dataset in the loader of another, by the names they go by."""

    sampler: AllocationSite
    own: str
    other: str


def foreign(loader: Loader) -> Foreign | None:
    """A training set's sampler for held-out data, or the other way round."""
    dataset = loader.given("dataset")
    for value in loader.values("sampler"):
        names = knowledge.OVER_DATASET.get(sampler_path(value))
        if dataset is None or names is None or not isinstance(value, AllocationSite):
            continue
        source = written(loader.context, value, knowledge.OVER_DATASET, names[0])
        if source is not None and _are_apart(dataset[0], source[0]):
            own, other = ex.dotted(dataset[0]), ex.dotted(source[0])
            if own is not None and other is not None:
                return Foreign(value, own, other)
    return None


def _are_apart(one: ex.Expression, other: ex.Expression) -> bool:
    """Whether one name speaks of training data and the other of held-out data, and means it."""
    if not isinstance(one, ex.Reference | ex.Attribute) or type(one) is not type(other):
        return False
    assert isinstance(other, ex.Reference | ex.Attribute)
    roles = {_role(one.name), _role(other.name)}
    if roles != {"train", "held out"}:
        return False
    first, second = origin_of(one), origin_of(other)
    return (
        first is not second
        and not _mentions(first, other)
        and not _mentions(second, one)
        and (not _are_alike(first, second))
    )


def _role(name: str) -> str:
    train, held_out = _TRAIN.search(name), _HELD_OUT.search(name)
    return "" if bool(train) is bool(held_out) else "train" if train else "held out"


def _mentions(expression: ex.Expression, name: ex.Expression) -> bool:
    """Whether one dataset is made of the other."""
    text = ex.dotted(name)
    return any(ex.dotted(part) == text for part in walk.walk(expression))


def _are_alike(one: ex.Expression, other: ex.Expression) -> bool:
    """Two calls that differ in nothing that is written out: views of the same data."""
    if not isinstance(one, ex.Call) or not isinstance(other, ex.Call):
        return False
    return ex.dotted(one.function) == ex.dotted(other.function) and (
        _constants(one) == _constants(other)
    )


def _constants(call: ex.Call) -> list[object]:
    return [
        part.value
        for argument in call.arguments
        for part in walk.walk(argument.value)
        if isinstance(part, ex.Constant)
    ]


def subset_of_subset(loader: Loader) -> bool:
    """`DataLoader(Subset(ds, indices), sampler=SubsetRandomSampler(indices))`."""
    subsets = {"torch.utils.data.Subset": ("dataset", "indices")}
    subsets["torch.utils.data.dataset.Subset"] = subsets["torch.utils.data.Subset"]
    inner = _definitions(loader, "dataset", subsets)
    return bool(inner & _definitions(loader, "sampler", knowledge.SUBSETS))


def _definitions(loader: Loader, name: str, signatures: arguments.Signatures) -> set[ex.Definition]:
    """The names by which indices are given to what an argument holds."""
    values = loader.values(name)
    if len(values) != 1:
        return set()
    found = (
        written(loader.context, value, signatures, "indices")
        for value in values
        if isinstance(value, AllocationSite)
    )
    return {
        given[0].definition
        for given in found
        if given is not None
        and isinstance(given[0], ex.Reference)
        and given[0].definition is not None
    }


def is_batching(loader: Loader) -> bool:
    """Whether `sampler` is certainly torch's `BatchSampler`, which yields lists."""
    return _all_in(loader, "sampler", knowledge.BATCHING)


def is_not_batching(loader: Loader) -> bool:
    """Whether `batch_sampler` is certainly a sampler that yields one index at a time."""
    return _all_in(loader, "batch_sampler", knowledge.PLAIN)


def _all_in(loader: Loader, name: str, paths: frozenset[str]) -> bool:
    found = [a.value for a in loader.argument(name) if a.value not in (ABSENT, NONE)]
    return bool(found) and all(
        not isinstance(value, Absent) and sampler_path(value) in paths for value in found
    )


def class_weights(context: AnalysisContext) -> Iterator[ex.Call]:
    """Weighted samplers whose weights have an entry for each class, not for each sample."""
    for call in calls_to(context, *knowledge.WEIGHTED):
        for value in context.values(call, call.scope):
            if isinstance(value, AllocationSite) and sampler_path(value) in knowledge.WEIGHTED:
                given = written(context, value, knowledge.WEIGHTED, "weights")
                count = written(context, value, knowledge.WEIGHTED, "num_samples")
                if given is not None and (
                    Slice(context, _BY_CLASS).of(*given)
                    or (count is not None and _is_few(given[0], count[0]))
                ):
                    yield call
                    break


def sampler_path(value: Value) -> str:
    """The path of the library class that an object is made from; empty for others."""
    if isinstance(value, AllocationSite) and isinstance(value.origin, External):
        return value.origin.path
    return ""


def _of_arithmetic(slice_: Slice[bool], binary: ex.Binary, frame: CallContext) -> bool:
    sides = (binary.left, binary.right)
    return binary.operator in _SCALING and any(slice_.of(side, frame) for side in sides)


def _of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    if call.name in _COUNTING:
        return True
    if call.name not in _CONVERTING:
        return None
    receiver = call.function.value if isinstance(call.function, ex.Attribute) else None
    parts = (argument_written(call, 0), receiver)
    return any(slice_.of(part, frame) for part in parts if part is not None)


_BY_CLASS: Question[bool] = Question(False, all, {ex.Binary: _of_arithmetic, ex.Call: _of_call})
"""Whether weights are computed from the counts of classes, and not looked up by label.

Arithmetic and conversions keep that, indexing loses it.
"""


def _is_few(weights: ex.Expression, count: ex.Expression) -> bool:
    """A written list of weights for the length of a dataset."""
    weights = origin_of(weights)
    if isinstance(weights, ex.Call) and weights.name in _CONVERTING:
        weights = origin_of(argument_written(weights, 0) or weights)
    written_out = isinstance(weights, ex.Sequence) and all(
        isinstance(item, ex.Constant) for item in weights.items
    )
    count = origin_of(count)
    return (
        written_out
        and isinstance(count, ex.Call)
        and count.name == "len"
        and not any(origin_of(a.value) is weights for a in count.arguments)
    )


def batch_sizes(loader: Loader) -> set[object]:
    """The sizes that a loader may be given; torch's default is 1."""
    default = Literal.of(1)
    return {default if a.value == ABSENT else a.value for a in loader.argument("batch_size")}
