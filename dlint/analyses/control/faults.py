"""Statements behind which nothing runs: they certainly fail, or end the program.

Question: does a statement raise whenever the program comes to it. Followed: calls in a statement
itself that happen on every path through it, of names that nothing in the module binds (NameError),
where the module is one of several of a program: what stands alone may be a part that is shown; and
of functions and classes of the project by arguments that their parameters cannot take (TypeError);
`quit()`, `sys.exit()` and the like, by themselves.
Given up on: names in notebooks, whose cells run in any order, and in modules with star imports or
that make names by text; decorated functions, `*x` and `**x`, classes with a `__new__` or metaclass.
Budget: the parts of one statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, If, Loop, Return
from dlint.semantics.calls.binding import BoundArguments, Signature, signature_of
from dlint.semantics.calls.call_contexts import CallArguments
from dlint.semantics.names.names import BUILTINS
from dlint.semantics.values.values import ClassObject, FunctionObject, Instance, Method

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Statement
    from dlint.semantics.values.values import Value

_MAKING_NAMES = ("globals(", "exec(", "builtins", "__dict__", "vars(", "setattr(")
_ENDING = frozenset({"builtins.quit", "builtins.exit", "sys.exit", "os._exit"})
_IN_ITSELF = (Bind, Evaluate, If, Loop, Return)
_LATER = (ex.Conditional, ex.Join, ex.Boolean, ex.Comprehension)


def fault(context: AnalysisContext, statement: Statement) -> str | None:
    """Why a statement of a module fails whenever it runs, as the end of a sentence; else None."""
    for call in _calls(statement):
        if isinstance(statement, Evaluate) and _ENDING & {*library_callees(context, call)}:
            return f"`{call.name}` ends the program here"
        unbound = _unbound(context, call)
        if unbound is not None:
            return f"`{unbound}` is bound nowhere"
        refused = _refused(context, call)
        if refused is not None:
            return f"`{call.name}` {refused}"
    return None


def _calls(statement: Statement) -> Iterator[ex.Call]:
    """The calls that a statement itself makes, whatever comes out of them."""
    waiting = list(walk.expressions(statement)) if isinstance(statement, _IN_ITSELF) else []
    while waiting:
        part = waiting.pop()
        if isinstance(part, ex.Call) and part.statement is statement:
            yield part
        if not isinstance(part, _LATER):
            waiting += walk.children(part)


def _unbound(context: AnalysisContext, call: ex.Call) -> str | None:
    """The name that a call begins with, where nothing binds it."""
    name = unbound_name(call)
    return name if name is not None and _is_plain(context, call.scope.module) else None


def unbound_name(call: ex.Call) -> str | None:
    """The name that a call begins with, if no statement or parameter of its module binds it."""
    callee = call.function
    while isinstance(callee, ex.Attribute):
        callee = callee.value
    if not isinstance(callee, ex.Reference) or callee.definition is not None:
        return None
    if callee.name in BUILTINS or callee.name.startswith("__"):
        return None
    scopes = call.scope.module.scopes
    bound = any(d.name == callee.name for scope in scopes for d in scope.definitions)
    named = any(p.name == callee.name for scope in scopes for p in scope.parameters)
    return None if bound or named else callee.name


def _is_plain(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether all names of a module are those that its statements bind."""
    if module.star_imports or module.is_notebook or not module.path.endswith(".py"):
        return False
    if context.project.holding(module.path, _MAKING_NAMES):
        return False
    graph = context.project.graph
    return bool(graph.targets(module.path)) or len(graph.importers({module.path})) > 1


def _refused(context: AnalysisContext, call: ex.Call) -> str | None:
    """Why what a call calls does not take its arguments; None where it may."""
    if any(argument.star for argument in call.arguments):
        return None
    frame = context.solver.root(call.scope)
    callees = context.solver.values(call.function, frame)
    signatures = {_signature(context, callee) for callee in callees}
    if len(signatures) != 1 or (signature := signatures.pop()) is None:
        return None
    return _mismatch(BoundArguments(CallArguments.of(call.arguments, frame), signature))


def _signature(context: AnalysisContext, callee: Value) -> Signature | None:
    """What a function or class of the project takes; None where that is not certain."""
    scope, classes = None, context.solver.classes
    match callee:
        case FunctionObject() if callee.scope.owner is None:
            scope = callee.scope
        case Method() if not isinstance(callee.receiver, Instance) or callee.receiver.exact:
            scope = callee.scope
        case ClassObject() if not (callee.cls.decorators or classes.method(callee.cls, "__new__")):
            scope = classes.method(callee.cls, "__init__")
    if scope is None or scope.decorators:
        return None
    return signature_of(scope, has_receiver=not isinstance(callee, FunctionObject))


def _mismatch(bound: BoundArguments) -> str | None:
    signature = bound.signature
    if bound.var_keyword and signature.variadic("**") is None:
        return f"has no parameter `{bound.var_keyword[0][0].keyword}`"
    if bound.var_positional and signature.variadic("*") is None:
        return "takes fewer arguments"
    for spec in signature.parameters:
        is_wanted = spec.kind not in ("star", "starstar") and spec.default is None
        if is_wanted and bound[spec.name].is_absent:
            return f"wants `{spec.name}`"
    return None
