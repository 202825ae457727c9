"""Methods that leave their object as it is.

Question: does a call certainly run methods of the project alone that change nothing of what they
are called on? Followed: methods that write to nothing, and call nothing but functions of Python
that only read (`len`), torch's loaders, samplers and splits, and constructors of the project that
are given neither the object nor what it holds. Given up on, so that the answer is no: whatever else
a method calls, functions inside it, decorators, properties, and statements but tests and bindings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self
from dlint.analyses.calls import library_callees
from dlint.analyses.idle.spoken_names import parts_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, If, Return
from dlint.library_facts.loaders import SIGNATURES
from dlint.library_facts.mutations import CONVERTING, READING
from dlint.semantics.calls.attributes import is_accessor
from dlint.semantics.values.values import ClassObject, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope, Statement

_KEEPING = "torch.utils.data."
"""Loaders, samplers and splits change nothing of what they are given."""
_PLAIN = READING | CONVERTING | SIGNATURES.keys()


def leaves_object_alone(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call of a method certainly changes nothing of the object that it is called on."""
    values = context.values(call.function, call.scope)
    methods = [value.scope for value in values if isinstance(value, Method)]
    return 0 < len(methods) == len(values) and all(_only_reads(context, m) for m in methods)


def _only_reads(context: AnalysisContext, method: Scope) -> bool:
    holds_others = any(scope.parent is method for scope in method.module.scopes)
    if holds_others or method.stores or method.decorators or not _is_one_result(method):
        return False
    if any(_may_run(context, part, method) for part in parts_of(method)):
        return False
    return all(_changes_nothing(context, call, method) for call in method.calls)


def _is_one_result(method: Scope) -> bool:
    """Whether a method only binds names of its own and returns: it deletes and adds up nothing."""
    statements = [*walk.statements(method.body)]
    return not method.globals | method.nonlocals and all(map(_is_plain, statements))


def _is_plain(statement: Statement) -> bool:
    if isinstance(statement, Bind):
        return not isinstance(statement.value, ex.Binary)
    is_deleting = isinstance(statement, Evaluate) and statement.deleted is not None
    return isinstance(statement, Return | Evaluate | If) and not is_deleting


def _may_run(context: AnalysisContext, part: ex.Expression, method: Scope) -> bool:
    """Whether reading an attribute of the object may run code of the project: a property."""
    owner = method.owner
    if owner is None or not isinstance(part, ex.Attribute) or not is_self(part.value, method):
        return False
    found = context.solver.classes.method(owner, part.name)
    return found is not None and is_accessor(found)


def _changes_nothing(context: AnalysisContext, call: ex.Call, method: Scope) -> bool:
    """Whether a call in a method can change nothing of the method's object."""
    paths = library_callees(context, call)
    if paths:
        return all(path in _PLAIN or path.startswith(_KEEPING) for path in paths)
    values = context.values(call.function, call.scope)
    made = bool(values) and all(isinstance(value, ClassObject) for value in values)
    return made and not any(_hands_on(argument.value, method) for argument in call.arguments)


def _hands_on(given: ex.Expression, method: Scope) -> bool:
    """Whether the object is given, or something that it holds, other than the number of these."""
    counted = {
        id(part)
        for call in walk.walk(given)
        if isinstance(call, ex.Call) and call.name == "len"
        for part in walk.walk(call)
    }
    return any(is_self(part, method) and id(part) not in counted for part in walk.walk(given))
