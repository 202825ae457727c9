"""start-method-set-twice: `set_start_method` where the method has been set already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to, is_call_to
from dlint.analyses.control.made_again import chains_of, is_caught, made_again
from dlint.analyses.control.path_tests import can_run, tests_of_call
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import SetArgument
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.start_methods import ASKERS, FIXING, SETTERS
from dlint.model.workers import launches_with_method
from dlint.semantics.values.values import FALSE, NONE, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.control.made_again import Again

_ADVICE = (
    "set it once, under the main guard, or give the loader its own by `multiprocessing_context=`"
)


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls of `set_start_method` that come after another one, or after themselves."""
    setting = list(calls_to(context, *SETTERS))
    if any(_resets(context, call) for call in setting):
        return
    strict = [call for call in setting if _is_strict(context, call)]
    firsts = [*setting, *_fixing(context)] if strict else []
    found = {again.call: again for again in made_again(context, firsts, strict)}
    for call in strict:
        again = found.get(call)
        if again is not None and not any(_asks_first(context, c) for c in again.chain):
            yield _finding(context, again)
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


def _finding(context: AnalysisContext, again: Again) -> Finding:
    if again.around is not None:
        how, where = "this runs again in each round of a loop", "this loop repeats it"
        place = Place(again.chain[-1].scope.module.path, *again.around)
    elif again.first is again.call:
        how, where = "this runs a second time", "it is run again from here"
        place = context.place_of(again.chain[-1])
    else:
        how, where = "the method has been set before", "it is set here"
        place = context.place_of(again.first)
    return _raised(context, again.call, how, Related(place, where))


def _launched(context: AnalysisContext, call: ex.Call) -> Iterator[Finding]:
    """A call in a process that was started by `multiprocessing`, which sets the method there."""
    launches = launches_with_method(context)
    for chain in chains_of(context, call):
        launch = launches.get(chain[-1].scope)
        quiet = any(is_caught(context, c) or _asks_first(context, c) for c in chain)
        if launch is not None and not quiet:
            how = "a process that `multiprocessing` started has its method set"
            related = Related(context.place_of(launch), "this starts the process")
            yield _raised(context, call, how, related)
            return


def _raised(context: AnalysisContext, call: ex.Call, how: str, related: Related) -> Finding:
    message = (
        f"{how}, so `set_start_method` raises RuntimeError (context has already been set); "
        f"{_ADVICE}"
    )
    fix = Fix(
        Applicability.UNSAFE,
        "Set the method although one is set",
        (SetArgument(context.place_of(call), "force", "True", 1),),
    )
    return Finding(Severity.ERROR, message, context.place_of(call), (related,), fix)
