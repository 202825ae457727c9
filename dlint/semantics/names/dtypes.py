"""Whether an expression names a dtype, told by its form alone."""

from __future__ import annotations

from dlint.ir.expressions import Attribute, Expression, Reference, unnamed
from dlint.library_facts.tensors import DTYPES


def is_dtype(expression: Expression) -> bool:
    """Whether an argument of `.to(…)` names a dtype (`torch.float32`, `x.dtype`), not a device."""
    return _names_dtype(expression) or _names_dtype(unnamed(expression))


def _names_dtype(expression: Expression) -> bool:
    if isinstance(expression, Reference):
        return "dtype" in expression.name or expression.imported_name in DTYPES
    return isinstance(expression, Attribute) and (
        "dtype" in expression.name or expression.name in DTYPES
    )
