"""Resizing: whether code puts something into a list or dict made before, or takes it out.

Question: does a function call a method such as `append` or `update` of what a name or an attribute
holds? Followed are names alone; what other names are bound to the same object is given up on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.analyses.callees import root_name
from dlint.ir import expressions as ex
from dlint.ir.looked_at import told_by_code
from dlint.library_facts.readers import RESIZERS

if TYPE_CHECKING:
    from dlint.ir.module import Scope


def is_resized(name: str, scopes: Iterable[Scope]) -> bool:
    """Whether code takes something into, or out of, what a name or an attribute holds."""
    return any(resizes(scope, name) for scope in scopes)


@told_by_code
def resizes(scope: Scope, name: str) -> bool:
    """The same of one function."""
    return any(
        call.name in RESIZERS
        and isinstance(call.function, ex.Attribute)
        and root_name(call.function.value, scope) == name
        for call in scope.calls
    )
