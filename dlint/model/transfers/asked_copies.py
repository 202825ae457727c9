"""Copies to the CPU that a call of the project's own function asks for.

Question: which calls of a function that copies what it is given to a device, and does not wait,
name the CPU, for a tensor that lies on a GPU? Followed is what a call gives to the function that
returns the copy, in the activation of that call. That a tensor takes this way through the function
is only known where each test before it asks whether it has a tensor; that the tensor lies on a GPU,
where its own function makes it by a model that was moved there, or of what it copies there itself.
Given up on: functions with decorators, copies in a loop or a `try`, and calls that may enter
another function, too; and the copies of what a list or a dict holds, but where a function that is
handed on makes them.

And: which calls hand a function on that copies, to one that gives back what it makes of each tensor
in dicts and lists (`mapped(batch, lambda t: t.to("cpu"))`)? That function must enter itself for the
parts of both, and hand each tensor to what it was given. What is gone through must be what a call
makes of something on the GPU, for all that may give it; of a dict or a list that is written, or of
what a function makes that brings anything back, nobody knows which parts lie there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import entered_by, given_to
from dlint.analyses.call_graph import callers_of
from dlint.analyses.control.call_paths import calls_below
from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.path_tests import PathTest, tests_before
from dlint.analyses.value_parts import origin_of, parts_over_calls
from dlint.analyses.written_arguments import positional, written
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Return
from dlint.library_facts import tensors
from dlint.model.transfers import transfers
from dlint.model.transfers.device_results import copying_calls
from dlint.model.transfers.devices import Device, devices, is_cpu_in
from dlint.model.transfers.model_devices import lies_on_accelerator
from dlint.semantics.values.values import FunctionObject

if TYPE_CHECKING:
    from dlint.analyses.backward import Located
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.semantics.calls.call_contexts import CallContext

_HOLDING = frozenset({"list", "tuple", "dict", "set", "str", "Mapping", "Sequence"})
"""Classes of which no tensor is an object."""

_STEPS = 3


class AskedCopy(NamedTuple):
    """A call that has a tensor copied to the CPU."""

    call: ex.Call
    tensor: Located
    """What the call gives to be copied."""


def mapped_copies(context: AnalysisContext, copy: ex.Call) -> Iterator[AskedCopy]:
    """The calls that give back, part by part, what a copy's function makes that they hand on."""
    if len(copy.scope.returns) != 1 or copy.scope.returns[0] is not copy:
        return
    for call in callers_of(context, copy.scope):
        function, mapped = _parameter(call.function), _mapped(call)
        if function is None or mapped is None or not _goes_deep(context, call.scope, function):
            continue
        for frame in context.evaluator.callers(call.scope):
            given, tensors_in = frame.given(function.name), frame.given(mapped.name)
            if frame.call is None or given is None or tensors_in is None:
                continue
            made = context.solver.values(*given)
            if not all(isinstance(f, FunctionObject) and f.scope is copy.scope for f in made):
                continue
            if _are_on_gpu(context, tensors_in):
                yield AskedCopy(frame.call, tensors_in)


def _are_on_gpu(context: AnalysisContext, tensors_in: Located) -> bool:
    """Whether calls make what holds tensors of something on a GPU, for all that may give it."""
    waiting = [tensors_in]
    for _ in range(_STEPS):
        origins = [(origin_of(one), frame) for one, frame in waiting]
        parameters = [(one, frame) for one, frame in origins if isinstance(one, ex.Parameter)]
        made = [one for one in origins if not isinstance(one[0], ex.Parameter)]
        given = [[*given_to(context, *one)] for one in parameters]
        if not all(given) or not all(_is_made_on_gpu(context, *one) for one in made):
            return False
        waiting = [one for callers in given for one in callers]
        if not waiting:
            return bool(made)
    return False


def _is_made_on_gpu(context: AnalysisContext, origin: ex.Expression, frame: CallContext) -> bool:
    """Whether a call makes something of what lies on a GPU, and brings nothing back."""
    if not isinstance(origin, ex.Call) or origin.name in _HOLDING:
        return False
    entered = calls_below(context, [origin], _STEPS)
    return _is_on_gpu(context, (origin, frame)) and not any(
        _brings_back(context, c) for c in entered
    )


