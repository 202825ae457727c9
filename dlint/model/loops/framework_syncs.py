"""Where the steps that a framework runs wait for the GPU: `training_step` of Lightning.

Question: which calls of a method that a framework runs for each step, and of whose result it takes
the gradient, make the host wait? Followed are reads of the loss that the method returns, or takes
the gradient of, and of its terms; and calls that wait by themselves. Silent where the step has to
wait anyway: it decides by what it reads, shows values on the framework's bar, brings others to the
host, or the framework asks each loss. Given up on: methods that the step calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.control.failures import is_out_of_reach
from dlint.analyses.control.path_tests import always_runs, is_optional
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.library_facts.frameworks import LOGGING, SHOWN
from dlint.model.loops.batch_loops import calls_in, names_any
from dlint.model.loops.explicit_waits import WAITS, explicit_waits
from dlint.model.loops.host_reads import needed_on_host
from dlint.model.loops.loss_gradients import gradient_of, is_term
from dlint.model.loops.step_decisions import checks_numbers, decides_step
from dlint.model.loops.step_histories import framework_steps, returned_losses
from dlint.model.machines.hardware import targets_accelerator

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.ir.module import Scope

_BRINGING = tensors.FETCHES - {"item", "numpy"}
"""Methods by which a step brings what the host works on."""


class FrameworkSync(NamedTuple):
    """One place where every step of a framework waits."""

    context: AnalysisContext
    call: ex.Call
    framework: str
    asked: str = ""
    """The last name of the call of torch that waits, or makes the driver wait."""
    others: tuple[ex.Call, ...] = ()
    """Other reads in the same step."""

    @property
    def name(self) -> str | None:
        """The last name of what is called: `item`."""
        return self.call.name

    @property
    def place(self) -> Place:
        """Where the host waits."""
        return self.context.place_of(self.call)

    @property
    def other_places(self) -> list[Place]:
        """Where the same step waits too."""
        return [self.context.place_of(call) for call in self.others]


def framework_syncs(context: AnalysisContext) -> Iterator[FrameworkSync]:
    """Reads of the loss, and calls that wait, at every step of a framework on the GPU."""
    for facts in context.modules:
        for cls in facts.module.classes:
            for framework, step in framework_steps(context, cls):
                if _runs_on_accelerator(context, step):
                    yield from _asked(context, step, framework.name)
                    if not framework.asks_loss:
                        yield from _reads(context, step, framework.name)


def _runs_on_accelerator(context: AnalysisContext, step: Scope) -> bool:
    is_run = not is_out_of_reach(context, step)
    return is_run and targets_accelerator(context, step.module.path)


def _steady(step: Scope) -> list[ex.Call]:
    """The calls that a step makes whenever it is not left before."""
    calls = (call for call in calls_in(step.body) if not is_optional(call, rounds=False))
    return [c for c in calls if always_runs(c.statement, step.body, unless_left=True)]


def _asked(context: AnalysisContext, step: Scope, framework: str) -> Iterator[FrameworkSync]:
    for name, (*others, last) in explicit_waits(context, _steady(step), step).items():
        yield FrameworkSync(context, last, framework, asked=name, others=tuple(others))


def _reads(context: AnalysisContext, step: Scope, framework: str) -> Iterator[FrameworkSync]:
    """The first read waits; the others must go as well for a step not to wait."""
    steady = _steady(step)
    reads = [call for call in steady if _reads_loss(context, call, step)]
    others = [call for call in steady if call not in reads]
    if not reads or names_any(others, _BRINGING) or _waits_anyway(context, step, reads):
        return
    yield FrameworkSync(context, reads[0], framework, others=tuple(reads[1:]))


def _reads_loss(context: AnalysisContext, call: ex.Call, step: Scope) -> bool:
    """Whether a call needs the value of what the framework, or the step, takes the gradient of."""
    losses = [loss for result in step.returns for loss in returned_losses(result)]
    return any(
        any(is_term(loss, name) for loss in losses)
        or gradient_of(context, name, step.body, detached=True) is not None
        for name in needed_on_host(call)
    )


def _waits_anyway(context: AnalysisContext, step: Scope, reads: list[ex.Call]) -> bool:
    """Whether a step has to wait: it decides by a number, is told to, or shows one on a bar."""
    calls = calls_in(step.body)
    below = list(calls_below(context, calls))
    return (
        decides_step(context, step.body, reads)
        or checks_numbers(calls)
        or names_any(below, WAITS)
        or any(map(_is_shown, below))
    )


def _is_shown(call: ex.Call) -> bool:
    """Whether a call logs a value that the framework's bar shows at every step, or may."""
    if call.name not in LOGGING or not isinstance(call.function, ex.Attribute):
        return False
    shown = written(call, LOGGING[call.name], SHOWN)
    switch = None if shown is None else origin_of(shown)
    hidden = shown is None or (isinstance(switch, ex.Constant) and switch.value is False)
    return not hidden or any(argument.star == "**" for argument in call.arguments)
