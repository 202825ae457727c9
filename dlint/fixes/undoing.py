"""Writes that did not come to their end: undone, by the process itself or by the next one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dlint.findings.words import counted
from dlint.fixes.journal import Journal, alone, left_in
from dlint.workspace.state import folders_with_notes

_MOST_NAMED = 3


class Settled(NamedTuple):
    """What the end of a write came to."""

    undone: Sequence[str]
    """The files that had been written and are as they were before."""
    problems: Sequence[str]
    """What is not as it was before, and why."""


def settle(journal: Journal) -> Settled:
    """Bring a write to its end: undo it unless it is done, and remove what lies beside its files.

    The notes stay where something is to be tried again. Called twice, it does no more than once.
    """
    from dlint.fixes.replacing import tidy

    undone, problems, is_open = ([], [], False) if journal.is_done else _undo(journal)
    if not is_open:
        try:
            for entry in journal.entries:
                tidy(entry)
            journal.remove()
        except OSError:
            pass  # the next run tries again
    return Settled(undone, problems)


def _undo(journal: Journal) -> tuple[list[str], list[str], bool]:
    """The files that are as they were, what is not, and whether a file could not be written."""
    from dlint.fixes.replacing import ChangedSinceError, undo

    undone, problems, is_open = [], [], False
    for entry in reversed(journal.entries):
        try:
            if undo(entry):
                undone.append(entry.path)
        except ChangedSinceError as error:
            problems.append(f"{error}, and is left as it is")
        except OSError as error:
            why = error.strerror or error
            problems.append(f"cannot set back {entry.path}: {why}; the next run tries again")
            is_open = True
    return sorted(undone), problems, is_open


def recover(roots: Iterable[Path]) -> Iterator[str]:
    """Undo what runs that were killed had written in these folders (absolute). Says what it did.

    What is noted of other folders is left to runs there.
    """
    below = [root.resolve() for root in roots]
    for folder in folders_with_notes():
        try:
            with alone(folder):
                for journal in left_in(folder):
                    if _concerns(journal, below):
                        yield from _told(settle(journal))
        except OSError as error:
            yield f"warning: cannot undo what {folder} notes: {error.strerror or error}"


def _concerns(journal: Journal, roots: Sequence[Path]) -> bool:
    paths = {Path(p) for entry in journal.entries for p in (entry.path, entry.target)}
    return any(path.is_relative_to(root) for path in paths for root in roots)


def _told(settled: Settled) -> Iterator[str]:
    if settled.undone:
        number = len(settled.undone)
        names = ", ".join(settled.undone[:_MOST_NAMED])
        more = f" and {number - _MOST_NAMED} more" if number > _MOST_NAMED else ""
        yield (
            f"a run of dlint was ended while it wrote: {counted(number, 'file')} "
            f"{'is' if number == 1 else 'are'} as before it ({names}{more})"
        )
    for problem in settled.problems:
        yield f"warning: of a run that was ended while it wrote: {problem}"
