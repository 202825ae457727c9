"""Where a call is given an argument, and what, as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.findings.places import Place
from dlint.ir import expressions as ex

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader


def keyword_place(call: ex.Call, *names: str) -> Place | None:
    """Where the call is given the first of these keywords that it is given."""
    given = {argument.keyword: argument for argument in call.arguments}
    found = next((given[name] for name in names if name in given), None)
    return None if found is None else Place(call.scope.module.path, *found.span)


def constant_text(loader: Loader, name: str) -> str | None:
    """The constant that the call itself gives to an argument, as source text, or by its name."""
    given = loader.written(name)
    known = ex.constant(given)
    if known is None:
        return None
    return given.name if isinstance(given, ex.Reference) else _quoted(known.value)


def _quoted(value: object) -> str:
    """A constant as source text, with the quotes that most people write."""
    return f'"{value}"' if isinstance(value, str) and value.isidentifier() else repr(value)


def is_handed_on(loader: Loader, name: str) -> bool:
    """Whether the call that makes a loader hands an argument on: what it gives is no constant."""
    given = loader.written(name)
    return given is not None and not isinstance(given, ex.Constant)
