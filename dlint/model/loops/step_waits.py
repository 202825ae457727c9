"""Loops that wait for the GPU in every step, so that none begins before the last is done.

Question: does each round of a batch loop bring a result of its batch to the host? Followed:
`.item()`, `.cpu()`, `.tolist()` and their kind in the body itself, on every round that is not left
before, of what is no batch on the host. Given up on: what functions wait for that the loop calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.control.path_tests import always_runs, is_optional
from dlint.ir import expressions as ex
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.host_reads import fetched
from dlint.model.loops.loss_gradients import gradient_of, undetached
from dlint.semantics.values.values import Batch

if TYPE_CHECKING:
    from dlint.ir.module import Block
    from dlint.model.loops.batch_loops import BatchLoop

_SYNCHRONIZING = frozenset({"synchronize"})


def waits_in_round(loop: BatchLoop) -> bool:
    """Whether every round that is not left before comes to a wait for the GPU somewhere."""
    body = loop.body
    return body is not None and any(_waits(loop, call, body) for call in calls_in(body))


def _waits(loop: BatchLoop, call: ex.Call, body: Block) -> bool:
    """Whether each round comes to a call that brings a result to the host."""
    if is_optional(call) or not always_runs(call.statement, body, unless_left=True):
        return False
    if call.name in _SYNCHRONIZING:
        return True
    if not isinstance(call.function, ex.Attribute):
        return _prints_loss(loop, call, body)
    tensor = fetched(call)
    if tensor is None:
        return False
    if isinstance(tensor, ex.Reference) and gradient_of(loop.context, tensor, body):
        return True
    values = loop.context.values(tensor, call.scope)
    return not any(isinstance(value, Batch) and not value.moved for value in values)


def _prints_loss(loop: BatchLoop, call: ex.Call, body: Block) -> bool:
    """`print(loss)`, `float(loss.detach())`: the loss is what the gradient is taken of."""
    if call.name not in ("print", "float"):
        return False
    given = map(undetached, (a.value for a in call.arguments))
    names = [name for name in given if isinstance(name, ex.Reference)]
    return any(gradient_of(loop.context, name, body) for name in names)
