"""The stated parameters are those that the libraries have."""

from __future__ import annotations

import importlib
import inspect

import pytest

from dlint.library_facts.concurrency import STARTERS
from dlint.library_facts.signatures import FUNCTIONS, parameters_of

_PATHS = sorted({*STARTERS, *FUNCTIONS})


def _found(path: str) -> object:
    """What a path leads to; a method is read from its class."""
    parts = path.replace("()", "").split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for name in parts[end:]:
            found = getattr(found, name)
        return found
    raise LookupError(path)


def _parameters(path: str) -> list[str]:
    names = list(inspect.signature(_found(path)).parameters)  # type: ignore[arg-type]
    return names[1:] if names[:1] == ["self"] else names


@pytest.mark.parametrize("path", _PATHS)
def test_parameters(path: str) -> None:
    known = parameters_of(path)
    assert known is not None
    try:
        names = _parameters(path)
    except (LookupError, AttributeError, ValueError) as error:
        pytest.skip(f"not to be had here: {error}")
    assert tuple(names[: len(known)]) == known


def test_what_is_not_stated_is_not_known() -> None:
    assert parameters_of("mine.function") is None
