"""late-sharing-strategy: `set_sharing_strategy` where the workers do not see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import MoveToModuleTop
from dlint.library_facts.sharing_strategies import STRATEGIES
from dlint.model.workers.sharing_strategies import strategy_calls

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.workers.order import Start
    from dlint.model.workers.sharing_strategies import StrategyCall

_ADVICE = "call it right below the imports"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls that set no strategy, that come too late, or that workers never run."""
    for call in strategy_calls(context):
        finding = _refused(call) or _late(call) or _unreached(call)
        if finding is not None:
            yield finding


def _refused(call: StrategyCall) -> Finding | None:
    """A strategy that does not exist, or not on the platform that is tested for."""
    if call.wrong_names:
        known = " and ".join(f"`{name}`" for name in STRATEGIES)
        message = (
            f"`{call.wrong_names[0]}` is no sharing strategy, so torch raises an AssertionError; "
            f"there are {known}"
        )
        return Finding(Severity.ERROR, message, call.place)
    if call.refusing_platform is not None:
        message = (
            f"{call.refusing_platform} has no `file_descriptor` strategy, so torch raises an "
            "AssertionError; only `file_system` exists there"
        )
        return Finding(Severity.ERROR, message, call.place)
    return None


def _late(call: StrategyCall) -> Finding | None:
    """A call that runs when workers have started."""
    if not call.earlier or call.is_repeated:
        return None
    severity = Severity.ERROR if call.never_acts else Severity.WARNING
    if not call.never_acts:
        effect = "it acts only on those that start later"
    elif call.kept_workers:
        effect = "`persistent_workers=True` keeps them, so they never get this strategy"
    else:
        effect = "no others start later, so it never acts"
    message = (
        f"`set_sharing_strategy` is called after the workers have started: {effect}; {_ADVICE}"
    )
    return Finding(severity, message, call.place, _started(call, call.earlier), _fix(call))


def _unreached(call: StrategyCall) -> Finding | None:
    """A call that workers do not inherit and never run."""
    if not call.unreached or call.is_repeated:
        return None
    methods = sorted({m for one in call.unreached for m in one.methods})
    always = any(one.is_certain for one in call.unreached)
    where = "inside a function" if call.is_in_function else "under the main guard"
    message = (
        f"workers started by {' or '.join(methods)} do not inherit the strategy, and "
        f"`set_sharing_strategy` {where} is not run by them"
        + ("" if always else " (this process may be one that `mp.spawn` started)")
        + f"; {_ADVICE} or in `worker_init_fn`"
    )
    severity = Severity.ERROR if always else Severity.WARNING
    fix = None if call.is_imported_late else _fix(call)
    loaders = tuple(
        Related(one.loader.place, "this loader starts such workers") for one in call.unreached[:2]
    )
    return Finding(severity, message, call.place, loaders, fix)


def _started(call: StrategyCall, starts: tuple[Start, ...]) -> tuple[Related, ...]:
    places = dict.fromkeys(start.loop.place for start in starts)
    return tuple(Related(place, "the workers start here") for place in list(places)[:2])


def _fix(call: StrategyCall) -> Fix | None:
    """Move the statement up, if it is nothing but the call and needs no name of its function."""
    place = call.statement_place
    if place is None or not call.names:
        return None
    return Fix(
        Applicability.UNSAFE, "Set the strategy below the imports", (MoveToModuleTop(place),)
    )
