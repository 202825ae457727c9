"""Devices: where a copy goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callers_of
from dlint.analyses.calls import calls_anywhere
from dlint.analyses.control.call_paths import calls_below, leading_to, origins_of
from dlint.analyses.object_state.attribute_defaults import is_given, own_default
from dlint.analyses.value_parts import parts_in_function
from dlint.analyses.written_arguments import written
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import If, ModuleIndex, Scope
from dlint.ir.remembering import remembered
from dlint.model.machines.entry_points import EntryPoints
from dlint.model.machines.hardware import mentions_cuda
from dlint.semantics.values.conditional_value import Absent
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.values import (
    NONE,
    External,
    Literal,
    Value,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_CURRENT = (
    "current_device",
    "device_count",
    "get_rank",
    "local_rank",
)


_SETTERS = {"set_default_device": "device", "set_default_tensor_type": "t"}
"""What makes a device, or a type of tensors, the default, and by which parameter it is given."""
_DEFAULTS = lazily(rb"set_default_device|set_default_tensor_type|with torch\.device")

_PARSERS = frozenset({"parse_args", "parse_known_args"})

_ACCELERATORS = ("current_accelerator", "current_device_name", "device_name")
"""Calls of `torch.accelerator` and of DeepSpeed's accelerator that name what the machine has."""


_GIVING = {"to": (0, "device"), "device": (0, "type")}
"""Calls that are given a device first, and by which parameter; others take one as `device`."""


class Device(Enum):
    """A kind of device, as far as rules tell them apart."""

    CUDA = "cuda"
    MPS = "mps"
    CPU = "cpu"
    ANY = "any accelerator"
    """What the machine has, by the program's own account; beside it stand CUDA and MPS."""
    OTHER = "other"
    """Some object's `.device`, or a name that cannot be resolved."""


def devices(context: AnalysisContext, expression: ex.Expression, scope: Scope) -> frozenset[Device]:
    """The devices that the device argument of a copy may name."""
    found = _named(context.values(expression, scope))
    if found <= {Device.OTHER}:
        return frozenset(_gpu_by_settings(context, expression, scope) or {Device.OTHER})
    return found


def is_cpu_in(context: AnalysisContext, expression: ex.Expression, frame: CallContext) -> bool:
    """Whether a device is the CPU in one activation: what its call gives, or leaves to a default
    that is written out."""
    found = context.evaluator.of(expression, frame)
    is_sure = bool(found) and all(alternative.holds_in_calls for alternative in found)
    return is_sure and _named(context.solver.values(expression, frame)) == {Device.CPU}


def _named(values: Iterable[Value]) -> frozenset[Device]:
    found = set()
    for value in values:
        kind = of_value(value)
        if kind is Device.ANY:
            found |= {Device.CUDA, Device.MPS, Device.ANY}
        elif kind is not None:
            found.add(kind)
    return frozenset(found)


def _gpu_by_settings(
    context: AnalysisContext, expression: ex.Expression, scope: Scope
) -> set[Device]:
    """The devices that alternatives name where values do not, if one of them is a GPU.

    What settings files give is an alternative; one of them that names the CPU says nothing of what
    others will.
    """
    found = context.evaluator.of(expression, context.solver.root(scope))
    kinds = {of_value(a.value) for a in found if not isinstance(a.value, Absent)}
    known = {kind for kind in kinds if kind is not None} - {Device.OTHER, Device.ANY}
    return known if Device.CUDA in known else set()


