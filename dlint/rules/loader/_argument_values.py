"""Single arguments of loaders: values that torch refuses, and those that concern workers only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.frontends.settings_files import Setting
from dlint.ir import expressions as ex
from dlint.library_facts import loaders as signature
from dlint.library_facts import streams
from dlint.model import devices, loader_conflicts
from dlint.model.devices import Device
from dlint.model.versions import Versions
from dlint.semantics.calls import attributes
from dlint.semantics.values import constant_folding
from dlint.semantics.values.conditional_value import ABSENT, Absent, ConditionalValue
from dlint.semantics.values.values import NONE, AllocationSite, External, Literal

if TYPE_CHECKING:
    from dlint.model.loader import Loader
    from dlint.model.loader_conflicts import Predicate

_TWO = Literal.of(2)
_CHAIN = 8
_GENERATORS = ("torch.Generator", "torch._C.Generator")
_ITERABLE = streams.BASES | signature.CHAINS
_COLLECTORS = frozenset(
    ["list", "tuple", "sorted", "set", "reversed", "islice", "cycle", "chain", "filter", "tee"]
)


class Wrong(NamedTuple):
    """A value that torch refuses, the error it raises, and what it wants."""

    name: str
    value: object
    error: str
    wanted: str
    assumed: str | None
    tested: tuple[str, ...] = ()
    """The names in the tests that give this value, where others give one that is right."""


class _Demand(NamedTuple):
    """What torch asks of one argument: the error for a constant, None for one that is right."""

    wanted: str
    error: Callable[[Literal], str | None]


def _is_number(value: Literal) -> bool:
    return value.kind in ("int", "float")


def _below(value: Literal, bound: int) -> bool:
    return isinstance(value.value, int | float) and value.value < bound


def _batch_size(value: Literal) -> str | None:
    right = value.kind == "NoneType" or (value.kind == "int" and not _below(value, 1))
    return None if right else "ValueError"


def _num_workers(value: Literal) -> str | None:
    if value.kind in ("str", "NoneType"):
        return "TypeError"
    return "ValueError" if _below(value, 0) else None


def _timeout(value: Literal) -> str | None:
    return "ValueError" if _is_number(value) and _below(value, 0) else None


def _prefetch_factor(value: Literal) -> str | None:
    if not _is_number(value) or not _below(value, 1):
        return None
    return "ValueError" if _below(value, 0) else "AssertionError at the first batch"


_DEMANDS = {
    "batch_size": _Demand("a positive int", _batch_size),
    "num_workers": _Demand("an int of 0 or more", _num_workers),
    "timeout": _Demand("0 or a number of seconds", _timeout),
    "prefetch_factor": _Demand("a positive int, or None without workers", _prefetch_factor),
}


def wrong(loader: Loader) -> Iterator[Wrong]:
    """The constants that torch refuses, on paths that are certainly taken."""
    for name, demand in _DEMANDS.items():
        for alternative in loader.argument(name):
            value = alternative.value
            error = demand.error(value) if isinstance(value, Literal) else None
            if error is None or not _is_certain(loader, name, alternative):
                continue
            assert isinstance(value, Literal)
            if name == "prefetch_factor" and not _has_workers(loader):
                error = "an error"
            tested = _tested(alternative) if _is_right_elsewhere(loader, name, demand) else ()
            yield Wrong(name, value.value, error, demand.wanted, alternative.assumed, tested)


def _is_right_elsewhere(loader: Loader, name: str, demand: _Demand) -> bool:
    """Whether the argument has other values too, which torch takes."""
    given = (a.value for a in loader.argument(name))
    return any(not isinstance(v, Literal) or demand.error(v) is None for v in given)


def _tested(alternative: ConditionalValue) -> tuple[str, ...]:
    """The names in the tests that a value depends on."""
    return tuple(sorted({n for c in alternative.path_condition for n in _names(c.test)}))


def _names(key: object) -> Iterator[str]:
    if isinstance(key, ex.Definition):
        yield key.name
    elif isinstance(key, tuple):
        if key[:1] in ((".",), ("name",)):
            yield str(key[-1])
        else:
            for part in key:
                yield from _names(part)


def _has_workers(loader: Loader) -> bool:
    """Whether there are certainly workers, which are what asks for a queue of batches."""
    return all(map(_is_positive, loader.argument("num_workers")))


def _is_certain(loader: Loader, name: str, alternative: ConditionalValue) -> bool:
    if not all(condition.is_test for condition in alternative.path_condition) or not loader.is_made:
        return False
    if _is_decided_truth(alternative):
        return False
    if name == "batch_size" and any(not is_absent(a) for a in loader.argument("batch_sampler")):
        return False
    if alternative.assumed is not None and (
        alternative.path_condition or not _is_meant(alternative)
    ):
        return False
    return alternative.assumed is None or loader_conflicts.stands(loader, alternative)


def _is_decided_truth(alternative: ConditionalValue) -> bool:
    """Whether True stands for something of which only that is known: `size or 32`."""
    value = alternative.value
    written = isinstance(alternative.source, ex.Constant)
    return isinstance(value, Literal) and value.kind == "bool" and not written


def _is_meant(alternative: ConditionalValue) -> bool:
    """Whether a default is the number that arrives: argparse converts texts, None is replaced."""
    value, source = alternative.value, alternative.source
    divided = isinstance(source, ex.Binary) and source.operator == "/"
    return divided or (isinstance(value, Literal) and value.kind == "int")


# -- what concerns workers


def is_absent(alternative: ConditionalValue) -> bool:
    """Whether an argument is not given, or is None."""
    return alternative.value in (ABSENT, NONE)


def is_zero(alternative: ConditionalValue) -> bool:
    """Whether `num_workers` is 0, or not given."""
    value = alternative.value
    return value == ABSENT or (
        isinstance(value, Literal) and value.kind in ("int", "bool") and value.value == 0
    )


def _is_given(alternative: ConditionalValue) -> bool:
    return isinstance(alternative.value, Literal) and not is_absent(alternative)


def _is_context(alternative: ConditionalValue) -> bool:
    value = alternative.value
    if isinstance(value, AllocationSite) and isinstance(value.origin, External):
        return value.origin.path.endswith("get_context")
    return isinstance(value, Literal) and value.kind == "str"


def is_true(alternative: ConditionalValue) -> bool:
    """Whether an argument is certainly true."""
    return alternative.truth is True


def _is_positive(alternative: ConditionalValue) -> bool:
    value = alternative.value
    return isinstance(value, Literal) and _is_number(value) and not is_zero(alternative)


NEED_WORKERS: dict[str, Predicate] = {
    "prefetch_factor": _is_given,
    "persistent_workers": is_true,
    "multiprocessing_context": _is_context,
    "timeout": _is_positive,
}
"""Arguments that raise without workers, and which of their values do."""


# -- what excludes one another


def is_none(alternative: ConditionalValue) -> bool:
    """Whether an argument is given as None."""
    return alternative.value == NONE


def is_sampler(alternative: ConditionalValue) -> bool:
    """Whether an argument is certainly an object that is not None."""
    return constant_folding.is_object(alternative.value)


def _is_batch_size(alternative: ConditionalValue) -> bool:
    """Whether a `batch_size` is another than the default of 1, which alone is let pass."""
    value = alternative.value
    return isinstance(value, Literal) and value.value != 1


DECIDED_BY_BATCH_SAMPLER: dict[str, Predicate] = {
    "batch_size": _is_batch_size,
    "shuffle": is_true,
    "sampler": is_sampler,
    "drop_last": is_true,
}
"""Arguments that a `batch_sampler` excludes, and which of their values."""

CHOOSE_BY_INDEX: dict[str, Predicate] = {
    "shuffle": is_true,
    "sampler": is_sampler,
    "batch_sampler": is_sampler,
}
"""Arguments that an iterable dataset excludes, and which of their values."""


def is_iterable(loader: Loader) -> Predicate:
    """Tells whether a dataset is certainly an iterable one that takes no order from outside."""
    classes = loader.context.solver.classes
    collected = _is_collected(loader.written("dataset"))

    def judge(alternative: ConditionalValue) -> bool:
        value = alternative.value
        if collected or isinstance(value, Absent):
            return False
        if isinstance(value, AllocationSite) and isinstance(value.origin, External):
            return value.origin.path in _ITERABLE
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


def is_tolerated(loader: Loader, name: str, alternative: ConditionalValue) -> bool:
    """Whether every torch version of the project takes it: 2 was `prefetch_factor`'s default."""
    if not was_default(loader, name, alternative):
        return False
    admitted = loader.context[Versions].torch(loader.call.scope.module.path)
    return not admitted.ever("prefetch-factor-defaults-to-none")


