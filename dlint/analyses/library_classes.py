"""Which classes of libraries an object is made from.

Question: which library's callable makes an object, or from which does its class derive. Followed:
what the solver keeps apart by where it is made, and the bases of its class, as far as known.
Given up on: objects that are not kept apart: none. Budget: that of the solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.semantics.values.values import AllocationSite, ClassObject, library_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.values.values import Value


def library_classes(context: AnalysisContext, value: Value) -> Sequence[str]:
    """The full paths of the library callables that an object is made from, itself or its class."""
    if not isinstance(value, AllocationSite):
        return ()
    if isinstance(value.origin, ClassObject):
        return context.solver.classes.externals(value.origin.cls)
    return (library_path(value),)
