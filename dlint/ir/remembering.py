"""Answers about parts of a program, kept as long as the program is analysed.

A part knows its module, and the module its parts: who keeps one keeps them all. So what is
remembered of parts is forgotten with the program, where a cache of its own would hold thousands of
modules in a process that lives on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_forgetting: list[Callable[[], None]] = []


def remembered(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep the last answers of a function, `most` of them, until all are forgotten."""

    def keeping(function: Callable[P, T]) -> Callable[P, T]:
        kept = lru_cache(maxsize=most)(function)
        _forgetting.append(kept.cache_clear)
        return cast(Callable[P, T], kept)

    return keeping


def when_forgotten(clear: Callable[[], None]) -> None:
    """Have something else forgotten with the answers."""
    _forgetting.append(clear)


def forget() -> None:
    """Forget all answers: the program that they are about is not asked again."""
    for clear in _forgetting:
        clear()
