"""Statements behind which nothing runs: they certainly fail, or end the program.

Question: does a statement raise whenever the program comes to it. Followed, as far as a statement
itself evaluates them on every path through it: names that nothing in the module binds (NameError),
where the module is one of several of a program, or has a main guard: what else stands alone may be
a part that is shown; names that their function or module binds later alone; options that the parser
of the command line does not know (`absent_options`), keys that a dict lacks (`absent_keys`),
attributes that nothing defines (`absent_attributes`); calls of functions and classes of the project
by arguments that their parameters cannot take (TypeError), or that raise on every path
(`certain_raises`), and what they give to more or fewer names than it has values (`unpackings`);
`quit()`, `sys.exit()` and the like, by themselves.
Given up on: names in notebooks and in scripts of cells, which run in any order, and in modules with
star imports or that make names by text; decorated functions, `*x` and `**x`, classes with a
`__new__` or metaclass.
Budget: the parts of one statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.calls import library_callees
from dlint.analyses.control.absent_attributes import absent_attribute
from dlint.analyses.control.absent_keys import absent_key
from dlint.analyses.control.absent_options import absent_option
from dlint.analyses.control.certain_raises import certain_raise, entered
from dlint.analyses.control.path_tests import main_guards
from dlint.analyses.control.started import is_code
from dlint.analyses.control.unpackings import misfit
from dlint.analyses.idle.own_lookups import may_bind_by_text
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, If, Loop, Return
from dlint.ir.walk import bindings_of
from dlint.semantics.calls.binding import BoundArguments, Signature, signature_of
from dlint.semantics.calls.call_contexts import CallArguments
from dlint.semantics.names.names import BUILTINS
from dlint.semantics.values.values import FunctionObject, Instance, Method
from dlint.workspace.notebooks.scripts import MARKS

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Span
    from dlint.ir.module import ModuleIndex, Scope, Statement
    from dlint.semantics.values.values import Value

_ENDING = frozenset({"builtins.quit", "builtins.exit", "sys.exit", "os._exit"})
_IN_ITSELF = (Bind, Evaluate, If, Loop, Return)
_LATER = (ex.Conditional, ex.Join, ex.Boolean, ex.Comprehension)


class Fault(NamedTuple):
    """Why a statement fails, as the end of a sentence."""

    because: str
    after: ex.Expression | None = None
    """What is run before it fails: a call, with all that it is given and all that it enters."""

    def is_before(self, span: Span) -> bool:
        """Whether code of the statement is run before it fails: `main()` of `sys.exit(main())`."""
        if self.after is None:
            return False
        start, end = self.after.span
        return start <= span[0] and span[1] <= end


def fault(context: AnalysisContext, scope: Scope, statement: Statement) -> Fault | None:
    """Why a statement of a scope fails whenever it runs; None where it may not."""
    for part in _evaluated(statement):
        found = None
        if isinstance(part, ex.Reference):
            because = _unread(context, scope, part)
            found = None if because is None else Fault(because)
        elif isinstance(part, ex.Attribute):
            because = absent_option(context, scope, part) or absent_attribute(context, scope, part)
            found = None if because is None else Fault(because)
        elif isinstance(part, ex.Subscript):
            because = absent_key(context, scope, part)
            found = None if because is None else Fault(because)
        elif isinstance(part, ex.Call) and part.statement is statement:
            found = _of_call(context, statement, part)
        if found is not None:
            return found
    because = misfit(context, statement)
    made = statement.value if isinstance(statement, Bind) else None
    return None if because is None else Fault(because, made)


def _evaluated(statement: Statement) -> Iterator[ex.Expression]:
    """The parts of a statement that it evaluates whatever comes out of the others."""
    waiting = list(walk.expressions(statement)) if isinstance(statement, _IN_ITSELF) else []
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, _LATER):
            waiting += walk.children(part)


def fault_inside(context: AnalysisContext, statement: Statement) -> str | None:
    """Why a statement fails whenever it runs, as a function does that it calls; None if it may not.

    Looked at are the statements of the function's own block, up to one by which it may return.
    """
    calls = (part for part in _evaluated(statement) if isinstance(part, ex.Call))
    for call in calls:
        callees = context.solver.values(call.function, context.solver.root(call.scope))
        scopes = [_runs(context, callee) for callee in callees]
        found = [None if scope is None else _first_fault(context, scope) for scope in scopes]
        if found and all(found):
            return f"`{call.name}` fails in its own code, where {found[0]}"
    return None


def _runs(context: AnalysisContext, callee: Value) -> Scope | None:
    """The function that a call runs; of a method those of all heirs are asked one by one."""
    if isinstance(callee, Method) and isinstance(callee.receiver, Instance):
        return None if callee.scope.decorators else callee.scope
    return entered(context, callee)


def _first_fault(context: AnalysisContext, scope: Scope) -> str | None:
    if scope.yields or scope.is_async:
        return None
    for statement in scope.body.statements:
        found = fault(context, scope, statement)
        if found is not None:
            return found.because
        inside = (s for block in walk.blocks(statement) for s in walk.statements(block))
        if any(isinstance(s, Return) for s in (statement, *inside)):
            return None
    return None


def _of_call(context: AnalysisContext, statement: Statement, call: ex.Call) -> Fault | None:
    if isinstance(statement, Evaluate) and _ENDING & {*library_callees(context, call)}:
        return Fault(f"`{call.name}` ends the program here", call)
    because = certain_raise(context, call)
    if because is not None:
        return Fault(f"`{call.name}` {because}", call)
    because = _refused(context, call)
    return None if because is None else Fault(f"`{call.name}` {because}")


def _unread(context: AnalysisContext, scope: Scope, name: ex.Reference) -> str | None:
    """Why a name cannot be read where it stands; None where it may be."""
    if is_unbound_yet(name, scope):
        return f"`{name.name}` is bound only later in `{scope.name}`"
    module = scope.module
    if scope.kind == "module" and _is_in_order(context, module) and is_bound_below(name, module):
        return f"`{name.name}` is bound only later"
    if not is_unbound(name, scope) or not _is_written_out(context, module):
        return None
    if context.project.writing(name.name) or not _is_in_use(context, module):
        return None  # another module may give it: `settings.LOG = print`
    return f"`{name.name}` is bound nowhere"


def bound_behind(
    context: AnalysisContext, scope: Scope, statement: Statement, until: float
) -> str | None:
    """A name that a statement reads, and that is bound between its end and a place alone."""
    in_order = scope.kind == "module" and _is_in_order(context, scope.module)
    if not in_order and scope.kind != "function":
        return None
    names = (p.name for p in _evaluated(statement) if isinstance(p, ex.Reference))
    return next((n for n in names if _is_behind(n, scope, statement.span[1], until)), None)


def _is_behind(name: str, scope: Scope, start: int, until: float) -> bool:
    elsewhere = any(name in other.globals | other.nonlocals for other in scope.module.scopes)
    if elsewhere or any(parameter.name == name for parameter in scope.parameters):
        return False
    if scope.kind == "module" and name in BUILTINS:
        return False
    spans = [definition.span for definition in bindings_of(scope, name)]
    return bool(spans) and all(start <= span[0] < until for span in spans)


def is_unbound_yet(name: ex.Reference, scope: Scope) -> bool:
    """Whether a function binds a name of its own, and not before it is read.

    Nor does it where all that binds it reads it first: `skipped += 1`.
    """
    if scope.kind != "function" or name.name in scope.globals:
        return False
    if any(name.name in other.nonlocals for other in scope.module.scopes):
        return False
    bound = bindings_of(scope, name.name)
    if name.definition is None:
        return bool(bound)
    own = not any(parameter.name == name.name for parameter in scope.parameters)
    return own and bool(bound) and all(_counts_on(d) for d in bound)


def _counts_on(definition: ex.Definition) -> bool:
    """Whether a name is bound to what is reckoned from its old value."""
    value = definition.value
    old = value.left if isinstance(value, ex.Binary) else None
    return isinstance(old, ex.Reference) and old.name == definition.name


def is_bound_below(name: ex.Reference, module: ModuleIndex) -> bool:
    """Whether a name that the body of a module reads is bound there behind that place alone."""
    if name.definition is not None or name.name in {*BUILTINS, "_"} or name.name.startswith("__"):
        return False
    elsewhere = any(name.name in scope.globals for scope in module.scopes)
    return not elsewhere and bool(bindings_of(module.body, name.name))


def is_unbound(name: ex.Reference, scope: Scope) -> bool:
    """Whether neither a scope that a name is looked up in binds it, nor Python.

    Those are its own, the ones that lie around it, and what any function gives its module.
    """
    if name.definition is not None or name.name in {*BUILTINS, "_"} or name.name.startswith("__"):
        return False
    if any(name.name in other.globals for other in scope.module.scopes):
        return False
    return walk.binding_scope(scope, name.name) is None


def _is_written_out(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether all names of a module are those that its statements bind."""
    if module.star_imports or module.is_notebook or not module.path.endswith(".py"):
        return False
    return not may_bind_by_text(context.project, module)


