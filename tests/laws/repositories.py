"""The law of meaning on repositories: rewritings of whole files, in a copy in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import libcst as cst

from tests.laws.cases import Case
from tests.laws.meaning import difference, show
from tests.laws.program import Program
from tests.laws.rewriting import UnsoundError, rewritten
from tests.laws.rewritings import BY_NAME, WHOLE_FILE
from tests.laws.subject import CRASH, Finding, findings

_SUFFIXES = (".py", ".yaml", ".yml", ".json", ".toml", ".sh")
_MOST = 400_000
"""The size from which a file is left out on both sides."""


def files_of(folder: Path) -> dict[str, str]:
    """The texts of a repository that dlint may read."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        hidden = any(part.startswith(".") for part in Path(name).parts)
        if hidden or path.suffix not in _SUFFIXES or not path.is_file():
            continue
        if path.stat().st_size < _MOST:
            try:
                found[name] = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
    return found


def rewritten_singly(name: str, files: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """Each file rewritten, as far as that is possible; and the faults of the rewriting.

    What a rewriting asks of the whole program it is told of the whole one, where that is cheap.
    """
    program = Program(files)
    try:
        return rewritten(BY_NAME[name], program) or files, []
    except (UnsoundError, RecursionError, cst.ParserSyntaxError) as error:
        return files, [f"{name}: {type(error).__name__} {str(error)[:120]}"]


def compared(folder: Path, shown: bool = False) -> list[tuple[str, int, int, list[str]]]:
    """By rewriting: the findings, how many of them differ, and what there is to say."""
    files = files_of(folder)
    before = findings(files)
    return [_compared(name, files, before, shown) for name in WHOLE_FILE]


def _compared(
    name: str, files: dict[str, str], before: tuple[Finding, ...], shown: bool
) -> tuple[str, int, int, list[str]]:
    new, notes = rewritten_singly(name, files)
    if new == files:
        return name, 0, 0, notes
    after = findings(new)
    lost, gained = difference(before, after, with_fix=False)
    notes += list(_notes(before, after))
    if shown and (lost or gained):
        notes.append(show(Case(name, "", files), new))
    crashed = [f.rule for f in after if f.severity == CRASH]
    notes += [f"! {rule} crashes" for rule in crashed]
    return name, len(before), max(len(lost), len(gained), len(crashed)), notes


def _notes(before: tuple[Finding, ...], after: tuple[Finding, ...]) -> Iterator[str]:
    """The findings of files where rules and severities are others, with their rows."""
    for path in sorted({f.path for f in (*before, *after)}):
        old = [f for f in before if f.path == path]
        new = [f for f in after if f.path == path]
        lost, gained = difference(old, new, with_fix=False)
        for mark, one, side in (("-", lost, old), ("+", gained, new)):
            for rule, severity, _ in one:
                rows = [f.row for f in side if (f.rule, f.severity) == (rule, severity)]
                yield f"{mark} {path}:{','.join(map(str, rows))} {rule} {severity}"


def main(folders: list[Path], jobs: int, shown: bool) -> int:
    """Print a table of repositories by rewriting; 1 if a finding differs."""
    total, differing = 0, 0
    with Pool(jobs) as pool:
        for folder, rows in zip(
            folders, pool.imap(partial(compared, shown=shown), folders), strict=True
        ):
            print(folder.name)
            for name, count, differ, notes in rows:
                total, differing = total + count, differing + differ
                print(f"  {name:26} {count - differ:5} of {count:5} agree")
                for note in notes:
                    print(f"    {note}")
    share = 100 * (total - differing) / total if total else 100.0
    print(f"{share:.2f} % of {total} findings agree")
    return int(bool(differing))
