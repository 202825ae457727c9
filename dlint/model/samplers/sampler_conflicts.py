"""Samplers beside a true `shuffle`, on one and the same path."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.value_parts import origin_of
from dlint.ir import expressions as ex
from dlint.model.loading import loader_conflicts
from dlint.model.loading.config_origins import restated
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues

if TYPE_CHECKING:
    from dlint.findings.operations import Operation
    from dlint.model.loading.loader import Loader


class SamplerConflict(NamedTuple):
    """A true `shuffle` beside a sampler, which is certain where the sampler is never None."""

    is_certain: bool
    assumed: str | None
    """The default by which `shuffle` is true; None where it is given."""
    restating: Operation | None
    """What turns `shuffle` off in the settings file that turns it on; None where none does."""


def sampler_conflict(loader: Loader) -> SamplerConflict | None:
    """A sampler that is not None and a `shuffle` that is true under compatible conditions."""
    if not loader.is_made or loader_conflicts.is_expected(loader):
        return None
    if _asks_for_none(loader):
        return None
    wanted = loader.argument("shuffle")
    shuffles = [a for a in wanted if a.truth is True and not _is_option(a)]
    if not shuffles:
        return None
    given = loader.argument("sampler")
    certain = all(a.is_object for a in given)
    for sampler in given:
        if not sampler.is_object or _is_off_with(sampler, wanted):
            continue
        for shuffle in shuffles:
            if _meet(sampler, shuffle, certain) and loader_conflicts.stands(loader, shuffle):
                stated = loader.written("shuffle") is None
                restating = restated(shuffle, "False") if stated else None
                return SamplerConflict(certain, shuffle.assumed, restating)
    return None


def _asks_for_none(loader: Loader) -> bool:
    """Whether `shuffle` is written as `sampler is None`, or `not sampler`."""
    shuffle, sampler = loader.given("shuffle"), loader.given("sampler")
    test = None if shuffle is None else origin_of(shuffle[0])
    if shuffle is None or sampler is None:
        return False
    asked = test.operand if isinstance(test, ex.Unary) and test.operator == "not" else None
    if isinstance(test, ex.Comparison) and test.operator in ("is", "==") and _is_none(test.right):
        asked = test.left
    return asked is not None and conditions.key(asked, shuffle[1]) == conditions.key(*sampler)


def _is_none(expression: ex.Expression) -> bool:
    constant = ex.constant(expression)
    return constant is not None and constant.value is None


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
