"""Loops that wait for the GPU in every step, before they give it more to do.

Question: does each round of a batch loop bring a result of its batch to the host at once? Followed:
`.item()`, `.cpu()`, `.tolist()` and their kind in the body itself, on every round, of what is no
batch on the host; in a loop that takes gradients only those before the gradient step. Given up on:
what functions wait for that the loop calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.control.path_tests import always_runs, is_optional
from dlint.ir import expressions as ex
from dlint.ir.module import Loop
from dlint.model.loops.batch_loops import GRADIENT_STEPS, calls_in
from dlint.model.loops.host_reads import fetched
from dlint.model.loops.loss_gradients import gradient_of, undetached
from dlint.semantics.values.values import Batch

if TYPE_CHECKING:
    from dlint.ir.module import Block
    from dlint.model.loops.batch_loops import BatchLoop

_SYNCHRONIZING = frozenset({"synchronize"})


def waits_at_once(loop: BatchLoop) -> bool:
    """Whether every round waits for what it has asked of the GPU, with no gradient step before."""
    statement, body = loop.statement, loop.body
    if body is None or not isinstance(statement, Loop) or loop.is_single:
        return False
    calls = list(calls_in(body))
    steps = [call.span[0] for call in calls if call.name in GRADIENT_STEPS]
    before = min(steps, default=None)
    return any(
        (before is None or call.span[0] < before) and _waits(loop, call, body) for call in calls
    )


def waits_in_round(loop: BatchLoop) -> bool:
    """Whether every round that is not left before comes to a wait for the GPU somewhere."""
    body = loop.body
    if body is None or not isinstance(loop.statement, Loop) or loop.is_single:
        return False
    return any(_waits(loop, call, body, unless_left=True) for call in calls_in(body))


def _waits(loop: BatchLoop, call: ex.Call, body: Block, *, unless_left: bool = False) -> bool:
    """Whether each round comes to a call that brings a result to the host."""
    if is_optional(call) or not always_runs(call.statement, body, unless_left=unless_left):
        return False
    if call.name in _SYNCHRONIZING:
        return True
    if not isinstance(call.function, ex.Attribute):
        return _prints_loss(loop, call, body)
    tensor = fetched(call)
    if tensor is None:
        return False
    values = loop.context.values(tensor, call.scope)
    return not any(isinstance(value, Batch) and not value.moved for value in values)


def _prints_loss(loop: BatchLoop, call: ex.Call, body: Block) -> bool:
    """`print(loss)`, `float(loss.detach())`: the loss is what the gradient is taken of."""
    if call.name not in ("print", "float"):
        return False
    given = map(undetached, (a.value for a in call.arguments))
    names = [name for name in given if isinstance(name, ex.Reference)]
    return any(gradient_of(loop.context, name, body) for name in names)
