"""Attributes that keep what a constructor is given: their value where nobody gives another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.call_graph import callers_of
from dlint.analyses.callees import is_self, method_scope
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import written
from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope, Store
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import ClassObject

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_WRAPPERS = frozenset({"device", "str", "bool"})
_DEPTH = 8


class OwnDefault(NamedTuple):
    """The default of the constructor's parameter that an attribute keeps."""

    cls: Class
    init: Scope
    position: int
    """Of the parameter, `self` counted."""
    value: str | int | float | bool | None


def own_default(
    context: AnalysisContext, attribute: ex.Expression, scope: Scope
) -> OwnDefault | None:
    """The default of `self.name` in a method; None where something else may be written to it."""
    method = method_scope(scope)
    if method is None or method.owner is None or not isinstance(attribute, ex.Attribute):
        return None
    init = context.solver.classes.method(method.owner, "__init__")
    if init is None or not is_self(attribute.value, scope):
        return None
    position = _kept_as(init, attribute.name)
    default = None if position is None else init.parameters[position].default
    if position is None or not isinstance(default, ex.Constant):
        return None
    found = OwnDefault(method.owner, init, position, default.value)
    written = context.project.writing(attribute.name)
    stores = [store for store in written if may_be_of(context, store, method.owner)]
    kept = bool(stores) and all(_keeps(store.value, default, _DEPTH) for store in stores)
    return found if kept else None


def _kept_as(init: Scope, attribute: str) -> int | None:
    """Which parameter a constructor keeps as an attribute: the one it writes, or of that name."""
    values = (
        origin_of(s.value)
        for s in init.stores
        if isinstance(s.target, ex.Attribute) and s.target.name == attribute
    )
    kept = {value.name for value in values if isinstance(value, ex.Parameter)}
    name = kept.pop() if len(kept) == 1 else attribute
    names = [spec.name for spec in init.parameters]
    return names.index(name) if name in names else None


def may_be_of(context: AnalysisContext, store: Store, cls: Class) -> bool:
    """Whether a write may be one to an object of a class."""
    family = context.solver.classes.family(cls)
    owner = attributes.written_on_self(store)
    if owner is not None:
        return owner in family
    values = context.values(store.target.value, store.scope)
    known = [attributes.project_class(value) for value in values]
    return not known or any(cls is None or cls in family for cls in known)


def _keeps(value: ex.Expression, default: ex.Constant, depth: int) -> bool:
    """Whether what is written is a parameter as it came, or the default."""
    match value:
        case ex.Parameter():
            return True
        case ex.Constant():
            return value.value in (None, default.value)
        case ex.Reference(definition=ex.Definition(value=bound)) if depth:
            return _keeps(bound, default, depth - 1)
        case ex.Conditional() if depth:
            sides = (value.then, value.otherwise)
            return all(_keeps(side, default, depth - 1) for side in sides)
        case ex.Join() if depth:
            return all(_keeps(part, default, depth - 1) for part in value.alternatives)
        case ex.Call() if depth and value.name in _WRAPPERS:
            return all(_keeps(a.value, default, depth - 1) for a in value.arguments)
    return False


def is_given(context: AnalysisContext, default: OwnDefault) -> bool | None:
    """Whether a call that makes an object of the class gives the parameter, or may.

    None where nobody is seen to make one.
    """
    name = default.init.parameters[default.position].name
    made = _constructions(context, default)
    return any(_gives(call, name, default.position - 1) for call in made) if made else None


def _constructions(context: AnalysisContext, default: OwnDefault) -> list[ex.Call]:
    """The calls in the project that make an object of a class, or of one derived from it."""
    kinds = {default.cls, *context.solver.classes.descendants(default.cls)}
    return [
        call
        for call in callers_of(context, default.init)
        if (call.name == "__init__" and call.scope.owner in kinds)
        or any(
            isinstance(value, ClassObject) and value.cls in kinds
            for value in context.values(call.function, call.scope)
        )
    ]


def _gives(call: ex.Call, name: str, position: int) -> bool:
    """Whether a call gives a parameter, or may: by `*` or `**`."""
    unpacked = any(argument.star for argument in call.arguments)
    return unpacked or written(call, position, name) is not None
