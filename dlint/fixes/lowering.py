"""Fixes lowered to edits: each operation by the front-end of the file it changes."""

from __future__ import annotations

from dlint.diagnostic import Fix
from dlint.fixes.edits import Edit, merged
from dlint.fixes.operations import Operation, place_of
from dlint.scan import is_yaml
from dlint.source import Sources, UnreadableError


def lower(fix: Fix, sources: Sources) -> tuple[Edit, ...] | None:
    """The edits of a fix in order of path and offset.

    None when any of its operations cannot be lowered, when they contradict each other, or when
    there is nothing to change.
    """
    from dlint.fixes.python import lower_python

    by_path: dict[str, list[Operation]] = {}
    for operation in fix.operations:
        by_path.setdefault(place_of(operation).path, []).append(operation)
    edits: list[Edit] = []
    for path, operations in by_path.items():
        try:
            if is_yaml(path):
                from dlint.fixes.yaml_values import lower_yaml

                lowered = lower_yaml(sources.get(path), operations)
            else:
                lowered = lower_python(sources.get(path), operations)
        except UnreadableError:
            return None
        if lowered is None:
            return None
        edits += lowered
    return merged(edits) or None
