"""What rules of other packages are written with. All of it is public, see `docs/own-rules.md`.

A rule is a module with a function `check` from an `AnalysisContext` to findings, beside a page of
its name; a package brings rules by an entry point in the group `dlint.rules`.
"""

from __future__ import annotations

from dlint.analyses.binding import Bound, bind
from dlint.analyses.calls import calls_to, constructions_of
from dlint.analyses.context import AnalysisContext
from dlint.analyses.running_calls import calls_named
from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import (
    CallMethod,
    InsertFirstInLoop,
    MoveToModuleTop,
    RemoveArgument,
    ReplaceExpression,
    ReplaceStatement,
    SetArgument,
    SetKey,
)
from dlint.findings.places import Place
from dlint.model.loading.loader import Loader
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import BatchLoop, batch_loops
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue
from dlint.semantics.values.values import UNKNOWN, Literal

__all__ = [
    "ABSENT",
    "UNKNOWN",
    "AnalysisContext",
    "Applicability",
    "BatchLoop",
    "Bound",
    "CallMethod",
    "ConditionalValue",
    "Finding",
    "Fix",
    "InsertFirstInLoop",
    "Literal",
    "Loader",
    "Loaders",
    "MoveToModuleTop",
    "Place",
    "Related",
    "RemoveArgument",
    "ReplaceExpression",
    "ReplaceStatement",
    "SetArgument",
    "SetKey",
    "Severity",
    "batch_loops",
    "bind",
    "calls_named",
    "calls_to",
    "constructions_of",
]
