"""Parts of packages that no program of the project reaches.

Question: is a file a part of a package that the project uses, and this part it does not. Nothing
outside of the part's own folder imports it, neither the file nor what imports it starts anything,
and another part of the package is imported from outside of it. Given up on, so that the answer is
no: packages that are installed, projects that import by a text. Each file is asked once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.analyses.control.started import is_started
from dlint.analyses.idle.unused import UnusedDefinitions
from dlint.ir.module import Loop
from dlint.workspace.asked import is_file

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


class UnreachedParts:
    """Which files are parts of packages that nothing comes to."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._project = context.project
        self._known: dict[str, str | None] = {}

    def package_of(self, path: str) -> str | None:
        """The folder of the package whose other parts are used; None where the file may run."""
        if path not in self._known:
            self._known[path] = self._search(path)
        return self._known[path]

    def _search(self, path: str) -> str | None:
        whole = self._outermost(path)
        if whole is None or whole == path.rpartition("/")[0]:
            return None
        home = path.rpartition("/")[0] + "/"
        importers = self._project.graph.importers({path})
        if any(not user.startswith(home) or self._starts(user) for user in importers):
            return None
        unused = self._context[UnusedDefinitions]
        if not unused.is_of_program(path) or unused.is_imported_by_text(path):
            return None
        return whole if self._is_used(whole) else None

    def _outermost(self, path: str) -> str | None:
        """The folder of the outermost package around a file."""
        found, folder = None, path.rpartition("/")[0]
        while folder and is_file(f"{folder}/__init__.py"):
            found, folder = folder, folder.rpartition("/")[0]
        return found

    def _starts(self, path: str) -> bool:
        facts = self._project.load(path)
        if facts is None or facts.module.is_notebook or is_started(facts.module):
            return True
        return any(isinstance(statement, Loop) for statement in facts.module.body.body.statements)

    def _is_used(self, whole: str) -> bool:
        """Whether code outside of a package imports a part of it, in whatever program."""
        name = whole.rpartition("/")[2].encode()
        imports = re.compile(rb"^[ \t]*(?:from|import)\b[^\n]*\b" + re.escape(name) + rb"\b", re.M)
        holders = sorted(self._project.words.holders(name))
        outside = (p for p in holders if p.endswith(".py") and not p.startswith(whole + "/"))
        return any(self._project.says(p, imports) for p in outside)
