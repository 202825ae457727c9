"""On which platforms a project says that it runs: where workers start by `spawn`.

Question: which words of the project itself, a classifier of its package or a machine of its CI,
admit Windows or macOS. Followed: the nearest folder with classifiers, and the CI of the repository;
less certain, what the code of a program shows, the device `mps` or a path on a drive of Windows,
a list of packages that was written there, and what a notebook printed when it was last run. Given
up on: what a README says, and whether the CI runs the script that is asked about. Budget: each
folder is read once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.library_facts.platforms import (
    ASKED,
    BY_DEVICE,
    CI_FILES,
    CLASSIFIERS,
    IMAGES,
    PRINTED,
    SHOWING,
)
from dlint.model.machines.entry_points import EntryPoints
from dlint.model.machines.frozen_lists import windows_list
from dlint.semantics.values.values import External
from dlint.workspace import asked
from dlint.workspace.kinds import is_notebook
from dlint.workspace.roots import is_too_wide

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Scope

_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")
_MOST = 1_000_000
"""Characters of one file."""
_SIGNS = lazily(rb"[\"'](?:mps[\"':]|[A-Za-z]:[\\\\/])")
_NAMES = frozenset(path.rpartition(".")[2] for path in ASKED)
_CLASSIFIER = f"[^#\\n]{{0,200}}?({'|'.join(CLASSIFIERS)})"
_IMAGE = (
    rf"(?i:[^#\n]{{0,400}}?\b(?:({'|'.join(IMAGES)})-(?:latest|\d)"
    rf"|(?:os|vmImage|image)\s*:\s*['\"]?({'|'.join(IMAGES)})\b))"
)


class Admission(NamedTuple):
    """A platform, and where a project admits it: `setup.py:12`."""

    platform: str
    where: str
    sign: str | None = None
    """What code shows of it, where only that speaks for it: no word of the project does."""
    is_by_list: bool = False
    """Whether nothing but a list of packages that was written there shows it."""

    @property
    def is_by_device(self) -> bool:
        """Whether nothing but a device that the code names shows it."""
        return self.sign == BY_DEVICE

    @property
    def in_words(self) -> str:
        """`on macOS, which the project admits in setup.py:12`."""
        if self.sign is None:
            return f"on {self.platform}, which the project admits in {self.where}"
        return f"on {self.platform}: {self.sign} in {self.where}"


class Platforms:
    """What the projects of some files say about the platforms that they run on."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Path, Admission | None] = {}
        self._asking: dict[ModuleIndex, bool] = {}
        self._shown: dict[str, Admission | None] = {}
        self._printed: dict[str, Admission | None] = {}

    def spawning(self, path: str) -> Admission | None:
        """By what the project of a file admits a platform that spawns workers, if it does."""
        return self._search(Path(path).parent)

    def _search(self, folder: Path) -> Admission | None:
        if folder not in self._known:
            found = next(_admitted(folder), None)
            above = folder.parent
            if found is None and not asked.exists(folder / ".git") and not is_too_wide(above):
                found = self._search(above)
            self._known[folder] = found
        return self._known[folder]

    def shown(self, path: str) -> Admission | None:
        """A platform that spawns workers, by what a program that runs a file uses."""
        if path not in self._shown:
            programs = self._context[EntryPoints].run_with(path)
            modules = [f.module for f in self._context.modules if f.module.path in programs]
            found = next(filter(None, map(self._sign, modules)), None)
            self._shown[path] = _better(found, lambda: _listed(self._context, Path(path).parent))
        return self._shown[path]

    def printed(self, path: str) -> Admission | None:
        """A platform that spawns workers, on which a notebook was last run."""
        documents = self._context.project.documents
        if not is_notebook(path) or documents is None:
            return None
        if path not in self._printed:
            texts = documents.printed(path)
            self._printed[path] = next(_printed(Path(path).name, texts), None)
        return self._printed[path]

    def _sign(self, module: ModuleIndex) -> Admission | None:
        """A constant of a module that only one platform has: the device `mps`, a path on `C:`."""
        if not self._context.project.says(module.path, _SIGNS):
            return None
        text = self._context.project.text(module.path)
        parts = [part for scope in module.scopes for part in _parts(scope)]
        compared = {id(inner) for part in parts for inner in _asked_of_device(part)}
        for part in parts:
            if id(part) in compared or not isinstance(part, ex.Constant):
                continue
            if isinstance(part.value, str):
                for pattern, platform, sign in SHOWING:
                    if re.match(pattern, part.value):
                        row = text.decode("utf-8", "replace").count("\n", 0, part.span[0]) + 1
                        return Admission(platform, f"{Path(module.path).name}:{row}", sign)
        return None

    def are_asked_for(self, module: ModuleIndex) -> bool:
        """Whether a module looks at the platform it runs on: it may provide for it."""
        if module not in self._asking:
            holds = partial(self._context.project.holds, module.path)
            self._asking[module] = holds(b"platform") or holds(b"os.name")
            self._asking[module] &= any(self._asks(scope) for scope in module.scopes)
        return self._asking[module]

    def _asks(self, scope: Scope) -> bool:
        return any(self._is_platform(part, scope) for part in platform_names(scope))

    def _is_platform(self, part: ex.Expression, scope: Scope) -> bool:
        values = self._context.values(part, scope)
        return any(isinstance(v, External) and v.path in ASKED for v in values)


