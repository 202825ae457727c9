"""exclusive-loader-arguments: arguments that torch refuses together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import RemoveArgument
from dlint.model.loading.exclusive_arguments import (
    excluded_by_batch_sampler,
    excluded_by_iterable,
    excluded_without_batches,
)
from dlint.model.loading.loader_conflicts import Conflict, is_expected
from dlint.model.loading.loaders import Loaders

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_PLACEHOLDER = {"batch_size": "1", "shuffle": "False", "drop_last": "False"}


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders whose arguments exclude each other."""
    for group in context[Loaders].told():
        for loader in group:
            if is_expected(loader):
                continue
            found = _batch_sampler(loader) or _no_batches(loader) or _iterable(loader)
            if found is not None:
                yield found
                break


def _batch_sampler(loader: Loader) -> Finding | None:
    """What a batch sampler decides by itself."""
    found = excluded_by_batch_sampler(loader)
    if not found:
        return None
    met = next(iter(found.values()))
    message = (
        f"DataLoader raises ValueError{_when(met, 'batch_sampler', 'given')}: `batch_sampler` "
        f"makes whole batches, so it excludes {_named(found)}; leave {_them(found)} to the "
        "batch sampler"
    )
    at = loader.argument_place(*found)
    removable = met.always and "sampler" not in found
    fix = _fix(loader, found, Applicability.SAFE) if removable else None
    return Finding(Severity.ERROR, message, loader.place, _passed_here(loader), fix, at)


def _no_batches(loader: Loader) -> Finding | None:
    """`drop_last` where samples are not put into batches."""
    found = excluded_without_batches(loader)
    if not found:
        return None
    met = found["drop_last"]
    message = (
        f"DataLoader raises ValueError{_when(met, 'batch_size', 'None')}: `batch_size=None` makes "
        "no batches, so there is none that `drop_last` could drop; leave `drop_last` out"
    )
    at = loader.argument_place("drop_last")
    fix = _fix(loader, found, Applicability.SAFE) if met.always else None
    return Finding(Severity.ERROR, message, loader.place, _passed_here(loader), fix, at)


def _iterable(loader: Loader) -> Finding | None:
    """An order of indices for a dataset that has none."""
    found = excluded_by_iterable(loader)
    if not found:
        return None
    met = next(iter(found.values()))
    always = "" if met.always else " whenever the dataset is an iterable one"
    message = (
        f"DataLoader raises ValueError{always}: an IterableDataset has no indices, so "
        f"{_named(found)} cannot choose among them; order and share out the samples in its "
        "`__iter__`"
    )
    at = loader.argument_place(*found)
    fix = _fix(loader, found, Applicability.UNSAFE) if found.keys() == {"shuffle"} else None
    return Finding(Severity.ERROR, message, loader.place, _passed_here(loader), fix, at)


def _when(met: Conflict, name: str, value: str) -> str:
    return "" if met.always else f" whenever `{name}` is {value}"


def _named(found: dict[str, Conflict]) -> str:
    """The arguments, with the defaults that some of them rest on."""
    parts = [
        f"`{name}`" + (f" (by the {met.second.assumed})" if met.second.assumed else "")
        for name, met in found.items()
    ]
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]


def _them(found: dict[str, Conflict]) -> str:
    return "them" if len(found) > 1 else "it"


def _passed_here(loader: Loader) -> tuple[Related, ...]:
    return (Related(loader.context_place, "called here"),) if loader.has_context else ()


def _fix(loader: Loader, found: dict[str, Conflict], applicability: Applicability) -> Fix | None:
    """Take the arguments out of a call that gives all of them itself."""
    if not loader.is_spelled_out or loader.has_context:
        return None
    if any(met.is_conditional for met in found.values()):
        return None
    removals = tuple(
        RemoveArgument(
            loader.place, loader.keyword(name), loader.position(name), _PLACEHOLDER[name]
        )
        for name in found
    )
    names = " and ".join(f"`{name}`" for name in found)
    return Fix(applicability, f"Leave out {names}", removals)
