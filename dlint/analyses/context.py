"""The context of an analysis: one project, what its expressions denote, and queries about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from dlint.analyses.relevant_scopes import RelevantScopes
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir.module import ModuleIndex, Scope
from dlint.semantics.assembly import evaluator_of, solver_of
from dlint.semantics.project import Facts, Project
from dlint.semantics.values.ordered_set import OrderedSet
from dlint.semantics.values.solver import BUDGET
from dlint.semantics.values.values import Value

T = TypeVar("T")

APART = "too much flows between this project's modules: each was looked at by itself"
"""What is noted of a program that is not looked at as a whole."""
_LOST = "too much flows inside this module: it was not checked"
_LATE = "the analysis was cut short: some values are unknown that could be known"
_ALONE = 600_000
"""The budget of a module that is looked at by itself."""


def everywhere(_: str) -> bool:
    """Findings are wanted of every file."""
    return True


class AnalysisContext:
    """One project, what its expressions denote, and the answers to queries about it.

    A query is a class or function of the context alone. It is asked by `context[query]` and
    computed once; it must not change what it is given. No query is known here: what a rule asks
    for, it imports.
    """

    def __init__(self, project: Project, seeds: Iterable[str], budget: int = BUDGET) -> None:
        self.project = project
        self._answers: dict[object, Any] = {}
        self._modules: list[Facts] = []
        self.told: Callable[[str], bool] = everywhere
        """Of which files findings are wanted: a rule need not look for others."""
        self.solver = solver_of(project, budget)
        self.evaluator = evaluator_of(self.solver)
        for path in seeds:
            project.load(path)
        self.reach = RelevantScopes(self.solver)
        self.reach.extend()

    def __getitem__(self, query: Callable[[AnalysisContext], T]) -> T:
        """The answer to a question about the whole program, found once: `context[Loaders]`."""
        if query not in self._answers:
            self._answers[query] = query(self)
        answer: T = self._answers[query]
        return answer

    def let_go(self) -> None:
        """Forget all answers, so that their memory is free: nothing is asked any more."""
        self._answers.clear()
        self.solver.let_go()
        self.project.let_go()

    def notes(self) -> list[str]:
        """What was cut short."""
        return [_LATE] if self.solver.exhausted else []

    @property
    def modules(self) -> list[Facts]:
        """The modules that matter, in the order of their paths."""
        if len(self._modules) < len(self.project.loaded):
            self._modules = sorted(self.project.loaded, key=lambda facts: facts.module.path)
        return self._modules

    def place(self, module: ModuleIndex, span: Span) -> Place:
        """A span of a module as a place."""
        return Place(module.path, *span)

    def place_of(self, call: ex.Call) -> Place:
        """Where a call stands."""
        return Place(call.scope.module.path, *call.span)

    def values(self, expression: ex.Expression, scope: Scope) -> OrderedSet[Value]:
        """What an expression of `scope` may denote, over every activation."""
        return self.solver.values(expression, self.solver.root(scope))

    def reached(self) -> list[Scope]:
        """The scopes that a loader or a batch may come to, by module and place."""
        return sorted(self.reach.scopes, key=lambda scope: (scope.module.path, scope.span))

    @property
    def is_of_tests(self) -> bool:
        """Whether this is the run over the test files of a project."""
        return self.project.searched is not None

    @cached_property
    def reached_modules(self) -> frozenset[ModuleIndex]:
        """The modules that a loader or a batch may come to."""
        return frozenset(scope.module for scope in self.reach.scopes)


def analysis_contexts(
    project: Project, seeds: Sequence[str], notes: list[str], budget: int = BUDGET
) -> Iterator[AnalysisContext]:
    """The program of a project; where that is past the budget, one of each seed by itself.

    What was left out is added to `notes`.
    """
    yield from whole_context(project, seeds, notes, budget)
    if APART in notes:
        yield from contexts_apart(project, seeds, notes, budget)


def whole_context(
    project: Project, seeds: Sequence[str], notes: list[str], budget: int = BUDGET
) -> Iterator[AnalysisContext]:
    """The program of a project; none where that is past the budget, as `notes` say then."""
    whole = AnalysisContext(project, seeds, budget)
    if not whole.solver.exhausted:
        yield whole
        notes += whole.notes()
    else:
        whole.let_go()
        notes.append(APART)


def contexts_apart(
    project: Project, seeds: Sequence[str], notes: list[str], budget: int = BUDGET
) -> Iterator[AnalysisContext]:
    """Each seed of a project by itself; those past their budget are added to `notes`."""
    for seed in seeds:
        alone = AnalysisContext(project.unlinked(), [seed], min(budget, _ALONE))
        if alone.solver.exhausted:
            notes.append(f"{_LOST}: {seed}")
        else:
            yield alone