def _printed(name: str, texts: Mapping[int, str]) -> Iterator[Admission]:
    """What the texts that cells printed show of the platform."""
    for number, text in texts.items():
        for pattern, platform in PRINTED:
            if re.search(pattern, text):
                yield Admission(platform, f"{name}, cell {number}", "a path in the output")


@told_by_code
def platform_names(scope: Scope) -> list[ex.Expression]:
    """What may be the platform by its name, in the code of a scope."""
    named = (p for p in _parts(scope) if isinstance(p, ex.Attribute | ex.Reference))
    return [part for part in named if part.own_name in _NAMES]


def _better(found: Admission | None, listed: Callable[[], Admission | None]) -> Admission | None:
    """What is shown by code, unless it is but one device of several, and a list says more."""
    if found is not None and not found.is_by_device:
        return found
    return listed() or found


def _listed(context: AnalysisContext, folder: Path) -> Admission | None:
    """Windows, where the packages of the project were listed there."""
    found = windows_list(context, folder)
    if found is None:
        return None
    return Admission("Windows", f"{found.file.name}:{found.row}", found.sign, is_by_list=True)


def _asked_of_device(part: ex.Expression) -> Iterator[ex.Expression]:
    """What `x.device.type` is compared with: code for any device asks so, and chooses none."""
    if isinstance(part, ex.Comparison):
        sides = (part.left, part.right)
        if any(isinstance(side, ex.Attribute) and side.name == "type" for side in sides):
            yield from (inner for side in sides for inner in walk.walk(side))


def _parts(scope: Scope) -> Iterator[ex.Expression]:
    for statement in walk.statements(scope.body):
        for expression in walk.expressions(statement):
            yield from walk.walk(expression)


def _admitted(folder: Path) -> Iterator[Admission]:
    """What the files of one folder admit, the packaging first."""
    for name in _PACKAGING:
        yield from _in_file(folder, folder / name, _CLASSIFIER, CLASSIFIERS)
    for pattern in CI_FILES:
        for name in asked.matching(folder, pattern):
            yield from _in_file(folder, folder / name, _IMAGE, IMAGES)


def _in_file(
    folder: Path, file: Path, words: str, platforms: dict[str, str]
) -> Iterator[Admission]:
    for row, line in enumerate(asked.beginning_of(file, _MOST).splitlines(), 1):
        match = re.match(words, line)
        if match is not None:
            word = next(filter(None, match.groups()))
            name = file.relative_to(folder).as_posix()
            yield Admission(platforms.get(word) or platforms[word.lower()], f"{name}:{row}")
