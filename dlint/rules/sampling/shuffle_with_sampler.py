"""shuffle-with-sampler: torch refuses a loader that is given both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, RemoveArgument, SetArgument
from dlint.ir import expressions as ex
from dlint.model import loader_conflicts
from dlint.model.config_origins import restated
from dlint.model.loaders import Loaders
from dlint.semantics.values import conditions, constant_folding
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders with a true `shuffle` and a sampler on one and the same path."""
    for group in context[Loaders].by_call().values():
        for loader in group:
            found = _conflict(loader)
            if found is not None:
                yield _finding(loader, *found)
                break


def _conflict(loader: Loader) -> tuple[ConditionalValue, ConditionalValue] | None:
    """A sampler that is not None and a `shuffle` that is true under compatible conditions."""
    if not loader.is_made or loader_conflicts.is_expected(loader):
        return None
    wanted = loader.argument("shuffle")
    shuffles = [a for a in wanted if a.truth is True and not _is_option(a)]
    if not shuffles:
        return None
    given = loader.argument("sampler")
    certain = all(constant_folding.is_object(a.value) for a in given)
    for sampler in given:
        if not constant_folding.is_object(sampler.value) or _is_off_with(sampler, wanted):
            continue
        for shuffle in shuffles:
            if _meet(sampler, shuffle, certain) and loader_conflicts.stands(loader, shuffle):
                return sampler, shuffle
    return None


def _is_off_with(sampler: ConditionalValue, shuffles: ConditionalValues) -> bool:
    """Whether `shuffle` is false under tests that hold wherever there is this sampler."""
    return any(
        a.truth is False and a.path_condition and a.path_condition <= sampler.path_condition
        for a in shuffles
    )


def _is_option(alternative: ConditionalValue) -> bool:
    """A command line decides: nothing is proven."""
    return alternative.assumed is not None and "option" in alternative.assumed


def _meet(sampler: ConditionalValue, shuffle: ConditionalValue, certain: bool) -> bool:
    """Whether both certainly hold on some path: one of them always, or under the same tests."""
    if not conditions.compatible(sampler.path_condition, shuffle.path_condition):
        return False
    ours, theirs = sampler.path_condition, shuffle.path_condition
    if certain or not theirs - ours:
        return _are_tests(theirs) or not theirs - ours
    return not ours - theirs and _are_tests(ours)


def _are_tests(path_condition: conditions.Conditions) -> bool:
    return all(condition.is_test for condition in path_condition)


def _finding(loader: Loader, sampler: ConditionalValue, shuffle: ConditionalValue) -> Finding:
    certain = all(constant_folding.is_object(a.value) for a in loader.argument("sampler"))
    provided = "" if certain else " whenever the sampler is not None"
    how = f" (by the {shuffle.assumed})" if shuffle.assumed else ""
    related = []
    if loader.has_context:
        related.append(Related(loader.context_place, "the sampler is passed here"))
    return Finding(
        Severity.ERROR,
        f"DataLoader raises ValueError{provided}: `shuffle` is true{how} beside a `sampler`; "
        "leave `shuffle` to the sampler",
        loader.place,
        tuple(related),
        _fix(loader, shuffle, certain=certain),
        loader.argument_place("shuffle"),
    )


def _fix(loader: Loader, shuffle: ConditionalValue, *, certain: bool) -> Fix | None:
    """Take `shuffle` out, or make it depend on the sampler where that may be None."""
    operation: Operation | None
    if loader.written("shuffle") is None and (operation := restated(shuffle, "False")) is not None:
        return Fix(Applicability.UNSAFE, "Leave `shuffle` to the sampler", (operation,))
    if certain:
        operation = RemoveArgument(
            loader.place, loader.keyword("shuffle"), loader.position("shuffle"), "False"
        )
        return Fix(Applicability.SAFE, "Leave `shuffle` to the sampler", (operation,))
    sampler = loader.written("sampler")
    name = ex.dotted(sampler)
    if name is None:
        return None
    position = loader.position("shuffle")
    operation = SetArgument(loader.place, "shuffle", f"({name} is None)", position)
    return Fix(Applicability.SAFE, "Shuffle only without a sampler", (operation,))
