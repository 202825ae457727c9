"""Modules of a program that nothing imports, beside others that are imported.

Question: is a module one that a program has left behind, as an older state of another one? It
starts nothing of its own, no file of the project holds its name (nor do texts, notebooks, tests or
configs), and another module of its folder is imported: by a file that this one does not import
itself, and from outside, where the folder is a package, which offers its modules: also through its
`__init__.py`. Given up on, so
that the answer is no: packages that are installed, projects that import by a text. Each module is
asked once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.semantics.names.import_graph import ImportGraph, word_of
from dlint.semantics.names.imports import ImportMap
from dlint.workspace import asked

if TYPE_CHECKING:
    from dlint.semantics.project import Project

_TEXTS = r"(?i)[\w.-]+\.(?:md|rst|txt|toml|cfg|ini)|README|Makefile|Dockerfile"
TEXTS_AND_SHELL = rf"{_TEXTS}|[\w.-]+\.(?:sh|bash|bat)"
"""Texts, and scripts that start programs."""
_PACKAGE = "__init__.py"
_LARGEST = 500_000
_MOST = 40
"""Modules of a folder that are looked at."""


def is_left_out(project: Project, path: str) -> bool:
    """Whether no file speaks of a module, while another one of its folder is imported."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".py").encode()
    if _holders(project, stem, path) or is_told(project, folder, stem):
        return False
    names = asked.names_in(folder, r".*\.py")
    is_package = "__init__.py" in names
    within = f"{folder}/" if is_package else path
    others = [f"{folder}/{other}" for other in names if other not in (name, _PACKAGE)][:_MOST]
    behind = project.graph.closed(path)
    if any(_is_imported(project, other, within, behind) for other in others):
        return True
    return is_package and _takes_any(project, folder, others) and _is_used(project, folder, behind)


def _holders(project: Project, stem: bytes, path: str) -> list[str]:
    """The files that hold the name of a module, but for itself."""
    found = set(project.words.holders(stem)) - {path}
    return [*found, *(p for p in project.bystanders() if project.words.is_in(p, stem))]


def is_told(project: Project, folder: str, stem: bytes, texts: str = _TEXTS) -> bool:
    """Whether a text in a folder, or in those around it, holds a word."""
    code = project.words.holders(b"import")
    word = re.compile(rb"\b" + re.escape(stem) + rb"\b")
    while folder:
        for name in asked.names_in(folder, texts):
            if word.search(asked.content(f"{folder}/{name}", _LARGEST) or b""):
                return True
        if all(path.startswith(folder + "/") for path in code):
            return False
        folder = folder.rpartition("/")[0]
    return False


def _is_imported(project: Project, path: str, within: str, behind: set[str]) -> bool:
    """Whether another file imports a module: none that lies within, or behind the one asked for."""
    holders = project.words.holders(word_of(path)) - {path} - behind
    outside = sorted(p for p in holders if p.endswith(".py") and not p.startswith(within))
    graph = _graph(project, {path, *outside}) if outside else None
    return graph is not None and any(graph.imports(other, path) for other in outside)


def _takes_any(project: Project, folder: str, others: list[str]) -> bool:
    """Whether the `__init__.py` of a folder imports one of its modules."""
    package = f"{folder}/{_PACKAGE}"
    return not _graph(project, {package, *others}).targets(package).isdisjoint(others)


def _is_used(project: Project, folder: str, behind: set[str]) -> bool:
    """Whether code outside of a package imports it, or a package around it that imports it."""
    package, above = f"{folder}/{_PACKAGE}", folder.rpartition("/")[0]
    if _is_imported(project, package, f"{folder}/", behind):
        return True
    around = f"{above}/{_PACKAGE}"
    if not asked.is_file(around) or not _graph(project, {package, around}).imports(around, package):
        return False
    return _is_used(project, above, behind)


def _graph(project: Project, files: set[str]) -> ImportGraph:
    """What some files import of each other, in whatever program."""
    imports = ImportMap.of(files, project.imports.changes_path)
    return ImportGraph(imports, project.text, project.words, project.kept)
