"""What the `__init__.py` of a package imports from its modules, and nobody takes.

Question: may somebody take a name from a package that imports it from one of its modules. Followed:
any file that speaks of the name and is no `__init__.py` that imports it alone, READMEs and other
texts too. Given up on, so that the answer is yes: packages that are installed, or that no code
outside imports; files of the program that look names up at run time. Asked is the program.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.analyses.idle.left_out import is_told
from dlint.analyses.idle.spoken_names import is_spoken_of, uses_name
from dlint.findings.regexes import lazily
from dlint.semantics.names.import_graph import word_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.project import Project

_BY_TEXT = lazily(
    rb"\b(?:globals|import_module|__import__)\b|\bsys\.modules\b|(?<!def )(?<![\w.])eval\("
)
"""How a program takes something by a text, wherever it is from."""


class Offered:
    """What packages offer, each looked at once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._project: Project = context.project
        self._handing: dict[str, frozenset[str] | None] = {}

    def holds(self, package: str, path: str, name: str) -> bool:
        """Whether a name that the file `package` takes from `path` may be used from there."""
        if package not in self._handing:
            self._handing[package] = self._handing_on(package)
        handing, project = self._handing[package], self._project
        if handing is None:
            return True
        modules = (project.lower(user) for user in sorted(handing))
        if any(module is None or uses_name(module, name) for module in modules):
            return True
        folder = path.rpartition("/")[0]
        return is_spoken_of(project, name, path, handing) or is_told(project, folder, name.encode())

    def _handing_on(self, package: str) -> frozenset[str] | None:
        """The `__init__.py` by which code has a package; None where it may take all of it."""
        using = self._project.graph.importers({package})
        handing = frozenset(user for user in using if user.endswith("__init__.py"))
        patterns = (_BY_TEXT, _looking_into(word_of(package)))
        takes = any(self._project.says(user, p) for user in sorted(using) for p in patterns)
        return None if takes or using == handing else handing


def _looking_into(package: bytes) -> re.Pattern[bytes]:
    """How one that has a package takes something from it by a text, or gives it another name."""
    name = rb"(?:\w+\.)*" + re.escape(package)
    of_it = rb"\b(?:getattr|vars|dir|getmembers)\(\s*" + name + rb"\b"
    return re.compile(of_it + rb"|\b" + name + rb"(?:\.__dict__|\s+as\s)")
