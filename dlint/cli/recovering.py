"""Before a run looks at a project: what an earlier one left half written is undone."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from dlint.cli.ci_log import logged
from dlint.findings.controls import in_one_line, visible
from dlint.workspace.discover import absolute
from dlint.workspace.roots import project_roots
from dlint.workspace.state import folders_with_notes


def recover(paths: Iterable[str]) -> None:
    """Undo what a run that was killed had written to the projects of some paths, and say so."""
    if not any(folders_with_notes()):
        return
    from dlint.fixes.undoing import recover as undone

    given = [absolute(path) for path in paths if path != "-"]
    folders = [path if path.is_dir() else path.parent for path in given]
    for text in undone(project_roots(folders).values()):
        sys.stderr.write(f"{logged(visible(in_one_line(text)))}\n")
