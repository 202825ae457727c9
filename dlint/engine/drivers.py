"""Which notebooks run the programs that no script runs.

Question: who calls the functions of modules that only notebooks use? Such notebooks are callers
like scripts. A program counts as run by its own files where one of them is started, or does
something at its top and is imported by no other file. Given up on: programs of which a part is
run by a script; there notebooks change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.library_facts.entry_names import CALLED_BY_OTHERS
from dlint.workspace.kinds import is_notebook

if TYPE_CHECKING:
    from dlint.engine.kept.files import FileFacts
    from dlint.engine.roles import Roles
    from dlint.frontends.modules import Modules

Paths = frozenset[str]

_RUN, _DOES, _DEFINES = "run", "does", "defines"


class Drivers:
    """The notebooks of a project, as what runs its modules."""

    def __init__(
        self,
        roles: Roles,
        modules: Modules,
        facts: FileFacts,
        named: Callable[[str], Iterable[str]],
    ) -> None:
        """`named` gives the files that one has to do with by its own text."""
        self._roles = roles
        self._modules = modules
        self._facts = facts
        self._named = named

    def of(self, files: Paths) -> Paths:
        """The notebooks that use a program which none of its files runs; none of any other."""
        using = {notebook for notebook, named in self._used.items() if not named.isdisjoint(files)}
        return frozenset() if not using or self._is_run(files, using) else frozenset(using)

    def used_by(self, notebooks: Iterable[str]) -> Paths:
        """All that some notebooks have to do with."""
        return frozenset().union(*(self._used[notebook] for notebook in notebooks))

    @cached_property
    def _used(self) -> dict[str, Paths]:
        """What each notebook has to do with."""
        notebooks = filter(is_notebook, self._roles.bystanders)
        return {path: frozenset(self._named(path)) for path in notebooks}

    def _is_run(self, files: Paths, notebooks: Iterable[str]) -> bool:
        """Whether a file of a program is a script.

        Files that say so by a main guard are asked first: no other need be parsed then.
        """
        scripts = [path for path in sorted(files) if path.endswith(".py")]
        if any(map(self._is_guarded, scripts)):
            return True
        does = {path: self._does(path) for path in scripts}
        if _RUN in does.values():
            return True
        imported = {other for path in files for other in self._named(path) if other != path}
        imported |= self.used_by(notebooks)
        return any(what == _DOES and path not in imported for path, what in does.items())

    def _is_guarded(self, path: str) -> bool:
        """Whether the text of a module of the project's own speaks of `__main__`."""
        is_own = path.rpartition("/")[2] not in CALLED_BY_OTHERS
        return is_own and b"__main__" in self._modules.text(path)

    def _does(self, path: str) -> str:
        """What a module does at its top."""
        return str(self._facts.said(path, "top", lambda: self._top(path)))

    def _top(self, path: str) -> str:
        from dlint.analyses.control.started import does_something, is_started

        if path.rpartition("/")[2] in CALLED_BY_OTHERS or not self._modules.is_valid(path):
            return _DEFINES  # what is no module is told only where an analysis asks for it
        module = self._modules.get(path)
        if module is None:
            return _DEFINES
        return _RUN if is_started(module) else _DOES if does_something(module) else _DEFINES
