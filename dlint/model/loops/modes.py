"""Whether a batch loop runs a model in evaluation mode: `model.eval()` came before it.

Followed: the statements before the loop, in its own function; and before the calls of that
function, where the model is handed on, on every known path.
Given up on: modes that a class keeps for its model, and models that are no plain name or chain.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.call_paths import calls_below, on_every_path
from dlint.analyses.control.path_tests import call_always_runs
from dlint.analyses.written_arguments import written
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Block, Statement, With
from dlint.ir.remembering import remembered
from dlint.model.loops.batch_loops import calls_in

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loops.batch_loops import BatchLoop

_SWITCHES = frozenset({"eval", "train"})
_LEARNING = frozenset({"step", "zero_grad", "train", "backward"})
_STEPPING = frozenset({"step", "train"})
_LEARNS = lazily(r"(^|_)(train|fit|learn|optimi[sz]e)(_|$)")
"""Names of calls by which something learns: `optimize_parameters`, `train_step`."""


def runs_in_eval_mode(loop: BatchLoop) -> bool:
    """Whether a loop runs a model that was put into evaluation mode, and makes nothing learn."""
    if loop.body is None or loop.is_single:
        return False
    if not learns_nothing(loop):
        return False
    models = frozenset(_asked(calls_in(loop.body))) - {None}
    return _is_switched(loop.context, loop.statement, loop.scope, models)


def _asked(calls: Iterable[ex.Call]) -> Iterator[str | None]:
    """What calls ask for outputs: what they call, and what they hand on to be called."""
    for call in calls:
        yield ex.spelled(call.function)
        yield from (ex.spelled(argument.value) for argument in call.arguments)


def only_attacks(loop: BatchLoop) -> bool:
    """Whether a loop takes gradients for what it gives a model, and not for its weights.

    The model was put into evaluation mode, perhaps by the function that takes the gradients, and
    nothing that a round calls steps or trains.
    """
    if loop.body is None or loop.is_single or not loop.trains:
        return False
    called = list(calls_below(loop.context, calls_in(loop.body)))
    if any(c.name in _STEPPING or _LEARNS.search(c.name or "") for c in called):
        return False
    if any(_evaluates_before(c) for c in called if c.name == "backward"):
        return True
    models = frozenset(_asked(calls_in(loop.body))) - {None}
    return _is_switched(loop.context, loop.statement, loop.scope, models)


def _evaluates_before(call: ex.Call) -> bool:
    """Whether a function puts a model into evaluation mode on the way to a call."""
    switches = (c for c in call.scope.calls if c.name == "eval" and not c.arguments)
    before = (c for c in switches if c.span[0] < call.span[0])
    return any(call_always_runs(c, call.scope.body) for c in before)


def learns_nothing(loop: BatchLoop) -> bool:
    """Whether nothing that a round calls, as far as it is known, makes anything learn."""
    if loop.body is None or loop.is_single:
        return False
    called = calls_below(loop.context, calls_in(loop.body))
    return not any(may_teach(call.name or "") for call in called)


def may_teach(name: str) -> bool:
    """Whether nobody can say that a loop only evaluates after a call of that name."""
    return name in _LEARNING or _LEARNS.search(name) is not None


def _is_switched(
    context: AnalysisContext, statement: Statement, scope: Scope, models: frozenset[str | None]
) -> bool:
    own = _last_switch(statement)
    if own is not None:
        return bool(own & models)
    if not models & {spec.name for spec in scope.parameters}:
        return False

    def found_at(call: ex.Call) -> tuple[ex.Call, ...]:
        handed = {ex.spelled(one) for one in walk.children(call)}
        return (call,) if (_last_switch(call.statement) or set()) & handed else ()

    return bool(on_every_path(context, scope, found_at))


def _last_switch(statement: Statement) -> set[str | None] | None:
    """What the last statement that sets a mode puts into evaluation mode; None without one.

    Nothing where it makes a model train, or does so under a test.
    """
    current: Statement | None = statement
    while current is not None:
        switching = _switching(current.block)
        index = bisect_left(switching, current.span[0], key=lambda switch: switch.start)
        if index > 0:
            return _switched(switching[index - 1])
        current = current.block.owner
    return None


class _Switch(NamedTuple):
    """A statement that sets modes; `start` is that of the `with` that it may stand in."""

    start: int
    statement: Statement
    calls: tuple[ex.Call, ...]


@remembered(4096)
def _switching(block: Block) -> tuple[_Switch, ...]:
    """The statements of a block that set modes, in order; each loop in it asks for them."""
    found = (
        _Switch(outer.span[0], inner, tuple(filter(_is_switch, calls_in(Block([inner])))))
        for outer in block.statements
        for inner in (outer.body.statements if isinstance(outer, With) else [outer])
    )
    return tuple(switch for switch in found if switch.calls)


def _switched(switch: _Switch) -> set[str | None]:
    sure = not walk.blocks(switch.statement) and not any(map(_makes_train, switch.calls))
    return _names(switch.statement, switch.calls) if sure else set()


def _is_switch(call: ex.Call) -> bool:
    return call.name in _SWITCHES and isinstance(call.function, ex.Attribute)


def _makes_train(switch: ex.Call) -> bool:
    mode = written(switch, 0, "mode")
    off = isinstance(mode, ex.Constant) and mode.value is False
    return switch.name == "train" and not off


def _names(statement: Statement, switches: Iterable[ex.Call]) -> set[str | None]:
    """The names of the models: of what the mode is set, and of what is bound to it then."""
    found = {ex.spelled(s.function.value) for s in switches if isinstance(s.function, ex.Attribute)}
    bound = {d.name for d in statement.definitions} if isinstance(statement, Bind) else set()
    return {*found, *bound} - {None}
