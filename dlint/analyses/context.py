"""The program under analysis: what rules ask, and all they ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import itemgetter

from dlint.analyses.relevant_scopes import RelevantScopes, loader_calls
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Loop, ModuleIndex, Scope, Store
from dlint.model.broken_code import is_broken, is_out_of_reach
from dlint.model.configured import ConfiguredLoader, configured_loaders
from dlint.model.datasets import DatasetClass, dataset_classes
from dlint.model.distributed import Distributed
from dlint.model.entry_points import EntryPoints
from dlint.model.frameworks import Consumption
from dlint.model.iterator_resets import renewals
from dlint.model.loaders import Loaders
from dlint.model.loops import BatchLoop, batch_loops, iterated, members
from dlint.model.samplers import EpochSetter, Sampler, epoch_setters, epoch_stores, samplers
from dlint.model.versions import Versions
from dlint.model.worker_code import WorkerCode
from dlint.semantics.calls import attributes
from dlint.semantics.project import Facts, Project
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import BUDGET, Solver
from dlint.semantics.values.values import AllocationSite, ClassObject, FunctionObject, Method, Value

_CUDA = re.compile(rb"cuda|nccl|[\"']gpu[\"']|torch\.accelerator|torch\.xpu|torch_npu|GradScaler")
_ACCELERATORS = ("cuda", "nccl", "accelerator", "xpu", "torch_npu", "GradScaler", "mps")
_GRAPHS = re.compile(rb"CUDAGraph|cuda\.graph\(|make_graphed_callables")
_MPS = re.compile(rb"[\"']mps[\"']|backends\.mps")


_APART = "too much flows between this project's modules: each was looked at by itself"
_LOST = "too much flows inside this module: it was not checked"
_LATE = "the analysis was cut short: some values are unknown that could be known"
_ALONE = 300_000
"""The budget of a module that is looked at by itself."""


class AnalysisContext:
    """One project, its evaluator, and the questions about its text that rules share."""

    def __init__(self, project: Project, seeds: Iterable[str], budget: int = BUDGET) -> None:
        self.project = project
        self._joins: dict[tuple[Scope, str], ex.Join] = {}
        self._runnable: dict[str, bool] = {}
        self._loaders_given: dict[ex.Call, frozenset[AllocationSite]] = {}
        self.solver = Solver(project, budget)
        self.evaluator = Evaluator(self.solver)
        for path in seeds:
            project.load(path)
        self.reach = RelevantScopes(self.solver)
        self.reach.extend()

    def notes(self) -> list[str]:
        """What was cut short."""
        return [*([_LATE] if self.solver.exhausted else []), *self.project.notes]

    @property
    def modules(self) -> list[Facts]:
        """The modules that matter, in the order of their paths."""
        return sorted(self.project.loaded, key=lambda facts: facts.module.path)

    def place(self, module: ModuleIndex, span: Span) -> Place:
        """A span of a module as a place."""
        return Place(module.path, *span)

    def place_of(self, call: ex.Call) -> Place:
        """Where a call stands."""
        return Place(call.scope.module.path, *call.span)

    def values(self, expression: ex.Expression, scope: Scope) -> frozenset[Value]:
        """What an expression of `scope` may denote, over every activation."""
        return self.solver.values(expression, self.solver.root(scope))

    def calls(self, *names: str) -> Iterator[ex.Call]:
        """Calls in reached scopes whose callee ends in one of these names, in order."""
        found = [pair for name in set(names) for pair in self._calls.get(name, ())]
        for _, call in sorted(found, key=itemgetter(0)):
            if not walk.is_unreachable(call.statement):
                yield call

    @cached_property
    def _calls(self) -> dict[str, list[tuple[int, ex.Call]]]:
        """The calls of reached scopes by the last names of their callees, numbered in order."""
        found: dict[str, list[tuple[int, ex.Call]]] = {}
        calls = (call for scope in self.reached() for call in scope.calls)
        for number, call in enumerate(calls):
            if call.name is not None:
                found.setdefault(call.name, []).append((number, call))
        return found

    def reached(self) -> list[Scope]:
        """The scopes that a loader or a batch may come to, by module and place."""
        return sorted(self.reach.scopes, key=lambda scope: (scope.module.path, scope.span))

    def loader_calls(self) -> Iterator[ex.Call]:
        """Calls that may make a loader or a sampler, by their names."""
        for facts in self.modules:
            yield from loader_calls(facts)

    @cached_property
    def loaders(self) -> Loaders:
        """All loaders, with the transfers of their batches."""
        return Loaders(self)

    @cached_property
    def configured(self) -> tuple[ConfiguredLoader, ...]:
        """The loaders that frameworks make by a configuration."""
        return configured_loaders(self)

    @cached_property
    def frameworks(self) -> Consumption:
        """The frameworks that loaders go through."""
        return Consumption(self)

    @cached_property
    def batch_loops(self) -> tuple[BatchLoop, ...]:
        """All places where loaders are iterated."""
        return tuple(x for x in batch_loops(self) if not is_out_of_reach(self, x.scope))

    @cached_property
    def dataset_classes(self) -> tuple[DatasetClass, ...]:
        """The project's dataset classes that loaders are given."""
        return tuple(dataset_classes(self))

    @cached_property
    def versions(self) -> Versions:
        """The versions of torch and Python that the project admits."""
        return Versions()

    @cached_property
    def worker_code(self) -> WorkerCode:
        """The functions that run in the workers of loaders."""
        return WorkerCode(self)

    @cached_property
    def samplers(self) -> tuple[Sampler, ...]:
        """All distributed samplers."""
        return tuple(samplers(self))

    @cached_property
    def epoch_setters(self) -> tuple[EpochSetter, ...]:
        """All places that set an epoch."""
        return tuple(epoch_setters(self))

    @cached_property
    def epoch_stores(self) -> tuple[Store, ...]:
        """All writes to an attribute `epoch`."""
        return tuple(epoch_stores(self))

    @cached_property
    def renewals(self) -> tuple[BatchLoop, ...]:
        """The places that begin an iterator which other code reads."""
        return tuple(renewals(self))

    @property
    def is_of_tests(self) -> bool:
        """Whether this is the run over the test files of a project."""
        return self.project.searched is not None

    @cached_property
    def entry_points(self) -> EntryPoints:
        """The scripts that people start."""
        return EntryPoints(self)

    @cached_property
    def distributed(self) -> Distributed:
        """Who runs as one of several ranks."""
        return Distributed(self)

    def loaders_given(self, call: ex.Call) -> frozenset[AllocationSite]:
        """The loaders among the arguments of a call."""
        if call not in self._loaders_given:
            found = (m for a in call.arguments for m in self.loaders_in(a.value, call.scope))
            self._loaders_given[call] = frozenset(found)
        return self._loaders_given[call]

    def loaders_in(self, expression: ex.Expression, scope: Scope) -> set[AllocationSite]:
        """The loaders that an expression denotes, holds or gives the batches of."""
        values = self.values(expression, scope)
        return {m for v in values for m in (*members(self.solver, v), *iterated(self.solver, v))}

    @cached_property
    def _loops_of(self) -> dict[AllocationSite, list[BatchLoop]]:
        found: dict[AllocationSite, list[BatchLoop]] = {}
        for loop in self.batch_loops:
            for made in loop.loaders:
                found.setdefault(made, []).append(loop)
        return found

    def loops_of(self, made: AllocationSite) -> list[BatchLoop]:
        """The places where one loader is iterated."""
        return self._loops_of.get(made, [])

    def callees(self, call: ex.Call) -> list[Scope]:
        """The functions of the project that a call may enter."""
        found: list[Scope] = []
        for value in self.values(call.function, call.scope):
            if isinstance(value, FunctionObject | Method):
                found.append(value.scope)
            elif isinstance(value, ClassObject):
                init = self.solver.classes.method(value.cls, "__init__")
                found += [] if init is None else [init]
            elif (cls := attributes.project_class(value)) is not None:
                for name in ("__call__", "forward"):
                    method = self.solver.classes.method(cls, name)
                    found += [] if method is None else [method]
        return found

    def callers(self, scope: Scope) -> list[ex.Call]:
        """The calls of a function in the project."""
        frames = self.evaluator.callers(scope)
        return list(dict.fromkeys(f.call for f in frames if f.call is not None))

    def statement_place(self, loop: BatchLoop) -> Place:
        """The header of a batch loop, or the whole statement that reads batches."""
        statement = loop.statement
        span = statement.header if isinstance(statement, Loop) else statement.span
        return Place(loop.scope.module.path, *span)

    def names_before(self, scope: Scope, loop: Loop) -> Iterator[tuple[str, ex.Expression]]:
        """The local names that are bound before a loop in its scope, the latest first."""
        for definition in reversed(scope.definitions):
            if definition.span[0] < loop.span[0]:
                final = definition.value
                yield definition.name, self.joined(scope, definition.name, final)

    def joined(self, scope: Scope, name: str, value: ex.Expression) -> ex.Expression:
        """All that a name is bound to in a scope."""
        found = tuple(d.value for d in self.solver.bindings(scope, name))
        return (
            value
            if len(found) < 2
            else self._joins.setdefault((scope, name), ex.Join(value.span, found))
        )

    def mentions_cuda(self, module: ModuleIndex) -> bool:
        """Whether a module's text speaks of CUDA or another accelerator."""
        return _CUDA.search(self.project.text(module.path)) is not None

    @cached_property
    def targets_accelerator(self) -> bool:
        """Whether a module that a loader comes to speaks of CUDA or another accelerator."""
        return any(self.mentions_cuda(module) for module in self._reached_modules)

    @cached_property
    def stays_on_cpu(self) -> bool:
        """Whether nothing in the whole project speaks of another device."""
        if self.targets_accelerator or self.may_use_mps:
            return False
        return not self.project.speaks_of(_ACCELERATORS)

    @cached_property
    def _reached_modules(self) -> set[ModuleIndex]:
        return {scope.module for scope in self.reach.scopes}

    def can_run(self, path: str) -> bool:
        """Whether nothing is known to keep the file at `path` from being imported."""
        known = self._runnable.get(path)
        if known is None:
            facts = self.project.load(path) if self.project.is_loaded(path) else None
            known = self._runnable[path] = facts is None or not is_broken(self, facts.module)
        return known

    def may_capture_graphs(self, path: str) -> bool:
        """Whether a file, or one of the project's that it imports, records CUDA graphs."""
        return path in self._graph_importers

    @cached_property
    def _graph_importers(self) -> set[str]:
        files = self.project.files
        return self.project.graph.importers(
            path for path in files if _GRAPHS.search(self.project.text(path))
        )

    def captures_graphs(self, module: ModuleIndex) -> bool:
        """Whether a module records CUDA graphs, which fix the addresses they copy from."""
        return _GRAPHS.search(self.project.text(module.path)) is not None

    def mentions_mps(self, module: ModuleIndex) -> bool:
        """Whether a module's text speaks of Apple's MPS device."""
        return _MPS.search(self.project.text(module.path)) is not None

    @cached_property
    def may_use_mps(self) -> bool:
        """Whether a module that a loader comes to chooses Apple's MPS device."""
        return any(map(self.mentions_mps, self._reached_modules))


def programs(
    project: Project, seeds: list[str], notes: list[str], budget: int = BUDGET
) -> Iterator[AnalysisContext]:
    """The program of a project; where that is past the budget, one of each seed by itself.

    What was left out is added to `notes`.
    """
    whole = AnalysisContext(project, seeds, budget)
    if not whole.solver.exhausted:
        yield whole
        notes += whole.notes()
        return
    notes.append(_APART)
    for seed in seeds:
        alone = AnalysisContext(project.unlinked(), [seed], min(budget, _ALONE))
        if alone.solver.exhausted:
            notes.append(f"{_LOST}: {seed}")
        else:
            yield alone
