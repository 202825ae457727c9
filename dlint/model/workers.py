"""How the workers of a loader are started, by what the program says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses import guards
from dlint.analyses.call_graph import callers_of
from dlint.ir import expressions as ex
from dlint.ir.module import ModuleIndex, Scope
from dlint.library_facts import start_methods
from dlint.library_facts.start_methods import LAUNCHERS, SETTERS, Circumstances, Launch, StartMethod
from dlint.model.versions import Versions
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    External,
    FunctionObject,
    Literal,
    Method,
    Value,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loader import Loader

_DEPTH = 4
_ALL = frozenset(StartMethod)


def start_methods_of(context: AnalysisContext, loader: Loader) -> frozenset[StartMethod]:
    """The methods by which the workers of a loader may be started on Linux."""
    scopes = [loop.scope for loop in loader.loops] or [loader.call.scope]
    modules = {scope.module for scope in (*scopes, loader.call.scope)}
    chosen, always = _chosen(context, modules)
    oldest, newest = context[Versions].python(loader.call.scope.module.path)
    return start_methods.methods(
        Circumstances(_context(loader), chosen, always, launch(context, scopes), oldest, newest)
    )


def _context(loader: Loader) -> frozenset[StartMethod] | None:
    """What `multiprocessing_context=` may name; None where it is not given."""
    found: set[StartMethod] = set()
    for alternative in loader.argument("multiprocessing_context"):
        if alternative.value in (ABSENT, NONE):
            return None
        found |= _named(alternative.value)
    return frozenset(found)


def _named(value: object) -> frozenset[StartMethod]:
    """The method that a name or `get_context(name)` stands for; any where it is not known."""
    if (
        isinstance(value, AllocationSite)
        and value.call.name == "get_context"
        and value.call.arguments
    ):
        argument = value.call.arguments[0].value
        value = Literal.of(argument.value) if isinstance(argument, ex.Constant) else value
    if isinstance(value, Literal) and value.value in list(StartMethod):
        return frozenset({StartMethod(str(value.value))})
    return _ALL


def _chosen(
    context: AnalysisContext, modules: set[ModuleIndex]
) -> tuple[frozenset[StartMethod], bool]:
    """What `set_start_method` is given in these modules, and whether it certainly runs."""
    found: set[StartMethod] = set()
    always = False
    for call in _calls(context, "set_start_method"):
        if call.scope.module in modules and call.arguments and _is(context, call, SETTERS):
            for value in context.values(call.arguments[0].value, call.scope):
                found |= _named(value)
            always |= all(map(guards.is_main_guard, _tests(call)))
    return frozenset(found), always


def _calls(context: AnalysisContext, *names: str) -> Iterator[ex.Call]:
    """Calls by their last names, wherever they stand."""
    return (c for facts in context.modules for name in names for c in facts.calls.get(name, ()))


def _is(context: AnalysisContext, call: ex.Call, paths: frozenset[str]) -> bool:
    found = context.solver.names.static(call.function, call.scope)
    return any(isinstance(value, External) and value.path in paths for value in found)


def _tests(call: ex.Call) -> Iterator[ex.Expression]:
    return (test for test, _ in guards.around(call.scope, call.span))


def launch(context: AnalysisContext, scopes: Iterable[Scope]) -> Launch:
    """Whether code runs in processes that `torch.multiprocessing.spawn` has started."""
    launched = launched_functions(context)
    if not launched:
        return Launch.NEVER
    return _together([_launch(context, scope, launched, _DEPTH) for scope in scopes])


def launched_functions(context: AnalysisContext) -> frozenset[Scope]:
    """The functions that `torch.multiprocessing.spawn` runs."""
    found: set[Scope] = set()
    for call in _calls(context, "spawn", "start_processes"):
        if _is(context, call, LAUNCHERS):
            found |= set(launched_by(context, call))
    return frozenset(found)


def launched_by(context: AnalysisContext, call: ex.Call) -> Iterator[Scope]:
    """The functions that one launching call runs."""
    if not _is(context, call, LAUNCHERS) or not call.arguments:
        return
    given = next((a.value for a in call.arguments if a.keyword == "fn"), call.arguments[0].value)
    for value in context.values(given, call.scope):
        scope = _scope(value)
        if scope is not None:
            yield scope


def _scope(value: Value) -> Scope | None:
    return value.scope if isinstance(value, FunctionObject | Method) else None


def _launch(
    context: AnalysisContext, scope: Scope, launched: frozenset[Scope], depth: int
) -> Launch:
    if scope.kind == "module" or depth == 0:
        return Launch.NEVER
    callers = [
        _launch(context, c.scope, launched, depth - 1) for c in callers_in_process(context, scope)
    ]
    return _together([*callers, *([Launch.ALWAYS] if scope in launched else [])])


def callers_in_process(context: AnalysisContext, scope: Scope) -> list[ex.Call]:
    """The calls of a function in its own process: not those that launch it in another."""
    return [call for call in callers_of(context, scope) if not _is(context, call, LAUNCHERS)]


def _together(found: list[Launch]) -> Launch:
    if found and all(one is Launch.ALWAYS for one in found):
        return Launch.ALWAYS
    return Launch.NEVER if all(one is Launch.NEVER for one in found) else Launch.SOMETIMES
