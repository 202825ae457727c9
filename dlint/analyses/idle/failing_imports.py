"""Modules that cannot be imported: an import at their top certainly fails.

Question: does `import` of this file raise, by what the files of the project say? Followed: imports
at the top of the module, not under a test or `try`: a part of the project's own package that is not
there; a relative import of nothing; a name that a module of the project, which the import certainly
means (of its package, of a folder beside it or above), does not hold anywhere in its text; and the
same of the modules that it imports itself.
Apart from these, `out_of_reach`: what is imported lies in a folder that is not on the path of any
script that may run the file. Given up on: files that a build writes, star imports, names that are
made at run time; for the path: whatever speaks of `sys.path` or `PYTHONPATH`, packages that are
installed, names of other distributions. Read off the text, each file once.
"""

from __future__ import annotations

import re
import sys
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.idle.search_path import SearchPath
from dlint.findings.regexes import lazily
from dlint.workspace import asked
from dlint.workspace.kinds import NOTEBOOK, PYTHON, kind_of
from dlint.workspace.texts import ALL_TAKEN, top_imports

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.project import Project

_GENERATED = lazily(r"_?version|_version_.*|.*_pb2(?:_grpc)?|_C|.*_cuda|.*_kernel|.*_ops?|.*_ext")
"""Modules that a build writes."""
_PACKAGE = "/__init__.py"
_DYNAMIC = frozenset(
    {b"__getattr__", b"globals", b"locals", b"vars", b"exec", b"eval", b"setattr", b"modules"}
)
"""Words of modules that may hold names which nobody wrote."""


class TopImport(NamedTuple):
    """One `import` or `from … import` that runs whenever its module does."""

    module: str
    level: int
    names: tuple[str, ...]
    """What `from` takes; `*` for all."""

    @property
    def text(self) -> str:
        """How the module is written."""
        return "." * self.level + self.module


