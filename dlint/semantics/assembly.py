"""The solver and the evaluator of a project, put together.

Nobody but this module knows all that gives expressions and values their meaning: the language
(`values`, `calls`, `names`) and what is special about libraries (`libraries`).
"""

from __future__ import annotations

from dlint.frontends.settings_files import Interpolated, Setting, Settings
from dlint.ir import expressions as ex
from dlint.semantics.calls import attribute_reads, call_results, parameters
from dlint.semantics.libraries import argparsing, composed_values, hyperparameters
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.project import Project
from dlint.semantics.values import (
    accesses,
    choices,
    constraints,
    containers,
    field_items,
    mappings,
    references,
)
from dlint.semantics.values.evaluator import Evaluations, Evaluator
from dlint.semantics.values.solver import BUDGET, Semantics, Solver
from dlint.semantics.values.values import Hyperparameters, Namespace

SEMANTICS = Semantics(
    constraints={
        **constraints.CONSTRAINTS,
        ex.Call: call_results.call,
        ex.Parameter: parameters.parameter,
    },
    attributes={
        **attribute_reads.ATTRIBUTES,
        **containers.ATTRIBUTES,
        Namespace: argparsing.default,
        Hyperparameters: hyperparameters.attribute,
    },
    items=containers.ITEMS,
    elements=containers.ELEMENTS,
)

EVALUATIONS = Evaluations(
    expressions={
        **choices.EXPRESSIONS,
        **references.EXPRESSIONS,
        **accesses.EXPRESSIONS,
        Interpolated: lambda evaluator, part, *_: composed_values.alternatives(
            evaluator.solver, part
        ),
        Setting: lambda evaluator, setting, *_: evaluator.solver[ConfigFiles].alternatives(setting),
        Settings: lambda evaluator, part, *_: evaluator.solver[ConfigFiles].of_several(part),
    },
    held={
        **mappings.HELD,
        **field_items.HELD,
        Namespace: argparsing.read,
        Hyperparameters: hyperparameters.read,
    },
)


def solver_of(project: Project, budget: int = BUDGET) -> Solver:
    """The solver of a project."""
    return Solver(project, SEMANTICS, budget)


def evaluator_of(solver: Solver) -> Evaluator:
    """The evaluator that asks a solver."""
    return Evaluator(solver, EVALUATIONS)
