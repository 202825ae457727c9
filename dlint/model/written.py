"""Where a call is given an argument, as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.findings.places import Place

if TYPE_CHECKING:
    from dlint.ir import expressions as ex


def keyword_place(call: ex.Call, *names: str) -> Place | None:
    """Where the call is given the first of these keywords that it is given."""
    given = {argument.keyword: argument for argument in call.arguments}
    found = next((given[name] for name in names if name in given), None)
    return None if found is None else Place(call.scope.module.path, *found.span)