def was_default(loader: Loader, name: str, alternative: ConditionalValue) -> bool:
    """Whether a version of torch that the project admits takes it, as its default."""
    if name != "prefetch_factor" or alternative.value != _TWO:
        return False
    admitted = loader.context[Versions].torch(loader.call.scope.module.path)
    return not admitted.always("prefetch-factor-defaults-to-none")


def is_idle(loader: Loader, name: str) -> bool:
    """Whether an argument for workers is given to a loader that certainly has none."""
    given = loader.argument(name)
    if name == "in_order":
        given = [a for a in given if a.truth is False]
    spelled = loader.written(name)
    if spelled is None or not given or any(is_absent(a) for a in given):
        return False
    counts = [a for a in loader.argument("num_workers") if a.value != ABSENT]
    if any(a.assumed or not isinstance(a.source, ex.Constant | Setting) for a in counts):
        return False  # an object may be made with another number, elsewhere or another time
    return loader.is_spelled_out and loader.workers_absent


def guarded(name: str, value: ex.Expression | None, workers: str | None) -> str | None:
    """The text of a constant argument that is given only where there are workers."""
    known = ex.constant(value)
    if known is None:
        return None
    if name == "persistent_workers":
        return f"{workers} > 0"
    text = value.name if isinstance(value, ex.Reference) else literal(known.value)
    return f"{text} if {workers} > 0 else {0 if name == 'timeout' else None}"


