"""What is said of the user's files before a run, and asked where they cannot be kept from harm."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run.interrupts import INTERRUPTS
from dlint.verify.run.machines import span
from dlint.verify.run.view import KINDS
from dlint.verify.run.view.choice import View, choose, named_folders
from dlint.workspace.errors import UsageError

_NOT_WHOLE = (
    "what the script itself writes is led elsewhere, but this machine has neither overlays in a "
    "user namespace nor Landlock: libraries that write without Python, and programs that the "
    "script starts, reach these"
)
_LANDLOCK = (
    "what it writes from Python is led elsewhere and thrown away; where something else writes to a "
    "file of yours, the kernel refuses it (Landlock), and the script may fail"
)


_ELSEWHERE = (
    "this launcher may start ranks on other machines, where nothing keeps what the script writes "
    "from your files: `--in-place` runs it all the same"
)


class Protection(NamedTuple):
    """How runs are kept from the user's files."""

    view: View | None
    """None where they are not."""
    said: tuple[str, ...]
    """What that means, a line each."""


def protected(
    namespace: argparse.Namespace, program: TargetScript, project: Path, scratch: Path
) -> Protection:
    """Choose the protection; where it leaves something open, ask. Raises UsageError where there is
    nobody to ask, or the answer is no."""
    found = _chosen(namespace, program, project, scratch)
    if found.view is not None and not found.view.is_whole:
        _ask(found.said)
    return found


def previewed(
    namespace: argparse.Namespace, program: TargetScript, project: Path
) -> tuple[str, ...]:
    """What would be said."""
    with tempfile.TemporaryDirectory(prefix="dlint-") as folder:
        return _chosen(namespace, program, project, Path(folder).resolve()).said


def _chosen(
    namespace: argparse.Namespace, program: TargetScript, project: Path, scratch: Path
) -> Protection:
    cwd = Path.cwd()
    folders = named_folders(cwd, project, program.arguments)
    if span(program.launcher) and not namespace.in_place:
        raise UsageError(_ELSEWHERE)
    if namespace.in_place:
        return Protection(None, (f"it writes where it always does: {_listed(folders)}",))
    with INTERRUPTS.held():
        kinds = KINDS if namespace.view is None else (namespace.view,)
        view = choose(scratch, cwd, kinds, folders)
    return Protection(view, tuple(_said(view, folders)))


def _said(view: View, folders: Sequence[Path]) -> Iterator[str]:
    if view.kind == "overlay":
        where = " and held in memory until then" if view.memory else ""
        yield f"what it writes, renames and deletes is thrown away with each run{where} (overlayfs)"
    elif view.kind == "landlock":
        yield _LANDLOCK
    else:
        yield f"{_NOT_WHOLE}: {_listed(folders)}"
    for named, what in ((view.partly, "to large files"), (view.refused, "at all")):
        concerned = [path for path in named if _concerns(path, folders)]
        if concerned:
            yield f"writing {what} is refused directly in {', '.join(concerned)}"


def _concerns(path: str, folders: Sequence[Path]) -> bool:
    return any(folder == Path(path) or folder.is_relative_to(path) for folder in folders)


def _listed(folders: Sequence[Path]) -> str:
    """The folders that hold the others, and the home."""
    every = sorted({*folders, Path.home()})
    outer = [f for f in every if not any(f != o and f.is_relative_to(o) for o in every)]
    return ", ".join(map(str, outer))


def _ask(said: Sequence[str]) -> None:
    message = "; ".join(said)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{message}. `--in-place` runs it all the same")
    sys.stderr.write(f"{message}.\nRun it all the same? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise UsageError("not run")
