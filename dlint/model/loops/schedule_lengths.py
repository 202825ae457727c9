"""Schedules as long as a loader was before processes divided its batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import Bound, bind
from dlint.analyses.calls import calls_anywhere, calls_to, library_callees
from dlint.analyses.control.path_tests import can_run
from dlint.analyses.lists import listed_items
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import schedules as known
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.step_counts import Count, counts_of
from dlint.model.samplers.index_order import makes_sampler
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import (
    FALSE,
    NONE,
    AllocationSite,
    Container,
    FunctionObject,
    Literal,
    Value,
    is_of_library,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader


class LongSchedule(NamedTuple):
    """A schedule that is too long, by the length of a loader that this call divides."""

    length: Place
    """Where the length is asked for."""
    schedule: Place
    division: Place
    method: str
    """The name of the method that divides."""
    is_prepared: bool
    steady_by: str | None = None
    """The default by which it is one that asks for no length."""


def long_schedules(context: AnalysisContext) -> Iterator[LongSchedule]:
    """The schedules that can be made and have more steps than a process takes."""
    for schedule in calls_to(context, *known.SCHEDULES):
        if can_run(context, schedule):
            yield from _uses(context, schedule)
    for schedule in calls_to(context, *known.BY_FUNCTION):
        if can_run(context, schedule):
            yield from _uses_in_function(context, schedule)


def _uses(context: AnalysisContext, schedule: ex.Call) -> Iterator[LongSchedule]:
    paths = set(library_callees(context, schedule)) & known.SCHEDULES.keys()
    kinds = {known.SCHEDULES[path] for path in paths}
    root = context.solver.root(schedule.scope)
    for kind in kinds if len(kinds) == 1 else ():
        given = bind(context, schedule, *kind.parameters)
        steady = _steady(given) if "name" in kind.parameters else []
        if any(assumed is None for assumed in steady):
            continue
        for name in kind.lengths:
            expression = given.get(name)
            for count in () if expression is None else counts_of(context, expression, root):
                use = _use(context, schedule, count)
                if use is not None:
                    yield use._replace(steady_by=next(iter(steady), None))


def _uses_in_function(context: AnalysisContext, schedule: ex.Call) -> Iterator[LongSchedule]:
    """What the function of a schedule divides the number of its step by, of outside of it."""
    paths = known.BY_FUNCTION.keys() & {*library_callees(context, schedule)}
    names = known.BY_FUNCTION[paths.pop()] if len(paths) == 1 else ()
    given = bind(context, schedule, *names).get(names[-1]) if names else None
    found: dict[LongSchedule, None] = {}
    for value in () if given is None else context.values(given, schedule.scope):
        if isinstance(value, FunctionObject):
            root = context.solver.root(value.scope)
            for divisor in _divisors(value.scope):
                uses = (_use(context, schedule, c) for c in counts_of(context, divisor, root))
                found |= dict.fromkeys(use for use in uses if use is not None)
    yield from found


def _divisors(scope: Scope) -> Iterator[ex.Reference]:
    """The names of outside that a function divides by, or reckons what it divides by from."""
    for part in walk.parts(scope.body):
        if isinstance(part, ex.Binary) and part.operator in ("/", "//"):
            inside = (each for each in walk.walk(part.right) if isinstance(each, ex.Reference))
            yield from (name for name in inside if ex.is_free(name))


def _steady(given: Bound) -> list[str | None]:
    """What a schedule is assumed by to be one that asks for no length; None where it is written.

    What nobody knows is taken for another one.
    """
    return [
        alternative.assumed
        for alternative in given.alternatives("name")
        if isinstance(alternative.value, Literal) and alternative.value.value in known.STEADY
    ]


def _use(context: AnalysisContext, schedule: ex.Call, count: Count) -> LongSchedule | None:
    """Whether a schedule has more steps than are taken; None where that is not certain."""
    if count.loader is None or count.is_divided or not count.is_known:
        return None
    loader = context[Loaders].of(count.loader)
    division = _division(loader)
    if division is None:
        return None
    framework, call = division
    joined = _joined(context, schedule)
    prepared = _is_prepared(context, joined)
    compensated = prepared and framework == "Accelerate" and _steps_for_each(context, call)
    too_many = count.processes > 0 if compensated else count.processes >= 0
    if not too_many or (not prepared and not _is_stepped(context, joined)):
        return None
    assert count.length is not None
    place = context.place_of
    method = call.name or framework
    return LongSchedule(place(count.length), place(schedule), place(call), method, compensated)


def _division(loader: Loader) -> tuple[str, ex.Call] | None:
    """The one call that gives each process its part of a loader without a sampler."""
    found = loader.context[Consumption].of(loader.made)
    given = {
        (framework.name, call)
        for framework, call in found
        if call is not None and framework.name in known.DIVIDING
    }
    if len(given) != 1 or not makes_sampler(loader):
        return None
    name, call = given.pop()
    return None if _may_stay_whole(loader.context, call) else (name, call)


def _owners(context: AnalysisContext, call: ex.Call) -> Iterator[AllocationSite]:
    """The objects whose method a call calls."""
    callee = call.function
    values = context.values(callee.value, call.scope) if isinstance(callee, ex.Attribute) else ()
    return (value for value in values if isinstance(value, AllocationSite))


def _may_stay_whole(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether something asks for batches that are split themselves, or for one process."""
    for made in (call, *(owner.call for owner in _owners(context, call))):
        given = bind(context, made)
        for name in sorted(known.UNDIVIDED):
            if any(a.value not in (ABSENT, NONE) for a in given.alternatives(name)):
                return True
        devices = [a.value for a in given.alternatives("devices")]
        if any(getattr(value, "value", None) == 1 for value in devices):
            return True
    return False


