"""What the `__init__.py` of a package imports from its modules, and nobody takes.

Question: may somebody take a name from a package that imports it from one of its modules. Followed:
any file that speaks of the name and is no `__init__.py` that imports it alone, READMEs and other
texts too. Given up on, so that the answer is yes: packages that are installed, or that no code
outside imports; files of the program that look names up at run time. Asked is the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.idle.left_out import is_told
from dlint.analyses.idle.spoken_names import is_spoken_of, uses_name
from dlint.findings.regexes import lazily

if TYPE_CHECKING:
    from dlint.semantics.project import Project

_LOOKS_UP = lazily(
    rb"getattr\(\s*[\w.]+\s*,\s*(?![\"'])|__dict__|\bglobals\(|(?<![\w.])eval\(|"
    rb"\bimport_module\b|__import__|\bgetmembers\b"
)
"""How one that has a package takes something from it by a text."""


def is_offered(project: Project, package: str, path: str, name: str) -> bool:
    """Whether a name that the `__init__.py` at `package` takes from `path` may be used there."""
    using = project.graph.importers({package})
    handing = {user for user in using if user.endswith("__init__.py")}
    if using == handing or any(project.says(user, _LOOKS_UP) for user in sorted(using)):
        return True
    modules = (project.lower(user) for user in sorted(handing))
    if any(module is None or uses_name(module, name) for module in modules):
        return True
    folder = path.rpartition("/")[0]
    return is_spoken_of(project, name, path, handing) or is_told(project, folder, name.encode())
