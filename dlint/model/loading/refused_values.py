"""Single arguments of loaders that torch refuses.

Question: which constants does a loader get that torch raises for, on a path that is certainly
taken? Given up on: values that no constant tells, and defaults that the code looks at first, or
for which a command that the project writes down gives another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.model.loading import loader_conflicts
from dlint.model.loading.exclusive_arguments import is_number, is_positive
from dlint.model.loading.told_options import is_given_in_texts
from dlint.semantics.values.conditional_value import ConditionalValue
from dlint.semantics.values.values import Literal

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader


_PARAMETER = lazily(r"default of parameter `[^`]+`")


class RefusedValue(NamedTuple):
    """A value that torch refuses, the error it raises, and what it wants."""

    name: str
    value: object
    error: str
    wanted: str
    assumed: str | None
    tested: tuple[str, ...] = ()
    """The names in the tests that give this value, where others give one that is right."""
    default: ex.Expression | None = None
    """Where it is written as a default that no call of the project is known to leave as it is."""


class _Demand(NamedTuple):
    """What torch asks of one argument: the error for a constant, None for one that is right."""

    wanted: str
    error: Callable[[Literal], str | None]


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
    return "ValueError" if is_number(value) and _below(value, 0) else None


def _prefetch_factor(value: Literal) -> str | None:
    if not is_number(value) or not _below(value, 1):
        return None
    return "ValueError" if _below(value, 0) else "AssertionError at the first batch"


_DEMANDS = {
    "batch_size": _Demand("a positive int", _batch_size),
    "num_workers": _Demand("an int of 0 or more", _num_workers),
    "timeout": _Demand("0 or a number of seconds", _timeout),
    "prefetch_factor": _Demand("a positive int, or None without workers", _prefetch_factor),
}


def refused_values(loader: Loader) -> Iterator[RefusedValue]:
    """The constants that torch refuses, on paths that are certainly taken."""
    for name, demand in _DEMANDS.items():
        for alternative in loader.argument(name):
            value = alternative.value
            error = demand.error(value) if isinstance(value, Literal) else None
            if error is None or not _is_certain(loader, name, alternative):
                continue
            assert isinstance(value, Literal)
            if name == "prefetch_factor" and not _has_workers(loader, alternative):
                error = "an error"
            tested = _tested(alternative) if _is_right_elsewhere(loader, name, demand) else ()
            assumed, default = alternative.assumed, _default(alternative)
            if default is None or not is_given_in_texts(loader, assumed or ""):
                yield RefusedValue(
                    name, value.value, error, demand.wanted, assumed, tested, default
                )


def refused_default(loader: Loader) -> object | None:
    """What is one for all loaders of a function to which the same default is given, and refused."""
    refused = next(refused_values(loader), None)
    default = None if refused is None else refused.default
    return None if default is None else (loader.call.scope, default)


def _default(alternative: ConditionalValue) -> ex.Expression | None:
    if alternative.holds_in_calls or alternative.is_spelled_out or _is_divided(alternative):
        return None
    return alternative.source


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


def _has_workers(loader: Loader, alternative: ConditionalValue) -> bool:
    """Whether there are certainly workers, which are what asks for a queue of batches.

    What a test gives may be what is given where there are none.
    """
    workers = loader.argument("num_workers")
    return not alternative.path_condition and all(map(is_positive, workers))


def _is_certain(loader: Loader, name: str, alternative: ConditionalValue) -> bool:
    if not all(condition.is_test for condition in alternative.path_condition) or not loader.is_made:
        return False
    if _is_decided_truth(alternative):
        return False
    if name == "batch_size" and loader.gives("batch_sampler"):
        return False
    if alternative.assumed is not None and (
        not all(condition.is_of_call for condition in alternative.path_condition)
        or not _is_meant(loader, name, alternative)
    ):
        return False
    return alternative.assumed is None or loader_conflicts.stands(loader, alternative)


def _is_decided_truth(alternative: ConditionalValue) -> bool:
    """Whether True stands for something of which only that is known: `size or 32`."""
    value = alternative.value
    written = isinstance(alternative.source, ex.Constant)
    return isinstance(value, Literal) and value.kind == "bool" and not written


def _is_meant(loader: Loader, name: str, alternative: ConditionalValue) -> bool:
    """Whether a default is what arrives: argparse converts texts.

    None of an option, or beside other values, is replaced somewhere; that of a parameter is what a
    loader gets to which nothing else comes.
    """
    value = alternative.value
    if alternative.is_none:
        is_parameter = _PARAMETER.fullmatch(alternative.assumed or "") is not None
        return is_parameter and all(a.is_none for a in loader.argument(name))
    return _is_divided(alternative) or (isinstance(value, Literal) and value.kind == "int")


def _is_divided(alternative: ConditionalValue) -> bool:
    """Whether a default is what a division gives: of another number, that is no int either."""
    source = alternative.source
    return isinstance(source, ex.Binary) and source.operator == "/"
