"""What changed in a copied repository, asked of git."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dlint.workspace.errors import UsageError

_HUNK = re.compile(r"^@@ -(?P<start>\d+)(?:,(?P<count>\d+))? \+\d+(?:,\d+)? @@")
_NEW_NAME = "+++ b/"


@dataclass(slots=True)
class Changed:
    """How one file differs from the first state, in rows of that state counted from 1."""

    removed: set[int] = field(default_factory=set)
    inserted_after: set[int] = field(default_factory=set)
    """Rows behind which there is new text and nothing was taken out; 0 is the top."""


def begin(folder: Path) -> None:
    """Make a folder a git repository whose first state holds all its files."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")


def changes(folder: Path) -> dict[str, Changed]:
    """The changed files, by path below the folder."""
    output = git(folder, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames")
    found: dict[str, Changed] = defaultdict(Changed)
    name = ""
    for line in output.split("\n"):
        if line.startswith(_NEW_NAME):
            name = line.removeprefix(_NEW_NAME).rstrip("\t\r")
        elif hunk := _HUNK.match(line):
            start, count = int(hunk["start"]), int(hunk["count"] or 1)
            found[name].removed.update(range(start, start + count))
            if not count:
                found[name].inserted_after.add(start)
    return dict(found)


def strangers(folder: Path) -> list[str]:
    """Files that are new or gone since the first state."""
    lines = git(folder, "status", "--porcelain", "--ignored").splitlines()
    return [line[3:] for line in lines if line[1] in "?!D"]


def git(folder: Path, *arguments: str) -> str:
    """The output of a git command in a folder. Raises UsageError where git is missing or fails."""
    command: Sequence[str] = ("git", "-c", "core.quotepath=off", "-c", "core.autocrlf=false")
    if shutil.which("git") is None:
        raise UsageError("this command needs git")
    done = subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        raise UsageError(f"git {arguments[0]} failed in {folder}: {done.stderr.strip()}")
    return done.stdout
