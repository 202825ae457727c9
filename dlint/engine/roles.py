"""What each file of a project is to a run: part of the program, a test, a seed."""

from __future__ import annotations

from functools import cached_property

from dlint.engine.request import Request
from dlint.frontends.modules import Modules
from dlint.workspace import scan
from dlint.workspace.discover import is_test
from dlint.workspace.kinds import is_config, is_notebook, is_shell
from dlint.workspace.spelling import spelled

Paths = frozenset[str]


class Roles:
    """The files of a request, by what their text and their paths tell."""

    def __init__(self, request: Request, modules: Modules) -> None:
        self._request = request
        self._modules = modules
        self._text = modules.text
        self.silent: set[str] = set()
        """Config files that say nothing of loaders."""
        self._speaking: set[str] = set()

    def matters(self, path: str) -> bool:
        """Whether a file may be a module: of configs only what speaks of loaders."""
        if path in self.silent:
            return False
        if path in self._speaking or not is_config(path):
            return True
        speaks = scan.is_shell_seed if is_shell(path) else scan.is_config_seed
        known = self._speaking if speaks(self._modules.glance(path)) else self.silent
        known.add(path)
        return known is self._speaking

    def is_test(self, path: str) -> bool:
        """Whether a file is one of a test."""
        return is_test(path[len(str(self._request.root)) :])

    @cached_property
    def files(self) -> Paths:
        """The modules of the project, tests among them, without notebooks."""
        paths = filter(self.matters, map(spelled, self._request.files))
        return frozenset(path for path in paths if not is_notebook(path))

    @cached_property
    def main(self) -> Paths:
        """Those of them that are no tests."""
        return frozenset(path for path in self.files if not self.is_test(path))

    @cached_property
    def bystanders(self) -> tuple[str, ...]:
        """Files that use the program and are no part of it: tests and notebooks."""
        paths = sorted(set(map(spelled, self._request.files)) - self.main)
        return tuple(path for path in paths if is_notebook(path) or self.is_test(path))

    def is_seed(self, path: str) -> bool:
        """Whether the analysis begins with a file."""
        if is_shell(path):
            text = self._text(path)
            return scan.trains_from_shell(text) or scan.starts_containers(text)
        return is_config(path) or scan.is_seed(self._text(path))

    def is_test_seed(self, path: str) -> bool:
        """Whether the analysis of tests begins with a file."""
        return is_config(path) or scan.is_test_seed(self._text(path))

    def orders_samples(self, path: str) -> bool:
        """Whether a file speaks of samplers, epochs or sharing."""
        return scan.orders_samples(self._text(path))

    def changes_path(self, path: str) -> bool:
        """Whether a file may put folders on `sys.path`."""
        return b"sys.path" in self._text(path)

    def may_hold_findings(self, path: str) -> bool:
        """Whether a finding can lie in a file."""
        return (
            is_config(path)
            or scan.may_hold_findings(self._text(path))
            or not self._modules.is_valid(path)
        )

    def is_broken(self, path: str) -> bool:
        """Whether a file that speaks of torch is no Python."""
        return scan.mentions_torch(self._text(path)) and not self._modules.is_valid(path)
