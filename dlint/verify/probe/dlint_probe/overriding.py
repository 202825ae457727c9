"""Settings of loaders that take the place of those of the program."""

from __future__ import annotations

from typing import Any

from .state import is_own, stack

_OF_WORKERS = ("prefetch_factor", "persistent_workers", "multiprocessing_context")
"""Arguments that torch refuses where there are no workers."""


def is_meant(place: list[Any] | None) -> bool:
    """Whether the loader that is being made is the one of a place; without one, each is."""
    if place is None:
        return True
    return next((list(frame) for frame in stack() if is_own(frame[0])), None) == place


def overridden(
    original: Any, made: Any, args: Any, named: Any, settings: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """The arguments of a loader with some set in place of its own; those about workers only where
    it has some."""
    from inspect import signature

    given = signature(original).bind_partial(made, *args, **named).arguments
    own = dict(list(given.items())[1:])
    rest = own.pop("args", ())
    found = {**own, **own.pop("kwargs", {}), **settings}
    if not found.get("num_workers"):
        for name in _OF_WORKERS:
            if name in settings or "num_workers" in settings:
                found.pop(name, None)
    return rest, found
