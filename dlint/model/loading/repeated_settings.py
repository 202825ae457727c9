"""Start methods that are set where one is set already.

Question: which calls of `set_start_method` come after another one, after themselves, after what
fixes the method by asking for the default context, or in a process that `multiprocessing` started?
Silent where a call forces its method, where a test asks first, or where an error is handled.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to, is_call_to
from dlint.analyses.control.caught import is_caught
from dlint.analyses.control.made_again import chains_of, made_again
from dlint.analyses.control.path_tests import can_run, tests_of_call
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.start_methods import ASKERS, FIXING, SETTERS
from dlint.model.workers.starting import launches_with_method
from dlint.semantics.values.values import FALSE, NONE, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.control.made_again import Again


class Repetition(Enum):
    """How a method comes to be set when one is set."""

    ROUND = "a loop, at its place, makes the call in each round"
    CALL = "the function of the call is called again, there"
    OTHER = "another call, there, has set a method before"
    LAUNCH = "a call, there, starts the process by a method of its own"


class RepeatedSetting(NamedTuple):
    """A call of `set_start_method` that raises, how it comes to that, and where that begins."""

    place: Place
    by: Repetition
    cause: Place


def repeated_settings(context: AnalysisContext) -> Iterator[RepeatedSetting]:
    """The calls of `set_start_method` that raise, for a method is set already."""
    setting = list(calls_to(context, *SETTERS))
    if any(_resets(context, call) for call in setting):
        return
    strict = [call for call in setting if _is_strict(context, call)]
    firsts = [*setting, *_fixing(context)] if strict else []
    found = {again.call: again for again in made_again(context, firsts, strict)}
    for call in strict:
        again = found.get(call)
        if again is not None and not any(_asks_first(context, c) for c in again.chain):
            yield _repeated(context, again)
        elif again is None:
            yield from _launched(context, call)


def _resets(context: AnalysisContext, call: ex.Call) -> bool:
    """`set_start_method(None, force=True)`, which lets the next call set it again."""
    return NONE in bind(context, call).values("method")


def _is_strict(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call certainly raises where a method is set: it does not force its own."""
    given = bind(context, call)
    forced = given.may_be_given("force") and given.values("force") != {FALSE}
    return not forced and can_run(context, call)


def _fixing(context: AnalysisContext) -> Iterator[ex.Call]:
    """Calls of the default context, which is set by them; not of one's own `get_context(…)`."""
    for call in calls_to(context, *FIXING):
        callee = call.function
        own = isinstance(callee, ex.Attribute) and any(
            not isinstance(value, External) for value in context.values(callee.value, call.scope)
        )
        if not own and not bind(context, call).may_be_given("allow_none"):
            yield call


def _asks_first(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a test around a call asks which method is set."""
    return any(
        isinstance(part, ex.Call) and is_call_to(context, part, ASKERS)
        for test, _ in tests_of_call(call)
        for part in walk.walk(test)
    )


def _repeated(context: AnalysisContext, again: Again) -> RepeatedSetting:
    place, last = context.place_of(again.call), again.chain[-1]
    if again.around is not None:
        header = Place(last.scope.module.path, *again.around)
        return RepeatedSetting(place, Repetition.ROUND, header)
    if again.first is again.call:
        return RepeatedSetting(place, Repetition.CALL, context.place_of(last))
    return RepeatedSetting(place, Repetition.OTHER, context.place_of(again.first))


def _launched(context: AnalysisContext, call: ex.Call) -> Iterator[RepeatedSetting]:
    """A call in a process that was started by `multiprocessing`, which sets the method there."""
    launches = launches_with_method(context)
    for chain in chains_of(context, call):
        launch = launches.get(chain[-1].scope)
        quiet = any(is_caught(context, c.statement) or _asks_first(context, c) for c in chain)
        if launch is not None and not quiet:
            launched = context.place_of(launch)
            yield RepeatedSetting(context.place_of(call), Repetition.LAUNCH, launched)
            return
