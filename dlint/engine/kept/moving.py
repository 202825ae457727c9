"""Findings moved with the code that they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dlint.engine.kept.inputs import Moves

Json = Any


def moved(answer: Json, moves: Moves) -> Json:
    """An answer in JSON, each place in it where that lies now.

    Raises LookupError where that is not known of a place: nothing that was lowered lies there.
    """
    if not moves or not isinstance(answer, list | dict):
        return answer
    if isinstance(answer, dict):
        return {key: moved(value, moves) for key, value in answer.items()}
    if not _is_place(answer):
        return [moved(value, moves) for value in answer]
    path, *offsets = answer
    there = moves.get(path)
    return answer if there is None else [path, *(there[offset] for offset in offsets)]


def _is_place(value: list[Json]) -> bool:
    return list(map(type, value)) == [str, int, int]
