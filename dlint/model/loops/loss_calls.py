"""Calls that certainly take tensors to a loss of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.library_facts.tensors import is_loss
from dlint.semantics.values.values import library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir import expressions as ex


def is_loss_call(context: AnalysisContext, call: ex.Call) -> bool:
    """Whether a call is `F.mse_loss(x, y)`, or `nn.MSELoss()(x, y)`."""
    paths = library_callees(context, call)
    by_function = bool(paths) and all(map(is_loss, paths))
    return by_function or is_made_by(context, call, is_loss)


def is_made_by(context: AnalysisContext, call: ex.Call, fits: Callable[[str], bool]) -> bool:
    """Whether what is called is certainly an object that a function of a library has made."""
    values = context.values(call.function, call.scope)
    paths = [library_path(value) for value in values]
    return bool(paths) and all(paths) and all(map(fits, paths))