def literal(value: object) -> str:
    """A constant as source text, with the quotes that most people write."""
    return f'"{value}"' if isinstance(value, str) and value.isidentifier() else repr(value)


# -- the generator


def gpu_generator(loader: Loader) -> Place | None:
    """Where a generator of a GPU is made for the loader; None where it may be another one."""
    context = loader.context
    for value in loader.values("generator"):
        if not isinstance(value, AllocationSite) or not isinstance(value.origin, External):
            return None
        given = written(value.call, 0, "device")
        if value.origin.path not in _GENERATORS or given is None:
            return None
        found = devices.devices(context, given, value.call.scope)
        if Device.CUDA in found and not devices.may_change_default(context):
            return context.place_of(value.call)
    return None


def shuffled_by_cpu(loader: Loader) -> Place | None:
    """Where a GPU becomes the default device of a loader that shuffles with a CPU generator."""
    if not any(a.truth is True and a.assumed is None for a in loader.argument("shuffle")):
        return None
    names = ("sampler", "batch_sampler")
    if not all(is_absent(a) for name in names for a in loader.argument(name)):
        return None
    given = loader.values("generator") - {NONE}
    if not all(is_absent(a) for a in loader.argument("generator")) and not (
        given and all(_is_of_cpu(loader, value) for value in given)
    ):
        return None
    call = devices.gpu_by_default(loader.context, loader.call)
    return None if call is None else loader.context.place_of(call)


def _is_of_cpu(loader: Loader, value: object) -> bool:
    """Whether a generator is one of the CPU: torch makes no other, whatever the default device."""
    if not isinstance(value, AllocationSite) or not isinstance(value.origin, External):
        return False
    if value.origin.path not in _GENERATORS:
        return False
    given = written(value.call, 0, "device")
    if given is None:
        return not value.call.arguments
    return devices.devices(loader.context, given, value.call.scope) == {Device.CPU}
