"""Field values: what the constructor of a dataclass or a named tuple is given for a field.

Question: which expressions may a field hold? Followed is each construction of the class, by the
position or the name of the argument, else the default, also one that a factory makes. Given up on
(nothing): classes that nobody is seen to construct, as a parser of the command line may, and those
with ancestors or descendants in the project; fields that are written or replaced later, unpacked
arguments that may reach it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import callable_names, library_callees
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.library_facts.declared_fields import FIELDS, REPLACING, REPLACING_METHODS
from dlint.semantics.calls.binding import Signature, bind
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.calls.field_writes import constructions_of, field_writes
from dlint.semantics.values.values import UNKNOWN, External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class
    from dlint.library_facts.declared_fields import Declaring

Given = tuple[ex.Expression, CallContext]


def field_values(context: AnalysisContext, cls: Class, name: str) -> list[Given]:
    """What a field of the objects of a class may be; nothing where that is not certain."""
    writes = field_writes(context.solver, cls, name)
    plain = len(writes.family) == 1 and not (writes.on_self or writes.elsewhere or writes.by_key)
    if not plain or not writes.fields or _is_replaced(context, name):
        return []
    made = constructions_of(context.solver, cls)
    found = [_given(context, cls, name, call) for call in made]
    known = [given for given in found if given is not None]
    return known if len(known) == len(found) else []


def _is_replaced(context: AnalysisContext, name: str) -> bool:
    """Whether another object may be made of one, with another value of the field."""
    names = sorted(callable_names(context, REPLACING) | REPLACING_METHODS)
    calls = (call for facts in context.project.loaded for call in facts.calls_of(*names))
    return any(
        (written(call, None, name) is not None or any(a.star for a in call.arguments))
        and _may_replace(context, call)
        for call in calls
    )


def _may_replace(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call may make another record: not where it is known to be of something else."""
    if call.name in REPLACING_METHODS:
        return True
    paths = library_callees(context, call)
    if not paths:
        return UNKNOWN in context.values(call.function, call.scope)
    return not REPLACING.isdisjoint(paths)


def _given(context: AnalysisContext, cls: Class, name: str, call: ex.Call) -> Given | None:
    passed = CallArguments.of(call.arguments, context.solver.root(call.scope))
    signature = Signature(tuple(cls.fields))
    bound, spec = bind(passed, signature)[name], signature.parameter(name)
    if bound.unpacked or spec is None:
        return None
    return bound.expression or _made(context, cls, spec.default)


def _made(context: AnalysisContext, cls: Class, default: ex.Expression | None) -> Given | None:
    """The default of a field, behind `field(default=…)`, and what its factory makes."""
    frame = context.solver.root(cls.body)
    declaring = _declaring(context, default, frame) if isinstance(default, ex.Call) else None
    if not isinstance(default, ex.Call) or declaring is None:
        return None if default is None else (default, frame)
    passed = CallArguments.of(default.arguments, frame)
    factory = passed.keyword(declaring.factory)
    if factory is None:
        named = () if declaring.default is None else ("default",)
        return passed.written(named, "default")
    made = ex.unnamed(factory[0].value)
    if not isinstance(made, ex.FunctionValue) or len(made.function.returns) != 1:
        return None
    return made.function.returns[0], context.solver.root(made.function)


def _declaring(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Declaring | None:
    callees = context.solver.values(call.function, frame)
    paths = {callee.path for callee in callees if isinstance(callee, External)}
    return FIELDS.get(paths.pop()) if len(paths) == len(callees) == 1 else None
