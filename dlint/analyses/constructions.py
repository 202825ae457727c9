"""Constructions: one call of a class, and what a library's constructor is given by it.

Question: which arguments does the library's own constructor take when a call makes an object of its
class, or of a subclass that the project derives from it? Followed: partials of either, and the one
`super().__init__(…)` of each constructor in between. Given up on: callees that may be several, and
constructors that call the next one never or twice. One step for each class in the lineage.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dlint.analyses.binding import Bound, bind_to
from dlint.analyses.calls import behind_partial, library_callees
from dlint.semantics.calls import arguments
from dlint.semantics.calls.binding import library_signature, through_partial
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.values import ClassObject, External, Instance, Partial, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex
    from dlint.ir.module import Class

_MOST_PARTIALS = 4


def construction(
    context: AnalysisContext, cls: Class, call: ex.Call, frame: CallContext
) -> CallContext | None:
    """The activation of the constructor by one call of a class of the project."""
    init = context.solver.classes.method(cls, "__init__")
    if init is None:
        return None
    closure = context.solver.root(init.parent or init)
    passed = CallArguments.of(call.arguments, frame)
    return CallContext(init, call, passed, frame, closure, Instance(cls), frame.depth + 1)


def constructed(
    context: AnalysisContext,
    call: ex.Call,
    frame: CallContext,
    signatures: Mapping[str, tuple[str, ...]],
) -> Bound | None:
    """What one of these library classes is constructed with; None where that is not known."""
    passed = CallArguments.of(call.arguments, frame)
    paths = [path for path in library_callees(context, call) if path in signatures]
    values = context.solver.values(call.function, frame)
    value: Value | None = next(iter(values)) if len(values) == 1 else None
    for _ in range(_MOST_PARTIALS):
        if not isinstance(value, Partial):
            break
        passed = through_partial(context.solver.passed[value], passed.arguments)
        behind = context.solver.values(*behind_partial(context, value))
        value = next(iter(behind)) if len(behind) == 1 else None
    if isinstance(value, ClassObject):
        return _derived(context, value, call, passed, frame, signatures)
    if not isinstance(value, External) or value.path not in paths:
        return None
    return bind_to(context, passed, library_signature(signatures[value.path]))


def _derived(
    context: AnalysisContext,
    made: ClassObject,
    call: ex.Call,
    passed: CallArguments,
    frame: CallContext,
    signatures: Mapping[str, tuple[str, ...]],
) -> Bound | None:
    solver = context.solver
    path = next((p for p in solver.classes.externals(made.cls) if p in signatures), None)
    receiver = Instance(made.cls, exact=True)
    upward = arguments.through_constructors(
        solver, made.cls, receiver, call, passed, frame, spreading=True
    )
    if path is None or upward is None:
        return None
    return bind_to(context, upward, library_signature(signatures[path]))