def _steps_for_each(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether the framework steps a schedule once for each process, as by default."""
    return not any(
        a.value == FALSE
        for owner in _owners(context, call)
        for a in bind(context, owner.call).alternatives(known.STEPPING)
    )


def _joined(context: AnalysisContext, schedule: ex.Call) -> list[ex.Call]:
    """The calls that make the schedule, and those that it is a part of."""
    found = [schedule]
    for call in calls_to(context, *known.JOINING):
        paths = known.JOINING.keys() & {*library_callees(context, call)}
        given = bind(context, call, *known.JOINING[paths.pop()]).located("schedulers")
        items = () if given is None else listed_items(context, *given)
        values = (value for item in items for value in context.solver.values(*item))
        found += [call] if any(_is_made_by(value, [schedule]) for value in values) else []
    return found


def _is_prepared(context: AnalysisContext, schedules: list[ex.Call]) -> bool:
    """Whether the schedule, or something that is not known, is given to a framework."""
    for call in calls_anywhere(context, "prepare", "prepare_scheduler", "setup"):
        for argument in call.arguments:
            values = context.values(argument.value, call.scope)
            if any(_is_made_by(value, schedules) for value in values):
                return True
            if argument.star and any(isinstance(v, Container) for v in values):
                return True
    return False


def _is_made_by(value: Value, schedules: list[ex.Call]) -> bool:
    return is_of_library(value) and value.call in schedules


def _is_stepped(context: AnalysisContext, schedules: list[ex.Call]) -> bool:
    """Whether each step of a loop steps the schedule, once."""
    return any(
        _is_made_by(value, schedules)
        for call in calls_anywhere(context, "step")
        if isinstance(call.function, ex.Attribute) and not _is_repeated(call)
        for value in context.values(call.function.value, call.scope)
    )


def _is_repeated(call: ex.Call) -> bool:
    """Whether a loop over the processes steps it: `for _ in range(accelerator.num_processes)`."""
    return any(
        isinstance(part, ex.Attribute) and part.name in known.PROCESSES
        for loop in walk.enclosing_loops(call.statement)
        if loop.source is not None
        for part in walk.walk(loop.source)
    )
