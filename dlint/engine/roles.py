"""What each file of a project is to a run: part of the program, a test, a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from dlint.engine.kept.files import FileFacts
from dlint.engine.request import Request
from dlint.frontends.modules import Modules
from dlint.workspace import scan
from dlint.workspace.kinds import is_config, is_notebook, is_shell
from dlint.workspace.spelling import spelled
from dlint.workspace.test_files import holds_no_test, is_test

Paths = frozenset[str]

FEW = 5
"""Files that are read sooner than what is kept of them."""


class Roles:
    """The files of a request, by what their text and their paths tell."""

    def __init__(self, request: Request, modules: Modules, facts: FileFacts) -> None:
        self._request = request
        self._modules = modules
        self._facts = facts
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
        does = self._facts.said(path, "speaks", lambda: speaks(self._modules.glance(path)))
        (self._speaking if does else self.silent).add(path)
        return bool(does)

    def is_test(self, path: str) -> bool:
        """Whether a file is one of a test."""
        relative = path[len(str(self._request.root)) :]
        return is_test(relative, lambda: self._said(path, "no test", holds_no_test))

    @property
    def are_many(self) -> bool:
        """Whether looking at all files costs more than looking for what is kept of them."""
        return len(self._request.files) > FEW

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
        """Files that use the program and are no part of it: tests, notebooks, configs that name
        what is made elsewhere."""
        paths = sorted(set(map(spelled, self._request.files)) - self.main)
        return tuple(path for path in paths if self._stands_by(path))

    def _stands_by(self, path: str) -> bool:
        if is_notebook(path) or self.is_test(path):
            return True
        names = scan.names_code
        return is_config(path) and bool(
            self._facts.said(path, "names code", lambda: names(self._modules.glance(path)))
        )

    def is_seed(self, path: str) -> bool:
        """Whether the analysis begins with a file."""
        if is_config(path) and not is_shell(path):
            return True
        return self._said(path, "seed", _is_shell_seed if is_shell(path) else scan.is_seed)

    def is_test_seed(self, path: str) -> bool:
        """Whether the analysis of tests begins with a file."""
        return is_config(path) or self._said(path, "test seed", scan.is_test_seed)

    def orders_samples(self, path: str) -> bool:
        """Whether a file speaks of samplers, epochs or sharing."""
        return self._said(path, "order", scan.orders_samples)

    def changes_path(self, path: str) -> bool:
        """Whether a file may put folders on `sys.path`."""
        return self._said(path, "path", lambda text: scan.CHANGES_PATH.search(text) is not None)

    def may_hold_findings(self, path: str) -> bool:
        """Whether a finding can lie in a file."""
        return (
            is_config(path)
            or self._said(path, "findings", scan.may_hold_findings)
            or not self._is_valid(path)
        )

    def is_broken(self, path: str) -> bool:
        """Whether a file cannot be read, or speaks of torch and is no Python."""
        if not self._facts.said(path, "text", lambda: self._modules.source(path) is not None):
            return True
        if is_notebook(path):
            return False
        speaks = self._said(path, "torch", scan.mentions_torch)
        return speaks and not self._is_valid(path)

    def is_no_module(self, path: str) -> bool:
        """Whether all that there is to say of a broken file is said of it alone."""
        return not is_config(path) and self.is_broken(path) and self._modules.get(path) is None

    def holds_comments(self, path: str) -> bool:
        """Whether comments of a file may speak to dlint."""
        return self._said(path, "dlint", lambda text: b"dlint:" in text)

    def notices(self, path: str) -> Iterable[str]:
        """What of a notebook is left out, and why."""
        found: list[str] = self._facts.said(path, "out", lambda: [*self._modules.notices(path)])
        return found

    def _is_valid(self, path: str) -> bool:
        return bool(self._facts.said(path, "valid", lambda: self._modules.is_valid(path)))

    def _said(self, path: str, question: str, answer: Callable[[bytes], bool]) -> bool:
        return bool(self._facts.said(path, question, lambda: bool(answer(self._text(path)))))


def _is_shell_seed(text: bytes) -> bool:
    return scan.trains_from_shell(text) or scan.starts_containers(text)
