"""Reads by functions: which tensors a function needs on the host that it is handed by a call.

Question: of which tensors, by their names where a call stands, does every run of the function that
it enters read the values? Followed are names of the parameters, and their parts, and what is
computed of what lies on the device. Given up on: functions that the function calls, those that take
gradients or give their results one by one, and those that go by what they read, or by whether it is
finite, or whose caller does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callees_of
from dlint.analyses.control.path_tests import always_runs, is_optional
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.tensors import FETCHES
from dlint.model.loops.batch_loops import GRADIENT_STEPS, names_any
from dlint.model.loops.host_reads import fetched, needed_on_host
from dlint.model.loops.loss_names import Tensor
from dlint.model.loops.step_decisions import checks_numbers, decides_step
from dlint.model.loops.step_functions import StepFunction, is_tested
from dlint.model.transfers.device_results import is_computed_of_given
from dlint.semantics.calls.binding import signature_of
from dlint.semantics.calls.calls import takes_receiver

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Block, Scope


class HandedRead(NamedTuple):
    """A read, and the tensor that it is of; in a function, what that is called by its caller.

    A call stands for what it gives, where that has no name.
    """

    read: ex.Call
    tensor: Tensor | ex.Call


def handed_reads(context: AnalysisContext, call: ex.Call, body: Block) -> Iterator[HandedRead]:
    """What the one function that a call enters reads of what the call hands it.

    Nothing where the block that makes the call tests what comes of the read.
    """
    callees = callees_of(context, call) if call.arguments else []
    if len(callees) != 1 or not _only_reads(callees[0]):
        return
    (scope,) = callees
    for read in scope.calls:
        asked = [name for name in needed_on_host(read) if _is_read_of(read, name)]
        found = [_handed(name, call, scope) for name in asked]
        named = [tensor for tensor in found if tensor is not None]
        if named and not _is_gone_by(context, StepFunction(call, scope), read, body):
            yield from (HandedRead(read, tensor) for tensor in named)


def handed_result(context: AnalysisContext, call: ex.Call, body: Block) -> ex.Call | None:
    """The read of the one function that a call enters which needs a result on the host.

    That is computed there of what the call hands it, and nobody decides by it.
    """
    callees = callees_of(context, call) if call.arguments else []
    if len(callees) != 1 or not _only_reads(callees[0]):
        return None
    (scope,) = callees
    found = (c for c in filter(_is_in_each_run, scope.calls) if _is_result(context, c, call))
    gone_by = (c for c in found if not _is_gone_by(context, StepFunction(call, scope), c, body))
    return next(gone_by, None)


def _is_result(context: AnalysisContext, read: ex.Call, call: ex.Call) -> bool:
    tensor = fetched(read)
    return tensor is not None and is_computed_of_given(context, tensor, call)


def _is_gone_by(
    context: AnalysisContext, function: StepFunction, read: ex.Call, body: Block
) -> bool:
    """Whether a function, or who calls it, decides by what it reads."""
    return decides_step(context, function.scope.body, [read]) or is_tested(function, body, [read])


def _only_reads(scope: Scope) -> bool:
    is_plain = not scope.yields and not names_any(scope.calls, GRADIENT_STEPS)
    return is_plain and not checks_numbers(scope.calls)


def _is_read_of(read: ex.Call, name: Tensor) -> bool:
    """Whether each run reads a tensor, or each that finds that it is one."""
    if _is_in_each_run(read):
        return True
    whole = (part for e in walk.expressions(read.statement) for part in walk.walk(e))
    chosen = any(
        read in walk.walk(part.then)
        and isinstance(part.test, ex.Call)
        and _asks_for_tensor(part.test, name)
        and not is_optional(part.test, rounds=False)
        for part in whole
        if isinstance(part, ex.Conditional)
    )
    if not chosen and is_optional(read, rounds=False):
        return False
    statement = read.statement
    for owner in walk.conditions(statement):
        if not _asks_for_tensor(owner.test, name):
            return False
        statement = owner
    return always_runs(statement, read.scope.body)


def _asks_for_tensor(test: ex.Expression, name: Tensor) -> bool:
    """`isinstance(x, torch.Tensor)`, `torch.is_tensor(x)`, `hasattr(x, "item")`."""
    asked = written(test, 0) if isinstance(test, ex.Call) else None
    if not isinstance(test, ex.Call) or asked is None or origin_of(asked) is not origin_of(name):
        return False
    kind = written(test, 1)
    if test.name == "isinstance":
        return isinstance(kind, ex.Reference | ex.Attribute) and kind.own_name == "Tensor"
    known = None if kind is None else ex.constant(kind)
    by_method = known is not None and known.value in FETCHES
    return test.name == "is_tensor" or (test.name == "hasattr" and by_method)


def _is_in_each_run(call: ex.Call) -> bool:
    is_sure = not is_optional(call, rounds=False)
    return is_sure and always_runs(call.statement, call.scope.body)


def _handed(name: ex.Expression, call: ex.Call, scope: Scope) -> Tensor | None:
    """What a tensor of a function is called where the function is called."""
    made = origin_of(name)
    if isinstance(made, ex.Subscript | ex.Attribute):
        whole = _handed(made.value, call, scope)
        return None if whole is None else replace(made, value=whole)
    return _given(made, call, scope) if isinstance(made, ex.Parameter) else None


def _given(parameter: ex.Parameter, call: ex.Call, scope: Scope) -> Tensor | None:
    signature = signature_of(scope, has_receiver=takes_receiver(scope))
    given = written(call, signature.position(parameter.name), parameter.name)
    return given if isinstance(given, Tensor) else None
