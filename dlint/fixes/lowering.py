"""Fixes lowered to edits: each operation by the front-end of the file it changes."""

from __future__ import annotations

from collections.abc import Sequence

from dlint.findings.diagnostic import Fix
from dlint.findings.edits import Edit, merged
from dlint.findings.operations import Operation, place_of
from dlint.workspace.kinds import is_config, is_shell
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source, UnreadableError


def lower(fix: Fix, sources: Sources) -> tuple[Edit, ...] | None:
    """The edits of a fix in order of path and offset.

    None when any of its operations cannot be lowered, when they contradict each other, or when
    there is nothing to change.
    """

    edits: list[Edit] = []
    for path, operations in by_file(fix).items():
        try:
            source = sources.get(path)
        except UnreadableError:
            return None
        if (path, operations) not in sources.known:
            sources.known[path, operations] = _lowered(source, operations)
        lowered: list[Edit] | None = sources.known[path, operations]
        settled = None if lowered is None else source.settled(lowered)
        if settled is None:
            return None
        edits += settled
    return merged(edits) or None


def by_file(fix: Fix) -> dict[str, tuple[Operation, ...]]:
    """The operations of a fix by the file they change."""
    found: dict[str, tuple[Operation, ...]] = {}
    for operation in fix.operations:
        path = place_of(operation).path
        found[path] = (*found.get(path, ()), operation)
    return found


def _lowered(source: Source, operations: Sequence[Operation]) -> list[Edit] | None:
    if is_shell(source.path):
        from dlint.fixes.shell_values import lower_shell

        return lower_shell(source, operations)
    if is_config(source.path):
        from dlint.fixes.config_values import lower_config

        return lower_config(source, operations)
    from dlint.fixes.python import lower_python

    return lower_python(source, operations)
