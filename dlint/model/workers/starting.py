"""How the workers of a loader are started, by what the program says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.call_graph import IN_PROCESS, Edge, callers_of, started_by
from dlint.analyses.calls import calls_to, is_call_to
from dlint.analyses.control.call_paths import leading_to, origins_of
from dlint.analyses.control.path_tests import is_main_guard, tests_of_call
from dlint.ir import expressions as ex
from dlint.ir.module import ModuleIndex, Scope
from dlint.library_facts import start_methods
from dlint.library_facts.concurrency import OWN_STARTERS, PROCESSES, EdgeKind
from dlint.library_facts.start_methods import (
    CONTEXTS,
    LAUNCHERS,
    SETTERS,
    Circumstances,
    Launch,
    StartMethod,
)
from dlint.model.versions.admitted import Versions
from dlint.model.versions.version_specifiers import Admitted
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import (
    NONE,
    AllocationSite,
    Literal,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_ALL = frozenset(StartMethod)
_LAUNCHED = frozenset({StartMethod.SPAWN})


def start_methods_of(context: AnalysisContext, loader: Loader) -> frozenset[StartMethod]:
    """The methods by which the workers of a loader may be started on Linux."""
    return start_methods.methods(_circumstances(context, loader))


def is_method_chosen(context: AnalysisContext, loader: Loader) -> bool:
    """Whether the program says itself how the workers of a loader start, on every platform."""
    said = _circumstances(context, loader)
    return said.context is not None or (bool(said.chosen) and said.always)


def _circumstances(context: AnalysisContext, loader: Loader) -> Circumstances:
    scopes = [loop.scope for loop in loader.loops] or [loader.call.scope]
    chosen, always = _chosen(context, loader.call.scope.module, scopes)
    oldest, newest = _pythons(context, loader.call.scope.module.path)
    named, launched = _context(context, loader), launch(context, scopes)
    return Circumstances(named, chosen, always, launched, oldest, newest)


def _pythons(context: AnalysisContext, path: str) -> Admitted:
    """The Python versions that count for how workers start.

    Of "Python 3.8 or newer" in a README nobody can tell that a version was meant that came later.
    An older torch does not install on the newest Pythons, whatever else the project admits.
    """
    versions = context[Versions]
    likely, since = versions.likely_python(path), start_methods.FORKSERVER_SINCE
    needed = likely.oldest is not None and likely.oldest >= since
    found = likely if needed or likely.newest is not None else versions.python(path)
    torch = versions.torch(path).newest
    too_old = torch is not None and torch < start_methods.TORCH_FOR_FORKSERVER
    if needed or not too_old or (found.newest is not None and found.newest < since):
        return found
    return Admitted(found.oldest, (since[0], since[1] - 1))


def are_surely_forked(context: AnalysisContext, loader: Loader) -> bool:
    """Whether the workers of a loader are forked by what the project says: not by its silence."""
    if start_methods_of(context, loader) != {StartMethod.FORK}:
        return False
    if _context(context, loader) is not None:
        return True
    _, newest = context[Versions].python(loader.call.scope.module.path)
    return newest is not None and newest < start_methods.FORKSERVER_SINCE


def _context(context: AnalysisContext, loader: Loader) -> frozenset[StartMethod] | None:
    """What `multiprocessing_context=` may name; None where it is not given."""
    found: set[StartMethod] = set()
    for alternative in loader.argument("multiprocessing_context"):
        if alternative.value in (ABSENT, NONE):
            return None
        found |= _named(context, alternative.value)
    return frozenset(found)


def _named(context: AnalysisContext, value: object) -> frozenset[StartMethod]:
    """The method that a name or `get_context(name)` stands for; any where it is not known."""
    if isinstance(value, AllocationSite) and is_call_to(context, value.call, CONTEXTS):
        found = bind(context, value.call).values("method")
        value = next(iter(found)) if len(found) == 1 else None
    if isinstance(value, Literal) and value.value in list(StartMethod):
        return frozenset({StartMethod(str(value.value))})
    return _ALL


def _chosen(
    context: AnalysisContext, module: ModuleIndex, scopes: list[Scope]
) -> tuple[frozenset[StartMethod], bool]:
    """What the program gives `set_start_method`, and whether that certainly runs.

    Looked for in a module and in those of some functions, then where the calls begin that lead to
    these.
    """
    own = _chosen_in(context, {module, *(scope.module for scope in scopes)})
    if own[0] or not any(calls_to(context, *SETTERS)):
        return own
    begun = dict.fromkeys(o.module for scope in scopes for o in origins_of(context, scope))
    each = [_chosen_in(context, {begin}) for begin in begun]
    chosen = frozenset(method for methods, _ in each for method in methods)
    return chosen, bool(each) and all(always for _, always in each)


def _chosen_in(
    context: AnalysisContext, modules: set[ModuleIndex]
) -> tuple[frozenset[StartMethod], bool]:
    """What `set_start_method` is given in these modules, and whether it certainly runs."""
    found: set[StartMethod] = set()
    always = False
    for call in calls_to(context, *SETTERS):
        given = bind(context, call).values("method") if call.scope.module in modules else ()
        for value in given:
            found |= _named(context, value)
        always |= bool(given) and all(map(is_main_guard, _tests(call)))
    return frozenset(found), always


def _tests(call: ex.Call) -> Iterator[ex.Expression]:
    return (test for test, _ in tests_of_call(call))


def launch(context: AnalysisContext, scopes: Iterable[Scope]) -> Launch:
    """Whether code runs in processes that `torch.multiprocessing.spawn` has started."""
    launched = launched_functions(context)
    if not launched:
        return Launch.NEVER
    found = set().union(*(_launch(context, scope, launched) for scope in scopes))
    return found.pop() if len(found) == 1 else Launch.SOMETIMES if found else Launch.NEVER


def launched_functions(context: AnalysisContext) -> frozenset[Scope]:
    """The functions that run in processes whose own default method is `spawn`."""
    calls = calls_to(context, *LAUNCHERS, *PROCESSES)
    edges = (edge for call in calls for edge in started_by(context, call))
    return frozenset(edge.callee for edge in edges if StartMethod.SPAWN in _method(context, edge))


def _method(context: AnalysisContext, edge: Edge) -> frozenset[StartMethod]:
    """By which method a process is started that says so itself: its children follow it."""
    if is_call_to(context, edge.call, LAUNCHERS):
        given = bind(context, edge.call).values("start_method")
        return frozenset(m for value in given for m in _named(context, value)) or _LAUNCHED
    receiver = edge.call.function
    if not isinstance(receiver, ex.Attribute):
        return frozenset()
    made = context.values(receiver.value, edge.call.scope)
    contexts = [_named(context, v) for v in made if isinstance(v, AllocationSite)]
    return contexts[0] if len(contexts) == 1 and contexts[0] != _ALL else frozenset()


def launches_with_method(context: AnalysisContext) -> dict[Scope, ex.Call]:
    """The functions that `multiprocessing` runs in processes: there a method is set already."""
    calls = calls_to(context, *LAUNCHERS, *OWN_STARTERS)
    edges = (edge for call in calls for edge in started_by(context, call))
    return {edge.callee: edge.call for edge in edges if edge.kind is EdgeKind.PROCESS}


def _launch(context: AnalysisContext, scope: Scope, launched: frozenset[Scope]) -> set[Launch]:
    """How the paths of calls to a function begin: with a launch, or without one."""
    calls = leading_to(context, scope, callers_in_process)
    begun = {Launch.ALWAYS for s in (scope, *(c.scope for c in calls)) if s in launched}
    origins = origins_of(context, scope, callers_in_process)
    return begun | {Launch.NEVER for origin in origins if origin not in launched}


def callers_in_process(context: AnalysisContext, scope: Scope) -> list[ex.Call]:
    """The calls of a function in its own process: not those that launch it in another."""
    return callers_of(context, scope, IN_PROCESS)
