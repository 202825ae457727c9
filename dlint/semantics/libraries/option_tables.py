"""Whether the dict or list that declares options in a loop is known whole, and left alone.

Question: may anything but its literal decide what a table holds when the loop goes through it?
Followed: names, parameters over the calls of their function, globals, and functions that only read
the table. Everything else that touches it makes it uncertain. `_DEPTH` names deep.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.frontends.settings_files import Group
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Evaluate, Loop, Scope, Statement
from dlint.semantics.calls.binding import bind, bound_to, signature_of
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import Container, FunctionObject, Method

_READS = frozenset({"items", "keys", "values", "get"})
_READERS = frozenset({"print", "len", "list", "dict", "sorted", "set", "tuple"})
_DEPTH = 6


def is_certain(
    evaluator: Evaluator, table: ex.Expression, frame: CallContext, depth: int = 0
) -> bool:
    """Whether a table is one literal or settings of a file, and nothing changes it on its way."""
    if depth > _DEPTH:
        return False
    match table:
        case Group():
            return True
        case ex.Mapping():
            return all(isinstance(key, ex.Constant) for key, _ in table.items)
        case ex.Sequence():
            return all(isinstance(item, ex.Constant) for item in table.items)
        case ex.Call(function=ex.Reference(name="dict", definition=None)):
            return all(argument.keyword is not None for argument in table.arguments)
        case ex.Parameter():
            calls = evaluator.callers(frame.scope)
            certain = _certain_calls(evaluator, table, frame, depth)
            return bool(calls) and all(entered.call in certain for entered in calls)
        case ex.Reference(definition=ex.Definition() as definition):
            is_alone = _is_left_alone(evaluator.solver, frame, table, definition.span[0])
            return is_alone and is_certain(evaluator, definition.value, frame, depth + 1)
        case ex.Reference():
            return _is_certain_global(evaluator, table, frame, depth)
    return _is_settings(evaluator, table, frame)


def certain_calls(
    evaluator: Evaluator, table: ex.Expression, frame: CallContext
) -> set[ex.Call] | None:
    """Which calls of a function give it a table that is certain; None where it is no parameter."""
    match table:
        case ex.Reference(definition=ex.Definition(value=ex.Parameter() as parameter) as known):
            if _is_left_alone(evaluator.solver, frame, table, known.span[0]):
                return _certain_calls(evaluator, parameter, frame, 0)
            return set()
    return None


def _certain_calls(
    evaluator: Evaluator, parameter: ex.Parameter, frame: CallContext, depth: int
) -> set[ex.Call]:
    names = [spec.name for spec in frame.scope.parameters]
    found: set[ex.Call] = set()
    for entered in evaluator.callers(frame.scope):
        if entered.call is None or entered.passed is None or parameter.name not in names:
            continue
        bound = bound_to(entered)
        given = None if bound is None else bound[parameter.name].expression
        if given is not None and is_certain(evaluator, *given, depth + 1):
            found.add(entered.call)
    return found


def _is_certain_global(
    evaluator: Evaluator, table: ex.Reference, frame: CallContext, depth: int
) -> bool:
    """Whether this is so of a name that a module binds once, above every function."""
    body = frame.scope.module.body
    bound = tuple(evaluator.solver.bindings(body, table.name))
    rebinds = any(table.name in scope.globals for scope in body.module.scopes)
    if len(bound) != 1 or rebinds or table.name in _own_names(frame.scope):
        return False
    home = evaluator.solver.root(body)
    is_alone = _is_left_alone(evaluator.solver, home, table, None)
    return is_alone and is_certain(evaluator, bound[0].value, home, depth + 1)


def _own_names(scope: Scope) -> set[str]:
    """The names that a function, or one around it, binds itself."""
    around = [one for one in _outwards(scope) if one.kind != "module"]
    return {definition.name for one in around for definition in one.definitions}


def _outwards(scope: Scope) -> Iterator[Scope]:
    inner: Scope | None = scope
    while inner is not None:
        yield inner
        inner = inner.parent


def _is_settings(evaluator: Evaluator, table: ex.Expression, frame: CallContext) -> bool:
    """Whether a table holds settings of a file, and nothing else; writes to these are known."""
    values = evaluator.solver.values(table, frame)
    return bool(values) and all(
        isinstance(value, Container) and isinstance(value.origin, Group) for value in values
    )


# -- what may change a table between its making and its use


def _is_left_alone(
    solver: Solver, home: CallContext, name: ex.Reference, after: int | None
) -> bool:
    """Whether nothing may change what a name holds before it is read.

    In its own scope that is what stands between (of a global, where `after` is None, all of it);
    in the functions within, everything.
    """
    for scope in home.scope.module.scopes:
        is_own = scope is home.scope
        if not is_own and home.scope not in _outwards(scope):
            continue
        frame = home if is_own else solver.root(scope)
        for statement in walk.statements(scope.body):
            if is_own and after is not None and not after <= statement.span[0] < name.span[0]:
                continue
            for part in _disturbing(statement, name.name, solver, frame):
                is_bound_there = part.definition is not None and not is_own
                if part is not name and not is_bound_there:
                    return False
    return True


def _disturbing(
    statement: Statement, name: str, solver: Solver, frame: CallContext | None
) -> Iterator[ex.Reference]:
    """The uses of a name in a statement that are more than a read; no frame: no calls followed."""
    harmless: set[int] = set()
    written: set[int] = set()
    if isinstance(statement, Bind):
        written = {id(store.target) for store in statement.stores}
    elif isinstance(statement, Evaluate) and statement.deleted is not None:
        written = {id(part) for part in walk.walk(statement.deleted)}
    elif isinstance(statement, Loop):
        harmless = {id(statement.iterable)}
    for root in walk.expressions(statement):
        for part in walk.walk(root):
            if isinstance(part, ex.Reference):
                if part.name == name and id(part) not in harmless:
                    yield part
            elif id(part) not in written:
                harmless.update(map(id, _read(part, name, solver, frame)))


def _read(
    part: ex.Expression, name: str, solver: Solver, frame: CallContext | None
) -> Iterator[ex.Expression]:
    """The parts of an expression that it only reads."""
    match part:
        case ex.Subscript():
            yield part.value
        case ex.Attribute() if part.name in _READS:
            yield part.value
        case ex.Comparison(operator="in" | "not in"):
            yield part.right
        case ex.Call():
            known = isinstance(part.function, ex.Reference) and part.function.name in _READERS
            for argument in part.arguments:
                if not isinstance(argument.value, ex.Reference) or argument.value.name != name:
                    continue
                followed = frame is not None and _is_only_read(solver, frame, part, argument)
                if known or argument.star or followed:
                    yield argument.value


def _is_only_read(solver: Solver, frame: CallContext, call: ex.Call, argument: ex.Argument) -> bool:
    """Whether a call goes to functions of the project that only read one of its arguments."""
    passed = CallArguments.of(call.arguments, frame)
    values = solver.values(call.function, frame)
    for value in values:
        if not isinstance(value, FunctionObject | Method):
            return False
        signature = signature_of(value.scope, has_receiver=isinstance(value, Method))
        name = bind(passed, signature).parameter_of(argument)
        spec = None if name is None else signature.parameter(name)
        if spec is None or spec.kind in ("star", "starstar"):
            return False
        inner = [s for s in value.scope.module.scopes if value.scope in _outwards(s)]
        statements = (s for scope in inner for s in walk.statements(scope.body))
        if any(True for s in statements for _ in _disturbing(s, spec.name, solver, None)):
            return False
    return bool(values)
