"""Calls of `set_sharing_strategy`: what they set, when they run, and whether workers see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to, is_call_to
from dlint.analyses.control.call_paths import entered_by, leading_to, on_every_path
from dlint.analyses.control.order import When, relative_order
from dlint.analyses.control.path_tests import runs_at_import, runs_whenever, tests_of_call
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Evaluate, ModuleIndex, Scope
from dlint.library_facts import start_methods
from dlint.library_facts.readers import is_dataset_base
from dlint.library_facts.sharing_strategies import (
    FILE_DESCRIPTOR,
    SETTERS,
    STRATEGIES,
    WITHOUT_DESCRIPTORS,
)
from dlint.library_facts.start_methods import FRESH, Launch, StartMethod
from dlint.model.loading.loaders import Loaders
from dlint.model.workers import starting as workers
from dlint.model.workers.order import Start, Starts
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    External,
    FunctionObject,
    Literal,
    Method,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_IMPORTS = 3
"""How many imports, one by the other, are followed."""
_DESCRIPTORS = lazily(
    rb"(?i)RLIMIT|ulimit|ancdata|EMFILE|open files|file[- ]descriptors|\bfds?\b"
    rb"|/issues/(973|11201)\b"
)


class Unreached(NamedTuple):
    """A loader whose workers do not see the strategy."""

    loader: Loader
    methods: frozenset[StartMethod]
    """The methods by which its workers begin as new interpreters."""
    is_certain: bool
    """Whether they begin so on every path; else a launcher may decide."""


@dataclass(eq=False)
class StrategyCall:
    """One call of `torch.multiprocessing.set_sharing_strategy`."""

    context: AnalysisContext
    call: ex.Call
    starts: Starts
    others: tuple[ex.Call, ...] = ()
    """The other calls of the project that set a strategy."""

    @property
    def place(self) -> Place:
        """Where the call stands."""
        return self.context.place_of(self.call)

    @property
    def is_in_function(self) -> bool:
        """Whether it stands in a function or class, not in the module itself."""
        return self.call.scope.kind != "module"

    @property
    def statement_place(self) -> Place | None:
        """The statement that is nothing but the call; None where it does more."""
        statement = self.call.statement
        if not isinstance(statement, Evaluate) or statement.value is not self.call:
            return None
        return Place(self.call.scope.module.path, *statement.span)

    # -- what is set

    @cached_property
    def names(self) -> frozenset[str]:
        """The strategies that are set; empty where one of them is not known."""
        found = bind(self.context, self.call).values("new_strategy")
        named = {v.value for v in found if isinstance(v, Literal) and isinstance(v.value, str)}
        whole = len(named) == len(found) and not any(name.endswith("…") for name in named)
        return frozenset(named) if whole else frozenset()

    @property
    def wrong_names(self) -> list[str]:
        """Names that torch refuses."""
        return sorted(self.names - set(STRATEGIES))

    @property
    def refusing_platform(self) -> str | None:
        """The platform that the code tests for and that has no file descriptors to share."""
        if self.names != {FILE_DESCRIPTOR}:
            return None
        for test, truth in tests_of_call(self.call):
            if truth and isinstance(test, ex.Comparison) and test.operator == "==":
                for side in (test.left, test.right):
                    if isinstance(side, ex.Constant) and side.value in WITHOUT_DESCRIPTORS:
                        return WITHOUT_DESCRIPTORS[str(side.value)]
        return None

    @property
    def is_for_platform(self) -> bool:
        """Whether the code asks for the platform first: macOS has one strategy only."""
        return any(
            isinstance(part, ex.Constant) and part.value in WITHOUT_DESCRIPTORS
            for test, _ in tests_of_call(self.call)
            for part in walk.walk(test)
        )

    @property
    def speaks_of_descriptors(self) -> bool:
        """Whether its file speaks of the limit of open files, as a reason for what is set."""
        return self.context.project.says(self.call.scope.module.path, _DESCRIPTORS)

    # -- when it runs

    @cached_property
    def earlier(self) -> tuple[Start, ...]:
        """Workers that have certainly started when the call runs."""
        return self._before(self.call) or on_every_path(
            self.context, self.call.scope, self._before, workers.callers_in_process
        )

    def _before(self, call: ex.Call) -> tuple[Start, ...]:
        return self._starts(call, When.BEFORE)

    @cached_property
    def later(self) -> tuple[Start, ...]:
        """Workers that start after the call, in its function or in those that call it."""
        calls = (self.call, *self._callers)
        return tuple(start for call in calls for start in self._starts(call, When.AFTER))

    @cached_property
    def _callers(self) -> tuple[ex.Call, ...]:
        """The calls in this process that lead to the function of the call."""
        scope, callers = self.call.scope, workers.callers_in_process
        return tuple(leading_to(self.context, scope, callers))

    def _starts(self, call: ex.Call, wanted: When) -> tuple[Start, ...]:
        """Starts in the function of `call` that certainly come before it, or may come after."""
        return tuple(
            start
            for start in self.starts.of(call.scope)
            if wanted in relative_order(start.statement, call.statement) and self._loaders([start])
        )

    def _loaders(self, starts: Iterable[Start]) -> list[Loader]:
        """The loaders of some starts that may have workers."""
        found = dict.fromkeys(made for start in starts for made in start.loaders)
        loaders = (self.context[Loaders].of(made) for made in found)
        return [loader for loader in loaders if not loader.workers_absent]

    @property
    def kept_workers(self) -> list[Loader]:
        """Loaders that have started their workers before and keep them."""
        return [
            loader
            for loader in self._loaders(self.earlier)
            if any(a.is_true for a in loader.argument("persistent_workers"))
        ]

    @property
    def never_acts(self) -> bool:
        """Whether no workers start after the call, other than those that are kept."""
        kept = {loader.made for loader in self.kept_workers}
        return all(loader.made in kept for loader in self._loaders(self.later))

    @property
    def is_repeated(self) -> bool:
        """Whether the strategy was set in time already, here or when a module was imported."""
        early = [other for other in self.others if runs_at_import(other)]
        imported = self._imported() if early else set()
        if any(other.scope.module.path in imported for other in early):
            return True
        return any(
            other.scope is self.call.scope
            and When.BEFORE in relative_order(other.statement, self.call.statement)
            for other in self.others
        )

    def _imported(self) -> set[str]:
        """The paths of the module of the call, and of those that it imports, a few steps deep."""
        modules = {facts.module.path: facts.module for facts in self.context.modules}
        found = {self.call.scope.module.path}
        for _ in range(_IMPORTS):
            found |= {
                path
                for importer in found & modules.keys()
                for definition in modules[importer].body.definitions
                for path in self._targets(definition.value, modules[importer])
            }
        return found

    # -- who sees it

    @cached_property
    def unreached(self) -> list[Unreached]:
        """The loaders whose workers do not see the strategy."""
        if self._runs_again_in_workers() or self._is_beside_fork:
            return []
        found = []
        for loader in self._loaders(self.later):
            scopes = [loop.scope for loop in loader.loops]
            methods = workers.start_methods_of(self.context, loader)
            sometimes = workers.launch(self.context, scopes) is Launch.SOMETIMES
            always = not methods - FRESH
            if (always or sometimes) and not self._is_set_by_workers(loader):
                found.append(Unreached(loader, methods & FRESH, always))
        return found

    @property
    def _is_beside_fork(self) -> bool:
        """Whether each run of the call has chosen before that workers are forked."""
        calls = calls_to(self.context, *start_methods.SETTERS)
        here = (c for c in calls if c.scope is self.call.scope)
        given = [bind(self.context, c).values("method") for c in here if self._follows(c)]
        forks = {Literal.of(StartMethod.FORK.value)}
        return any(bool(values) and values <= forks for values in given)

    def _follows(self, other: ex.Call) -> bool:
        """Whether each run of the call has made another one before."""
        one, call = other.statement, self.call.statement
        return When.BEFORE in relative_order(one, call) and runs_whenever(one, call)

    def _runs_again_in_workers(self) -> bool:
        """Whether the call stands where fresh interpreters, or workers themselves, run it."""
        calls = (self.call, *self._callers)
        return any(runs_at_import(c) or self._is_worker_side(c.scope) for c in calls)

    def _is_worker_side(self, scope: Scope) -> bool:
        """Whether a function is a method of a dataset, or one that workers are given."""
        bases = self.context.solver.classes.externals(scope.owner) if scope.owner else ()
        is_method = scope.kind != "module" and any(map(is_dataset_base, bases))
        return is_method or scope in self._worker_functions

    @cached_property
    def _worker_functions(self) -> set[Scope]:
        every = (x for found in self.context[Loaders].by_call().values() for x in found)
        return {
            value.scope
            for loader in every
            for name in ("worker_init_fn", "collate_fn")
            for value in loader.values(name)
            if isinstance(value, FunctionObject | Method)
        }

    def _is_set_by_workers(self, loader: Loader) -> bool:
        """Whether `worker_init_fn` sets a strategy, as far as is known."""
        for value in loader.values("worker_init_fn"):
            if isinstance(value, FunctionObject | Method):
                if self._sets(value.scope):
                    return True
            elif value not in (NONE, UNKNOWN) and not isinstance(value, External):
                return True
        return False

    def _sets(self, scope: Scope) -> bool:
        scopes = (scope, *entered_by(self.context, scope.calls))
        return any(is_call_to(self.context, call, SETTERS) for s in scopes for call in s.calls)

    @property
    def is_imported_late(self) -> bool:
        """Whether its module is imported inside functions only: workers do not import it."""
        module = self.call.scope.module
        nested = top = False
        for facts in self.context.modules:
            for scope in facts.module.scopes:
                for definition in scope.definitions:
                    if module.path in self._targets(definition.value, facts.module):
                        top |= scope.kind == "module"
                        nested |= scope.kind != "module"
        return nested and not top

    def _targets(self, value: ex.Expression, importer: ModuleIndex) -> set[str]:
        """The files that an import in a module may read."""
        if not isinstance(value, ex.Imported):
            return set()
        imports = self.context.project.imports
        path = imports.resolve(importer.path, value.module, value.level)
        inner = imports.member(path, value.name) if path and value.name else None
        return {found for found in (path, inner) if found is not None}


def strategy_calls(context: AnalysisContext) -> Iterator[StrategyCall]:
    """Every call that sets torch's sharing strategy, in the order of places."""
    found = list(calls_to(context, *SETTERS))
    starts = Starts(context) if found else None
    for call in found:
        assert starts is not None
        yield StrategyCall(context, call, starts, tuple(c for c in found if c is not call))