def _brings_back(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call copies to the host, or may."""
    device = transfers.of_to(call)[0] if call.name == "to" else None
    is_to_gpu = device is None or devices(context, device, call.scope) == {Device.CUDA}
    return call.name in tensors.FETCHES or not is_to_gpu


def _mapped(call: ex.Call) -> ex.Parameter | None:
    """The parameter of which, for each tensor, a function gives back what a call makes."""
    given = positional(call)
    mapped = _parameter(given[0]) if len(given) == len(call.arguments) == 1 else None
    if mapped is None or not _is_given_back(call):
        return None
    return mapped if all(_is_of_tensor(test, mapped) for test in _tests(call)) else None


def _goes_deep(context: AnalysisContext, scope: Scope, function: ex.Parameter) -> bool:
    """Whether a function enters itself for the parts of dicts and of lists, with this parameter."""
    parts = (part for result in scope.returns for part in walk.walk(result))
    made = [part for part in parts if isinstance(part, ex.Comprehension)]
    kinds = {one.kind == "dict" for one in made if _enters(context, one.element, scope, function)}
    return len(kinds) == len({True, False})


def _enters(
    context: AnalysisContext, part: ex.Expression, scope: Scope, function: ex.Parameter
) -> bool:
    if not isinstance(part, ex.Call):
        return False
    entered = [inner for inner, _ in entered_by(context, part, context.solver.root(scope))]
    return entered == [scope] and any(_parameter(a.value) is function for a in part.arguments)


def asked_copies(context: AnalysisContext, copy: ex.Call) -> Iterator[AskedCopy]:
    """The calls of a copy's function that have a tensor of the GPU copied to the CPU by it."""
    device, flag = transfers.of_to(copy)
    tensor = _parameter(copy.function.value) if isinstance(copy.function, ex.Attribute) else None
    if device is None or flag is None or tensor is None or _parameter(device) is None:
        return
    if not _is_given_back(copy) or not all(_is_of_tensor(t, tensor) for t in _tests(copy)):
        return
    for frame in context.evaluator.callers(copy.scope):
        given = frame.given(tensor.name)
        if frame.call is None or given is None or not _enters_alone(context, frame):
            continue
        flags = context.evaluator.of(flag, frame)
        is_asked = all(a.is_true and a.holds_in_calls for a in flags)
        if is_asked and is_cpu_in(context, device, frame) and _is_on_gpu(context, given):
            yield AskedCopy(frame.call, given)


def _parameter(expression: ex.Expression) -> ex.Parameter | None:
    """The parameter that an expression names as it was handed in."""
    origin = origin_of(expression)
    return origin if isinstance(origin, ex.Parameter) else None


def _is_given_back(copy: ex.Call) -> bool:
    """Whether a function without decorators returns the copy, under tests alone."""
    statement = copy.statement
    value = statement.value if isinstance(statement, Return) else None
    sides = (value.then, value.otherwise) if isinstance(value, ex.Conditional) else (value,)
    owners = (one.block.owner for one in (statement, *walk.ancestors(statement)))
    under_tests = all(owner is None or isinstance(owner, If) for owner in owners)
    return any(side is copy for side in sides) and under_tests and not copy.scope.decorators


def _tests(copy: ex.Call) -> tuple[PathTest, ...]:
    return tests_before(copy.scope, copy.span)


def _is_of_tensor(path_test: PathTest, tensor: ex.Parameter) -> bool:
    """Whether a test comes out so for each tensor: `hasattr(x, "to")`, `isinstance(x, Tensor)`."""
    test, truth = path_test
    while isinstance(test, ex.Unary) and test.operator == "not":
        test, truth = test.operand, not truth
    asked = written(test, 0) if isinstance(test, ex.Call) else None
    if not isinstance(test, ex.Call) or asked is None or origin_of(asked) is not tensor:
        return False
    of = written(test, 1)
    if test.name == "is_tensor":
        return truth
    if test.name == "hasattr":
        known = None if of is None else ex.constant(of)
        return truth and known is not None and known.value in ("to", *tensors.FETCHES)
    kinds = of.items if isinstance(of, ex.Sequence) else (of,)
    named = {k.own_name if isinstance(k, ex.Reference | ex.Attribute) else "" for k in kinds}
    if test.name != "isinstance":
        return False
    return "Tensor" in named if truth else named <= _HOLDING


def _enters_alone(context: AnalysisContext, frame: CallContext) -> bool:
    """Whether the call of an activation certainly runs this function, and is run itself."""
    call = frame.call
    if call is None or is_dead(call.statement):
        return False
    entered = [scope for scope, _ in entered_by(context, call, context.solver.root(call.scope))]
    return entered == [frame.scope]


def _is_on_gpu(context: AnalysisContext, tensor: Located) -> bool:
    """Whether a function makes a tensor on a GPU, and brings nothing of it back.

    Of what it is given where one call is known of it, too.
    """
    parts = parts_over_calls(context, *tensor, only_one=True)
    calls = [part for part in parts if isinstance(part, ex.Call)]
    if any(call.name in tensors.FETCHES for call in calls):
        return False
    return any(_is_there(context, call) for call in calls)


def _is_there(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call copies to the GPU, or runs a model that lies there."""
    if call.name == "cuda" or call in context[copying_calls] or lies_on_accelerator(context, call):
        return True
    device = transfers.of_to(call)[0] if call.name == "to" else None
    return device is not None and devices(context, device, call.scope) == {Device.CUDA}
