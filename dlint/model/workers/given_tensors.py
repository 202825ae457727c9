"""Whether what the constructor of a data set is given is certainly a tensor on CUDA for workers.

Question: does each run that starts the workers of a loader give its data set this copy, is the copy
a tensor, and does each worker use it? Followed: one chain of functions with one caller each, names,
and functions of the project that return what torch makes. Silent are tests around the copy, the
construction or the use, devices that parameters or settings name, numbers of workers that may be 0,
attributes that are written twice, and classes that say what is sent to workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.callees import is_self, method_scope
from dlint.analyses.calls import calls_anywhere, library_callees
from dlint.analyses.control.path_tests import tests_before
from dlint.analyses.object_state.origins import Question
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import tensors
from dlint.model.workers.worker_code import parts_of as parts_of_scope

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.analyses.object_state.origins import Origin
    from dlint.findings.places import Span
    from dlint.ir.module import Class, Scope, Store
    from dlint.model.loading.loader import Loader
    from dlint.model.workers.worker_code import Entry
    from dlint.semantics.calls.call_contexts import CallContext

_MOST = 20
"""How many expressions are looked at, to tell whether a value is a tensor."""
_MOST_CALLERS = 8
_KEEPING = tensors.OF_TENSORS | {"cuda"}
_SENDING = ("__getstate__", "__reduce__", "__reduce_ex__")
"""Methods by which a class says what is sent to a spawned worker."""


def _same_tensor(call: ex.Call) -> tuple[ex.Expression, ...]:
    """The tensor that a method gives in another form, on the same device."""
    callee = call.function if call.name in tensors.OF_TENSORS - {"to"} else None
    return (callee.value,) if isinstance(callee, ex.Attribute) else ()


WHOLE = Question(_same_tensor, choices=False)
"""Where a tensor comes from, as a whole: no part of a display, and no choice."""


def is_written_once(context: AnalysisContext, cls: Class, attribute: str) -> bool:
    """Whether one statement alone writes an attribute, for all that is known, and it is sent."""
    classes = context.solver.classes
    if any(classes.method(cls, name) is not None for name in _SENDING):
        return False
    lineage = classes.ancestors(cls)
    stores = [s for s in context.project.writing(attribute) if not _is_of_other(s, lineage)]
    if len(stores) != 1 or any(_is_inside(s, attribute) for s in context.project.writing("data")):
        return False
    named = (written(call, 1) for call in calls_anywhere(context, "setattr"))
    constants = (None if name is None else ex.constant(name) for name in named)
    return all(known is not None and known.value != attribute for known in constants)


def _is_of_other(store: Store, lineage: list[Class] | tuple[Class, ...]) -> bool:
    """Whether an attribute is written to an object of another class, by its own methods."""
    method = method_scope(store.scope)
    owner = None if method is None else method.owner
    owned = isinstance(store.target, ex.Attribute) and is_self(store.target.value, store.scope)
    return owned and owner is not None and owner not in lineage


def _is_inside(store: Store, attribute: str) -> bool:
    """`dataset.table.data = …`"""
    inner = store.target.value
    return isinstance(inner, ex.Attribute) and inner.name == attribute


def is_certain(
    context: AnalysisContext,
    loader: Loader,
    making: CallContext,
    origin: Origin,
    device: ex.Expression | None,
) -> bool:
    """Whether a loader that has workers gets this copy on every run, and it is a tensor."""
    if not loader.workers.is_certain or making.call is None:
        return False
    frames = [*origin.frame.chain(), *making.chain()[1:], *loader.made.frame.chain()]
    scopes = {making.call.scope, loader.call.scope, origin.call.scope}
    if not all(_is_called_once(context, s) for s in scopes | {frame.scope for frame in frames}):
        return False
    if any(is_tested(call.scope, call.span) for call in (origin.call, making.call)):
        return False
    certain = origin.call.name == "cuda" if device is None else _is_cuda(device)
    return certain and _is_tensor(context, origin.call)


def _is_called_once(context: AnalysisContext, scope: Scope) -> bool:
    """Whether a function, and each that leads to it, has one caller at most."""
    for _ in range(_MOST_CALLERS):
        callers = callers_of(context, scope)
        if not callers:
            return True
        if len(callers) > 1:
            return False
        scope = callers[0].scope
    return False


def is_tested(scope: Scope, span: Span) -> bool:
    """Whether a test decides that code runs, other than of whether the file is the program."""
    tests = (test for test, _ in tests_before(scope, span))
    return not all(_names(test, "__name__") for test in tests)


def _names(test: ex.Expression, name: str) -> bool:
    parts = (p for p in walk.walk(test) if isinstance(p, ex.Reference | ex.Attribute))
    return any(part.own_name == name for part in parts)


def _is_cuda(device: ex.Expression) -> bool:
    """Whether a device is written out as CUDA, or as CUDA wherever there is one."""
    named: ex.Expression | None = ex.unnamed(device)
    while named is not None and not isinstance(named, ex.Constant):
        inner = None
        if isinstance(named, ex.Conditional):
            test = ex.unnamed(named.test)
            there = isinstance(test, ex.Call) and test.name == "is_available"
            inner = named.then if there else None
        elif isinstance(named, ex.Call) and named.name == "device":
            inner = written(named, 0)
        named = None if inner is None else ex.unnamed(inner)
    return named is not None and isinstance(named.value, str) and named.value.startswith("cuda")


def _is_tensor(context: AnalysisContext, value: ex.Expression) -> bool:
    """Whether a value is what torch makes a tensor by, or a file of torch, or a part of one."""
    waiting = [value]
    for _ in range(_MOST):
        if not waiting:
            return True
        behind = _made_of(context, ex.unnamed(waiting.pop()))
        if behind is None:
            return False
        waiting += behind
    return False


def _made_of(context: AnalysisContext, made: ex.Expression) -> Sequence[ex.Expression] | None:
    """What must be tensors for a value to be one; None where it may be something else."""
    if isinstance(made, ex.Subscript):
        return (made.value,)
    if not isinstance(made, ex.Call):
        return None
    paths = library_callees(context, made)
    if paths and all(path in tensors.STORAGE_MAKERS | tensors.JOINERS for path in paths):
        return ()
    entered = callees_of(context, made)
    if entered:
        results = [result for scope in entered for result in scope.returns]
        are_functions = all(scope.owner is None and scope.returns for scope in entered)
        return results if are_functions else None
    callee = made.function if made.name in _KEEPING else None
    return (callee.value,) if isinstance(callee, ex.Attribute) else None


def used(entries: tuple[Entry, ...], attribute: str) -> Place | None:
    """Where each worker takes a part of what an attribute keeps, or computes with it."""
    for frame in (frame for entry in entries for frame in entry.activations):
        calls = [inner.call for inner in frame.chain() if inner.call is not None]
        if any(is_tested(call.scope, call.span) for call in calls):
            continue
        for part in parts_of_scope(frame.scope):
            taken = (part.value,) if isinstance(part, ex.Subscript) else ()
            sides = (part.left, part.right) if isinstance(part, ex.Binary) else taken
            for held in sides:
                if not isinstance(held, ex.Attribute) or held.name != attribute:
                    continue
                if is_self(held.value, frame.scope) and not is_tested(frame.scope, held.span):
                    return Place(frame.scope.module.path, *held.span)
    return None