def chooses_itself(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether a script, with what it calls, gives models or tensors the CPU or CUDA, never MPS.

    By `to`, by `torch.device` or by an argument `device`; devices that are not known say nothing.
    """
    own = (call for scope in module.scopes for call in scope.calls)
    calls = dict.fromkeys(calls_below(context, own))
    given = (
        (call, written(call, *_GIVING.get(call.name or "", (None, "device")))) for call in calls
    )
    found = set().union(*(devices(context, e, call.scope) for call, e in given if e is not None))
    return bool(found & {Device.CPU, Device.CUDA}) and not found & {Device.MPS, Device.ANY}


def is_cpu_for_class(context: AnalysisContext, attribute: ex.Expression, scope: Scope) -> bool:
    """Whether `self.device` is "cpu" by the default of its class, as nobody gives it another.

    Objects of other classes with the same ancestor do not count.
    """
    default = own_default(context, attribute, scope)
    if default is None or default.value != "cpu":
        return False
    given = is_given(context, default)
    return not mentions_cuda(context, scope.module.path) if given is None else not given


def of_value(value: Value) -> Device | None:
    """The device that a value names; None for a value that says nothing of a device."""
    if isinstance(value, Literal):
        return _of_literal(value)
    if is_of_library(value):
        name = library_path(value).rpartition(".")[2]
        if name in _ACCELERATORS:
            return Device.ANY
        return Device.CUDA if name in _CURRENT else Device.OTHER
    if isinstance(value, External):
        return None if value.path == "torch.device()" else Device.OTHER
    return Device.OTHER


def _of_literal(value: Literal) -> Device | None:
    if isinstance(value.value, str):
        kind = value.value.partition(":")[0].rstrip("…0123456789")
        if kind in ("cuda", "gpu", "xpu", "npu", "hpu"):
            return Device.CUDA
        return {"cpu": Device.CPU, "mps": Device.MPS, "meta": Device.CPU}.get(kind, Device.OTHER)
    if isinstance(value.value, int) and not isinstance(value.value, bool):
        return Device.CUDA
    return None if value == NONE else Device.OTHER


def is_mps_by_choice(context: AnalysisContext, expression: ex.Expression, scope: Scope) -> bool:
    """Whether a device is MPS only where a person asks for it, not because the machine has it."""
    found = context.evaluator.of(expression, context.solver.root(scope))
    known = ((a.value, a.path_condition) for a in found if not isinstance(a.value, Absent))
    ways = [path_condition for value, path_condition in known if of_value(value) is Device.MPS]
    return bool(ways) and all(any(_is_choice(c) for c in path_condition) for path_condition in ways)


def _is_choice(condition: Condition) -> bool:
    """Whether a test that holds asks for what somebody gives: a parameter, an option."""
    if not condition.is_test or condition.outcome is not True:
        return False
    test = condition.test
    return any(_is_given(part) for part in test) if isinstance(test, tuple) else False


def _is_given(part: object) -> bool:
    """Whether a part of a test, followed to what names are bound to, reaches a parameter."""
    if isinstance(part, tuple):
        return any(map(_is_given, part))
    if isinstance(part, ex.Definition):
        return _is_given(part.value)
    return isinstance(part, ex.Expression) and any(map(_gives, parts_in_function(part)))


def _gives(part: ex.Expression) -> bool:
    is_parsed = isinstance(part, ex.Call) and part.name in _PARSERS
    return is_parsed or isinstance(part, ex.Parameter)


def may_change_default(context: AnalysisContext) -> bool:
    """Whether the program's text speaks of another default device than the CPU.

    Also that of files which nothing has asked for yet: a helper may set it.
    """
    if any(context.project.words.holders(name.encode()) for name in _SETTERS):
        return True
    return any(context.project.says(f.module.path, _DEFAULTS) for f in context.modules)


def gpu_by_default(context: AnalysisContext, before: ex.Call) -> ex.Call | None:
    """The call that makes a GPU the default device before another call.

    It stands before that in its module, or where the modules of all its callers begin. None also
    where something makes the CPU the default again.
    """
    module = before.scope.module
    found = _default_set(context, module, before)
    callers = {call.scope.module: call for call in callers_of(context, before.scope)}
    if found is not None or module in callers or _resets(context, module):
        return found
    set_there = [_default_set(context, other, before) for other in callers]
    return None if None in set_there else next(iter(set_there), None)


def _default_set(context: AnalysisContext, module: ModuleIndex, before: ex.Call) -> ex.Call | None:
    """The call of a module that makes a GPU the default before another call; None if it resets."""
    if _resets(context, module):
        return None
    for call in filter(partial(_names_gpu, context), _setting_for(context, module)):
        scope = call.scope
        if scope is before.scope:
            if call.span < before.span:
                return call
        elif scope is module.body or _runs_before(context, module, call, before):
            return call
    return None


def _runs_before(
    context: AnalysisContext, module: ModuleIndex, call: ex.Call, before: ex.Call
) -> bool:
    """Whether a call stands in a function that a module itself runs, before what that calls that
    leads to another call.
    """
    scope = call.scope
    later = (c for c in leading_to(context, before.scope) if c.scope is scope)
    of_module = all(origin is module.body for origin in origins_of(context, scope))
    return of_module and all(call.span < other.span for other in later)


def _setting_for(context: AnalysisContext, module: ModuleIndex) -> Iterator[ex.Call]:
    """The calls of a module, and of functions of others that it runs, which set a default."""
    yield from setting_devices(module)
    holders = {p for name in _SETTERS for p in context.project.words.holders(name.encode())}
    if holders & context.project.imported_by(module.path):
        below = calls_below(context, module.body.calls)
        yield from (c for c in below if c.scope.module is not module and c.name in _SETTERS)


@told_by_code
def setting_devices(module: ModuleIndex) -> tuple[ex.Call, ...]:
    """The calls of a module that set a default."""
    return _setting(module)


@remembered(1024)
def _setting(module: ModuleIndex) -> tuple[ex.Call, ...]:
    calls = (call for scope in module.scopes for call in scope.calls)
    return tuple(call for call in calls if call.name in _SETTERS and call.arguments)


def _resets(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether a module makes something else the default, here and there or for good."""
    return context.project.holds(module.path, b"with torch.device") or any(
        not _names_gpu(context, call)
        and not any(isinstance(s, If) for s in walk.ancestors(call.statement))
        for call in setting_devices(module)
    )


def default_may_be_gpu(context: AnalysisContext, path: str) -> bool:
    """Whether a program that runs the file at `path` may make a GPU its default device."""
    programs = context[EntryPoints].run_with(path)
    return any(
        call.scope.module.path in programs and _may_name_gpu(context, call)
        for call in calls_anywhere(context, *_SETTERS)
    )


def _may_name_gpu(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call that sets a default device or type may set one of a GPU."""
    given = written(call, 0, _SETTERS[call.name or ""])
    found = () if given is None else context.values(given, call.scope)
    texts = [v.path if isinstance(v, External) else getattr(v, "value", None) for v in found]
    return any(not isinstance(t, str) or "cuda" in t or "()" in t for t in texts)


def _names_gpu(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a device or a tensor type is certainly one of CUDA."""
    given = written(call, 0, _SETTERS[call.name or ""])
    found = () if given is None else context.values(given, call.scope)
    kinds = {_default_of(value) for value in found} - {None}
    return kinds == {Device.CUDA}


def _default_of(value: Value) -> Device | None:
    """The device of a type of tensors, or of a device."""
    text = value.path if isinstance(value, External) else getattr(value, "value", None)
    if isinstance(text, str) and text.startswith("torch.cuda."):
        return Device.CUDA
    return of_value(value)