class FailingImports:
    """Which modules cannot be imported, each asked for once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._project: Project = context.project
        self._known: dict[str, str | None] = {}
        self._own: dict[str, str | None] = {}
        self._imports: dict[str, list[TopImport]] = {}
        self._out: dict[str, TopImport | None] = {}

    def can_run(self, path: str) -> bool:
        """Whether nothing is known to keep the file at `path` from being imported."""
        return self.failure(path) is None

    def failure(self, path: str) -> str | None:
        """What certainly fails when the file at `path` is imported; None where nothing does."""
        if path not in self._known:
            self._known[path] = self._own_failure(path) or self._failure_behind(path)
        return self._known[path]

    def lacks(self, path: str, imported: TopImport) -> bool:
        """Whether what a file imports is certainly a module that has not all of some names."""
        return self._lacking(path, imported) is not None

    def out_of_reach(self, path: str) -> TopImport | None:
        """What the file at `path` imports from where no script that runs it would look."""
        if path not in self._out:
            top = self._top(path)
            found = (i for number, i in enumerate(top) if self._is_unreached(path, number))
            self._out[path] = next(found, None)
        return self._out[path]

    @cached_property
    def _path(self) -> SearchPath:
        return SearchPath(self._project)

    def _top(self, path: str) -> list[TopImport]:
        if path not in self._imports:
            known = path in self._files and kind_of(path) in {PYTHON, NOTEBOOK}
            written = top_imports(self._project.text, path) if known else ()
            self._imports[path] = [TopImport(w.module, w.level, w.members or ()) for w in written]
        return self._imports[path]

    # -- what certainly fails

    def _own_failure(self, path: str) -> str | None:
        if path not in self._own:
            found = (self._failing(path, imported) for imported in self._top(path))
            self._own[path] = next(filter(None, found), None)
        return self._own[path]

    def _failure_behind(self, path: str) -> str | None:
        """What fails in a module that this one certainly imports."""
        for imported in self._top(path):
            target = self._sure_target(path, imported)
            failure = None if target is None else self._own_failure(target)
            if failure is not None:
                return f"`{imported.text}` cannot be imported: {failure}"
        return None

    def _failing(self, path: str, imported: TopImport) -> str | None:
        if self._lacks_part(path, imported):
            return f"there is no module `{imported.text}`"
        name = self._lacking(path, imported)
        return None if name is None else f"`{imported.text}` has no `{name}`"

    def _lacking(self, path: str, imported: TopImport) -> str | None:
        """The first name that is certainly not in the module that an import means."""
        target = self._sure_target(path, imported)
        if target is None:
            return None
        homes = {target} if imported.level else {p for _, p in self._homes(imported.module)}
        for name in imported.names:
            if not any(self._may_hold(home, name) for home in homes):
                return None if self._is_left_out(path, name) else name
        return None

    def _homes(self, module: str) -> list[tuple[str, str]]:
        return self._project.imports.homes(module)

    def _lacks_part(self, path: str, imported: TopImport) -> bool:
        """Whether a package of the project has no such part, for `from package.part import x`."""
        package, _, part = imported.module.rpartition(".")
        if not part or self._is_left_out(path, part):
            return False
        if self._project.imports.resolve(path, *imported[:2]) is not None:
            return False
        if not package and not imported.level:
            return False
        home = self._project.imports.resolve(path, package, imported.level)
        if home is None or not (imported.level or self._is_own(path, package, home)):
            return False
        folder = home.removesuffix(_PACKAGE)
        return asked.is_folder(folder) and not _has_any(folder, part)

    def _is_own(self, path: str, package: str, home: str) -> bool:
        """Whether a package that a file imports is that of the project, and no distribution."""
        return home.endswith(_PACKAGE) and self._is_around(path, package, home)

    def _is_around(self, path: str, package: str, home: str) -> bool:
        """Whether a folder that a file imports from lies beside it or above, and none is wanted."""
        root = home.removesuffix(_PACKAGE).removesuffix("/" + package.replace(".", "/"))
        if not self._path.is_around(root, path):
            return False
        return not self._path.is_declared(path, package.partition(".")[0])

    def _is_left_out(self, path: str, part: str) -> bool:
        """Whether a module may be one that a build writes, or that nobody commits."""
        return bool(_GENERATED.fullmatch(part)) or self._path.leaves_out(path, part)

    def _sure_target(self, path: str, imported: TopImport) -> str | None:
        """The file of the project that an import certainly means."""
        target = self._project.imports.resolve(path, *imported[:2])
        if target not in self._files or target == path or not target.endswith(".py"):
            return None
        if imported.level:
            return target
        first = imported.module.partition(".")[0]
        if first in sys.stdlib_module_names:
            return None
        folder = path.rpartition("/")[0]
        beside = [p for root, p in self._homes(imported.module) if root == folder]
        if target in beside and folder + _PACKAGE not in self._files:
            return target
        if self._are_of_package(first, path, target):
            return target
        home = self._project.imports.resolve(path, first)
        return target if home is not None and self._is_around(path, first, home) else None

    def _are_of_package(self, name: str, path: str, other: str) -> bool:
        """Whether two files lie in one package of that name."""
        above, found, _ = path.partition(f"/{name}/")
        root = f"{above}/{name}"
        return bool(found) and other.startswith(root + "/") and root + _PACKAGE in self._files

    @property
    def _files(self) -> frozenset[str]:
        return self._project.files

    def _may_hold(self, target: str, name: str) -> bool:
        """Whether a module, or the package that a file begins, may have something of a name."""
        if name == "*" or name.startswith("__") or not target.endswith(".py"):
            return True
        words = frozenset({name.encode(), *_DYNAMIC})
        if self._project.words.among(target, words) or self._has_star(target):
            return True
        if not target.endswith(_PACKAGE):
            return False
        return _has_any(target.rpartition("/")[0], name)

    def _has_star(self, path: str) -> bool:
        return self._project.says(path, ALL_TAKEN)

    # -- what no script would find

    def _is_unreached(self, path: str, number: int) -> bool:
        imported = self._top(path)[number]
        homes = {} if imported.level or not imported.names else dict(self._homes(imported.module))
        if path in homes.values() or "*" in imported.names:
            return False
        if not any(all(self._may_hold(h, n) for n in imported.names) for h in homes.values()):
            return False
        resolve = self._project.imports.resolve
        before = {resolve(path, i.module, i.level) for i in self._top(path)[:number]}
        files = [b for b in before if b in self._files]
        return not self._path.may_find(path, imported.module, homes, files)


def _has_any(folder: str, beginning: str) -> bool:
    """Whether something lies in a folder whose name begins so."""
    return bool(asked.names_in(folder, re.escape(beginning) + ".*"))