def _is_in_order(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether the statements of a module run from the first to the last, and bind all names."""
    has_cells = context.project.holding(module.path, MARKS)
    return not has_cells and _is_written_out(context, module)


def _is_in_use(context: AnalysisContext, module: ModuleIndex) -> bool:
    """Whether a module is one of several of a program, or a script: no part that is shown alone."""
    graph = context.project.graph
    if is_code(module) and main_guards(module):
        return True
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
    return BoundArguments(CallArguments.of(call.arguments, frame), signature).mismatch


def cannot_enter(context: AnalysisContext, call: ex.Call, function: Scope) -> bool:
    """Whether a call of a function of a module gives it what it does not take, so that none of
    its code is run, whatever else the call may enter.
    """
    if function.owner is not None or function.decorators or any(a.star for a in call.arguments):
        return False
    frame = context.solver.root(call.scope)
    called = context.solver.values(call.function, frame)
    if not any(isinstance(x, FunctionObject) and x.scope is function for x in called):
        return False
    given = CallArguments.of(call.arguments, frame)
    return BoundArguments(given, signature_of(function, has_receiver=False)).mismatch is not None


def _signature(context: AnalysisContext, callee: Value) -> Signature | None:
    """What a function or class of the project takes; None where that is not certain."""
    scope = entered(context, callee)
    if scope is None:
        return None
    return signature_of(scope, has_receiver=not isinstance(callee, FunctionObject))
