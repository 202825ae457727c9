"""Arguments of one loader that torch refuses together, and those that do nothing without workers.

Question: which arguments meet a `batch_sampler`, `batch_size=None`, an iterable data set or
`num_workers=0` on one path, with values that torch raises for (`DataLoader.__init__`)? What it
means that two values meet is said by `dlint.model.loading.loader_conflicts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.frontends.settings_files import Setting
from dlint.ir import expressions as ex
from dlint.library_facts import loaders as signature
from dlint.library_facts import streams
from dlint.library_facts.seeding import EVERYTHING, SEEDERS
from dlint.model.loading.loader_conflicts import Conflict, Predicate, conflict
from dlint.model.versions.admitted import Versions
from dlint.semantics.calls import attributes
from dlint.semantics.values.conditional_value import Absent, ConditionalValue
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader

_CHAIN = 8
_DEFAULT_PREFETCH = 2
"""`prefetch_factor` up to torch 1.13."""
_ITERABLE = streams.BASES | signature.CHAINS
_COLLECTORS = frozenset(
    ["list", "tuple", "sorted", "set", "reversed", "islice", "cycle", "chain", "filter", "tee"]
)


def excluded_by_batch_sampler(loader: Loader) -> dict[str, Conflict]:
    """The arguments that a given `batch_sampler` decides by itself, with how they meet it."""
    return _meeting(loader, "batch_sampler", _is_object, _DECIDED_BY_BATCH_SAMPLER)


def excluded_without_batches(loader: Loader) -> dict[str, Conflict]:
    """`drop_last`, where it meets a `batch_size` that is written as None."""
    return _meeting(loader, "batch_size", _is_written_none, {"drop_last": _is_truthy})


def excluded_by_iterable(loader: Loader) -> dict[str, Conflict]:
    """The arguments that choose by index, where the data set is certainly an iterable one."""
    return _meeting(loader, "dataset", _is_iterable(loader), _CHOOSE_BY_INDEX)


def needing_workers(loader: Loader) -> dict[str, Conflict]:
    """The arguments that raise without workers, where there are none."""
    found = _meeting(loader, "num_workers", _is_zero, _NEED_WORKERS)
    return {name: met for name, met in found.items() if not _is_tolerated(loader, name, met.second)}


def _meeting(
    loader: Loader, first: str, is_first: Predicate, others: dict[str, Predicate]
) -> dict[str, Conflict]:
    """The arguments that meet the first one, with how."""
    return {
        name: met
        for name, is_other in others.items()
        if (met := conflict(loader, first, is_first, name, is_other))
    }


def is_number(value: Literal) -> bool:
    """Whether a constant is an int or a float; `True` is neither."""
    return value.kind in ("int", "float")


def is_positive(alternative: ConditionalValue) -> bool:
    """Whether an argument is a number other than 0."""
    value = alternative.value
    return isinstance(value, Literal) and is_number(value) and not _is_zero(alternative)


def _is_zero(alternative: ConditionalValue) -> bool:
    """Whether `num_workers` is 0, or not given."""
    value = alternative.value
    return alternative.is_absent or (
        isinstance(value, Literal) and value.kind in ("int", "bool") and value.value == 0
    )


def _is_given(alternative: ConditionalValue) -> bool:
    return alternative.is_constant and not alternative.is_none


def _is_context(alternative: ConditionalValue) -> bool:
    if alternative.maker is not None:
        return alternative.maker.endswith("get_context")
    return alternative.text is not None


def _is_truthy(alternative: ConditionalValue) -> bool:
    return alternative.truth is True


def _is_object(alternative: ConditionalValue) -> bool:
    return alternative.is_object


def _is_written_none(alternative: ConditionalValue) -> bool:
    """Whether None is meant: as a default it stands for a value that is to be given."""
    return alternative.is_none and alternative.assumed is None


def _is_batch_size(alternative: ConditionalValue) -> bool:
    """Whether a `batch_size` is another than the default of 1, which alone is let pass."""
    return alternative.is_constant and alternative.constant != 1


_NEED_WORKERS: dict[str, Predicate] = {
    "prefetch_factor": _is_given,
    "persistent_workers": _is_truthy,
    "multiprocessing_context": _is_context,
    "timeout": is_positive,
}
"""Arguments that raise without workers, and which of their values do."""

_DECIDED_BY_BATCH_SAMPLER: dict[str, Predicate] = {
    "batch_size": _is_batch_size,
    "shuffle": _is_truthy,
    "sampler": _is_object,
    "drop_last": _is_truthy,
}
"""Arguments that a `batch_sampler` excludes, and which of their values."""

_CHOOSE_BY_INDEX: dict[str, Predicate] = {
    "shuffle": _is_truthy,
    "sampler": _is_object,
    "batch_sampler": _is_object,
}
"""Arguments that an iterable dataset excludes, and which of their values."""


def _is_iterable(loader: Loader) -> Predicate:
    """Tells whether a dataset is certainly an iterable one that takes no order from outside."""
    classes = loader.context.solver.classes
    collected = _is_collected(loader.written("dataset"))

    def judge(alternative: ConditionalValue) -> bool:
        value = alternative.value
        if collected or isinstance(value, Absent):
            return False
        if alternative.maker is not None:
            return alternative.maker in _ITERABLE
        cls = attributes.project_class(value)
        bases = [] if cls is None else classes.externals(cls)
        return any(b in _ITERABLE for b in bases) and not any("DataPipe" in b for b in bases)

    return judge


def _is_collected(expression: ex.Expression | None) -> bool:
    """Whether the samples go through a list or another iterator before the loader has them."""
    for _ in range(_CHAIN):
        if isinstance(expression, ex.Reference) and expression.definition is not None:
            expression = expression.definition.value
    return isinstance(expression, ex.Call) and expression.name in _COLLECTORS


def _is_tolerated(loader: Loader, name: str, alternative: ConditionalValue) -> bool:
    """Whether every torch version of the project takes it: 2 was `prefetch_factor`'s default."""
    if not was_default(loader, name, alternative):
        return False
    admitted = loader.context[Versions].torch(loader.place.path)
    return not admitted.ever("prefetch-factor-defaults-to-none")


def was_default(loader: Loader, name: str, alternative: ConditionalValue) -> bool:
    """Whether a version of torch that the project admits takes it, as its default."""
    if name != "prefetch_factor" or alternative.integer != _DEFAULT_PREFETCH:
        return False
    admitted = loader.context[Versions].torch(loader.place.path)
    return not admitted.always("prefetch-factor-defaults-to-none")


def is_idle(loader: Loader, name: str) -> bool:
    """Whether an argument for workers is given to a loader that certainly has none."""
    given = loader.argument(name)
    if name == "in_order":
        given = [a for a in given if a.truth is False]
    spelled = loader.written(name)
    if spelled is None or not given or any(a.is_nothing or _is_seeding(a) for a in given):
        return False
    if not loader.may_get(name):
        return False  # what was called in its place gives None
    counts = [a for a in loader.argument("num_workers") if not a.is_absent]
    if any(a.assumed or not isinstance(a.source, ex.Constant | Setting) for a in counts):
        return False  # an object may be made with another number, elsewhere or another time
    return loader.is_spelled_out and loader.workers_absent


def _is_seeding(alternative: ConditionalValue) -> bool:
    """Whether what seeds a generator was called in place of being handed over: it gives None."""
    return alternative.maker in SEEDERS or alternative.maker in EVERYTHING
