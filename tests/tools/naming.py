"""Which rows of a repository its fixes name, through all rounds of fixing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher

from dlint.findings.diagnostic import Applicability, Diagnostic
from dlint.findings.edits import Edit
from dlint.fixes.apply import fix_all
from dlint.fixes.lowering import lower
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source
from tests.tools.repositories import Repository

APPLICABLE = frozenset({Applicability.SAFE, Applicability.UNSAFE})


def named_rows(repository: Repository) -> dict[str, set[int]]:
    """The rows (from 1) of the files as they are that edits of fixes touch, by absolute path.

    Edits of later rounds are counted where they stand in the first state.
    """
    states: list[tuple[Sources, list[Diagnostic]]] = []

    def recording(sources: Sources) -> list[Diagnostic]:
        found = repository.findings(sources)
        states.append((sources, found))
        return found

    original = Sources()
    fix_all(recording, original, APPLICABLE)
    rows: dict[str, set[int]] = defaultdict(set)
    for sources, found in states:
        for edit in _edits(found, sources):
            before, now = original.get(edit.path), sources.get(edit.path)
            for part in now.in_file([edit]):
                rows[edit.path].update(_rows(part, now.file, before.file))
    return rows


def _edits(found: list[Diagnostic], sources: Sources) -> Iterator[Edit]:
    for diagnostic in found:
        fix = diagnostic.fix
        if fix is not None and fix.applicability in APPLICABLE:
            yield from lower(fix, sources) or ()


def _rows(edit: Edit, now: Source, before: Source) -> set[int]:
    """The rows of an edit in the text of the first state."""
    rows = range(now.position(edit.start)[0], now.position(edit.end)[0] + 1)
    if now.text == before.text:
        return set(rows)
    found: set[int] = set()
    matcher = SequenceMatcher(None, before.text.split("\n"), now.text.split("\n"), autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        meant = [row for row in rows if new_start < row <= new_end]
        if tag == "equal":
            found.update(row - new_start + old_start for row in meant)
        elif meant:
            found.update(range(old_start, old_end + 2))
    return found
