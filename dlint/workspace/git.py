"""What git knows of the files of a repository, without running anything that it is told there.

Only objects and the index are read: filters, hooks and drivers of a checked repository never run,
and nothing is fetched.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dlint.findings.regexes import lazily
from dlint.workspace.errors import UsageError

_DROPPED = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})
"""Of a hook's environment: they speak of one repository, whichever is asked about."""
_SET = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_OPTIONS = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--literal-pathspecs")
_AT_ONCE = 500
"""Names in one command."""
_HUNK = lazily(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Repository:
    """One repository as it was at a revision, or where the present state left that."""

    def __init__(self, top: Path, revision: str) -> None:
        """Raises UsageError where git does not know the revision."""
        self.top = top.resolve()
        commit = self._commit(revision)
        common = self._run("merge-base", commit, "HEAD")
        self.is_parted = common.returncode != 0
        """Whether no common ancestor is known: then the revision itself is what counts."""
        self._base = commit if self.is_parted else common.stdout.decode().strip()

    def _commit(self, revision: str) -> str:
        found = self._run("rev-parse", "--verify", f"{revision}^{{commit}}")
        if revision.startswith("-") or found.returncode:
            said = found.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise UsageError(f"there is no commit `{revision}` in {self.top} ({said})")
        return found.stdout.decode().strip()

    def before(self, paths: Iterable[str]) -> dict[str, bytes | None]:
        """What each of some files held; None where that is not known here.

        A file that was renamed is looked for under its former name. One that was not there is not
        in the answer.
        """
        names = {path: self._name(path) for path in paths}
        former = {path: self._renamed.get(name, name) for path, name in names.items() if name}
        blobs = self._blobs(list(former.values()))
        known = ((path, blobs.get(name)) for path, name in former.items())
        return {path: self._content(blob) for path, blob in known if blob is not None}

    def _blobs(self, names: Sequence[str]) -> dict[str, str]:
        """The contents that files had, by their names."""
        found: dict[str, str] = {}
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            listed = self._run("ls-tree", "-z", "--full-tree", self._base, "--", *some)
            for line in filter(None, listed.stdout.split(b"\0")):
                facts, _, name = line.partition(b"\t")
                found[os.fsdecode(name)] = facts.split()[2].decode()
        return found

    def _name(self, path: str) -> str | None:
        real = Path(path).resolve()
        return real.relative_to(self.top).as_posix() if real.is_relative_to(self.top) else None

    @cached_property
    def _renamed(self) -> dict[str, str]:
        """The former names of the files that git knows to be renamed."""
        found = self._run(
            *("diff-index", "--cached", "-M", "--diff-filter=R", "--name-status", "-z", self._base)
        )
        parts = [os.fsdecode(part) for part in found.stdout.split(b"\0")]
        return {new: old for old, new in zip(parts[1::3], parts[2::3], strict=False)}

    def _content(self, blob: str) -> bytes | None:
        found = self._run("cat-file", "blob", blob)
        return None if found.returncode else found.stdout

    def _run(self, *command: str) -> subprocess.CompletedProcess[bytes]:
        return _git(command, self.top)


class Changes(NamedTuple):
    """The rows of a text that are not as they were, counted from 1."""

    rows: tuple[range, ...]
    """Rows that changed or came to be."""
    gaps: tuple[int, ...]
    """Rows behind which others were taken away."""

    def touch(self, first: int, last: int) -> bool:
        """Whether something changed in or between some rows."""
        changed = any(rows.start <= last and first < rows.stop for rows in self.rows)
        return changed or any(first <= gap < last for gap in self.gaps)


def changes(before: Sequence[str], after: Sequence[str]) -> Changes:
    """How the rows of a text changed."""
    if before == after:
        return Changes((), ())
    with tempfile.TemporaryDirectory(prefix="dlint-") as folder:
        for name, lines in (("before", before), ("after", after)):
            text = "".join(f"{line}\n" for line in lines)
            Path(folder, name).write_bytes(text.encode("utf-8", "surrogatepass"))
        command = ("diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-color", "--text")
        found = _git((*command, "-U0", "--inter-hunk-context=0", "before", "after"), Path(folder))
    rows: list[range] = []
    gaps: list[int] = []
    for hunk in _HUNK.finditer(found.stdout):
        start, count = int(hunk[1]), 1 if hunk[2] is None else int(hunk[2])
        if count:
            rows.append(range(start, start + count))
        else:
            gaps.append(start)
    return Changes(tuple(rows), tuple(gaps))


def tracked_though_ignored(top: Path) -> list[str]:
    """The files of a repository that git tracks though `.gitignore` names them, below its top.

    Empty where git does not take the folder for a repository, or for another user's.
    """
    found = _git(("ls-files", "-z", "--cached", "--ignored", "--exclude-standard"), top)
    names = () if found.returncode else filter(None, found.stdout.split(b"\0"))
    return [os.fsdecode(name) for name in names]


def _git(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    environment = kept | _SET
    if command[:2] == ("diff", "--no-index"):
        environment["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    try:
        return subprocess.run(
            ["git", *_OPTIONS, *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except OSError as error:
        raise UsageError(f"git cannot be run: {error.strerror or error}") from error
