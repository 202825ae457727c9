"""Of which class of torch's a sampler is, and what its constructor is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.binding import Located
from dlint.semantics.calls import arguments, attributes
from dlint.semantics.values.values import (
    AllocationSite,
    Value,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


def index_giver(context: AnalysisContext, value: Value) -> str:
    """The library class that gives the indices of an object, or of one of a class made from it."""
    cls = attributes.project_class(value)
    if cls is None or context.solver.classes.method(cls, "__iter__") is not None:
        return library_path(value)
    bases = context.solver.classes.externals(cls)
    return bases[0] if len(bases) == 1 else ""


def given_to_sampler(
    context: AnalysisContext, made: AllocationSite, signatures: arguments.Signatures, name: str
) -> Located | None:
    """The expression that a parameter of one of these library classes is given."""
    passed = context.solver.passed.get(made)
    positional = arguments.signature(context.solver, made.origin, signatures)
    return None if passed is None or positional is None else passed.written(positional, name)
