"""The edits of fixes, kept with the findings: no report parses a file for them again."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Any

from dlint.findings.edits import Edit
from dlint.fixes.lowering import by_file, lower

if TYPE_CHECKING:
    from dlint.findings.diagnostic import Diagnostic
    from dlint.workspace.reading import Sources

Json = Any


def tell(
    diagnostics: list[Diagnostic], kept: Json, sources: Sources, changed: Container[str]
) -> None:
    """Let `lower` know what is kept, but for files that changed. Raises LookupError."""
    for number, path, edits in kept:
        fix = diagnostics[number].fix
        if fix is not None and path not in changed:
            made = None if edits is None else [Edit(path, *edit) for edit in edits]
            sources.known[path, by_file(fix)[path]] = made


def made(
    diagnostics: list[Diagnostic], sources: Sources, reported: frozenset[str]
) -> Iterator[Json]:
    """The edits of the fixes of reported findings, and those that are known of others.

    They are made a file at a time: few trees of files are kept beside each other.
    """
    for diagnostic in sorted(diagnostics, key=lambda found: found.place):
        fix = diagnostic.fix if diagnostic.place.path in reported else None
        if fix is not None and not sources.known.keys() >= set(by_file(fix).items()):
            lower(fix, sources)
    for number, diagnostic in enumerate(diagnostics):
        pieces = {} if diagnostic.fix is None else by_file(diagnostic.fix)
        for piece in pieces.items():
            if piece in sources.known:
                edits = sources.known[piece]
                plain = None if edits is None else [[e.start, e.end, e.text] for e in edits]
                yield [number, piece[0], plain]
