"""Copies of other repositories inside a project.

Question: does a file lie in a folder that is a copy of another repository. A folder is one where
its README tells to clone a repository of the folder's own name, and no text above it does, or calls
it vendored, or where a README above links to a repository of its name, or its own one does and the
name is no word, or its name is that of a download (`net-main`) beside code that is none: unless the
project's own code imports the file. And it is one, whoever imports it, where it is named as code of
others is kept (`third_party`), where it has a README and a license of its own, of another holder
than those above it; or a README and a packaging file, in the middle of code; where pip has written
down that it put it there; or where it is a package of the name of a library that is often copied,
in a project that does not call itself so. So is a file of well-known scripts beside others of them.
Given up on: copies that say none of that, and projects that consist of such folders. Each folder
is read once.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.regexes import lazily
from dlint.library_facts.copied_projects import LIBRARIES, OF_SCRIPTS, SCRIPTS
from dlint.workspace import asked
from dlint.workspace.kinds import is_notebook

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_CLONED = lazily(r"git\s+clone\s+[^\n]*?[/:]([\w.-]+?)(?:\.git)?/?(?=[\s`\"'<)]|$)")
_LINKED = lazily(r"github\.com/[\w.-]+/([\w.-]+?)(?:\.git)?(?=[\s/#)\]\"'>`]|$)")
_VENDORED = lazily(r"\bvendored\b", re.I)
_DOWNLOADED = lazily(r".+-(?:main|master)")
"""How the folder of a repository is named that was fetched from GitHub as an archive."""
_RARE = lazily(r"[a-z][A-Z]|[A-Z]{2}|\w[\d_-]\w")
"""A name that no folder has by chance, as `models` and `datasets` are."""
FOREIGN = lazily(r"_*((3rd|third)[ _-]?part(y|ies)|vendor(ed|s)?|externals?|submodules?)", re.I)
"""How a folder for the code of others is named."""
_INSTALLED = r".+\.dist-info"
"""Where pip keeps what it knows of a package (https://peps.python.org/pep-0376)."""
_BEGINNING = 400
"""Characters of a README in which it says what it is."""
_LARGEST = 500_000


_HOLDER = lazily(r"copyright\W+(?:c\W+)?[\d\s,-]*(\w[^\n]*)", re.I)
_LICENSES = "(?i)(?:license|licence|copying).*"
_PACKAGING = r"setup\.py|setup\.cfg|pyproject\.toml"
_SCRIPTS = r".+\.py"
_NAMED = lazily(r"\bname\s*=\s*([\"']?)([\w.-]+)", re.I)
"""How packaging files name a project, or a variable that holds the name."""
_LOADS = b"DataLoader"


class Copy(NamedTuple):
    """A folder that is a copy, and what says so."""

    folder: str
    because: str


class VendoredCode:
    """Which files are of a copy of another repository, and are not used by the project's own."""

    def __init__(self, context: AnalysisContext) -> None:
        self._project = context.project
        self._folders: dict[str, bool] = {}
        self._apart: dict[str, str | None] = {}
        self._known: dict[str, Copy | None] = {}
        self._installed: dict[str, bool] = {}
        self._above: dict[str, list[str]] = {}

    def around(self, path: str) -> Copy | None:
        """The copy that a file lies in; None where it lies in none, or in one that is used."""
        if path not in self._known:
            self._known[path] = self._search(path)
        return self._known[path]

    def _search(self, path: str) -> Copy | None:
        above = self.folders_around(path)
        copy = next(filter(self._is_copy, above), None)
        if copy is not None and not self.is_used_outside(path, copy + "/"):
            return Copy(copy, "the project's own code does not import this")
        foreign = next((f for f in above if FOREIGN.fullmatch(Path(f).name)), None)
        if foreign is not None:
            return Copy(foreign, "its name says so")
        library = next(filter(self._is_library, above), None)
        if library is not None:
            return Copy(library, "it has the name of a library, and the project has another")
        scripts = path.rpartition("/")[0]
        if Path(path).name in OF_SCRIPTS and scripts in above and _holds_scripts(scripts):
            return Copy(scripts, "it holds the files of torchvision's reference scripts")
        installed = next(filter(self._is_installed, above), None)
        if installed is not None:
            return Copy(installed, "a record of what pip installed lies beside it")
        apart = next((f for f in above if self._sets_apart(f)), None)
        if apart is None or not self._has_own_code:
            return None
        return Copy(apart, f"it has {self._sets_apart(apart)} of its own")

    def _is_library(self, folder: str) -> bool:
        """Whether a folder is the package of a known library, in a project of another name."""
        above, _, name = folder.rpartition("/")
        if name.lower() not in LIBRARIES or not asked.is_file(f"{folder}/__init__.py"):
            return False
        around = self.folders_around(folder + "/")
        root = around[0].rpartition("/")[0] if around else above
        files = [f"{root}/{file}" for file in asked.names_in(root, _PACKAGING)]
        return not files or _are_named_otherwise(files, _plain(name))

    def _is_installed(self, folder: str) -> bool:
        if folder not in self._installed:
            self._installed[folder] = is_installed(folder)
        return self._installed[folder]

    @cached_property
    def _code(self) -> frozenset[str]:
        """The files of the whole project, those of other programs too."""
        return frozenset({*self._project.files, *self._searched, *self._beside})

    @cached_property
    def _searched(self) -> frozenset[str]:
        return self._project.words.holders(b"import")

    @cached_property
    def _beside(self) -> frozenset[str]:
        """The code around a notebook, which is searched by itself."""
        project = self._project
        return frozenset(project.own_code() if any(map(is_notebook, self._searched)) else ())

    def folders_around(self, path: str) -> list[str]:
        """The folders around a file outside of which the project has code, from the outermost."""
        folder = path.rpartition("/")[0]
        if folder not in self._above:
            is_all = not folder or all(p.startswith(folder + "/") for p in self._code)
            self._above[folder] = [] if is_all else [*self.folders_around(folder), folder]
        return self._above[folder]

    def _is_copy(self, folder: str) -> bool:
        if folder not in self._folders:
            text = _readme(folder)
            own = _plain(Path(folder).name)
            above = [_plain(n) for n in _CLONED.findall(_readme(folder.rpartition("/")[0]))]
            cloned = own in map(_plain, _CLONED.findall(text)) and own not in above
            vendored = _VENDORED.search(text[:_BEGINNING]) is not None
            fetched = _is_download(folder) and self._has_more_than_downloads
            links = bool(text) and own not in above
            linked = links and (_is_linked(folder, own) or self._links_to_itself(folder, text))
            self._folders[folder] = cloned or vendored or fetched or linked
        return self._folders[folder]

    def _links_to_itself(self, folder: str, text: str) -> bool:
        """Whether the README of a folder links to a repository of the folder's own rare name."""
        name = Path(folder).name
        if _RARE.search(name) is None or _plain(name) not in map(_plain, _LINKED.findall(text)):
            return False
        return self._has_code_without_readme

    @cached_property
    def _has_code_without_readme(self) -> bool:
        return any(not any(map(_readme, self.folders_around(path))) for path in self._code)

    @cached_property
    def _has_more_than_downloads(self) -> bool:
        return any(not any(map(_is_download, self.folders_around(p))) for p in self._code)

    def is_used_outside(self, path: str, home: str) -> bool:
        """Whether code outside of a folder (`home` ends with `/`), or a file, imports a file."""
        users = self._project.graph.importers([path])
        return any(not user.startswith(home) for user in users)

    def _sets_apart(self, folder: str) -> str | None:
        """What a folder has that those around it have not: a license, or packaging."""
        if folder not in self._apart:
            has_readme = bool(_readme(folder))
            self._apart[folder] = self._own(folder) if has_readme else None
        return self._apart[folder]

    def _own(self, folder: str) -> str | None:
        license_, above = _license(folder), folder.rpartition("/")[0]
        if license_ is not None and not any(license_ == _license(f) for f in _outwards(above)):
            return "a README and a license"
        packaged = bool(asked.names_in(folder, _PACKAGING))
        among = any(p.rpartition("/")[0] == above for p in self._code)
        return (
            "a README and packaging"
            if packaged and among and self.folders_around(above + "/")
            else None
        )

    @cached_property
    def _has_own_code(self) -> bool:
        """Whether loaders are made outside of such folders too."""
        words = self._project.words
        known = {*words.holders(_LOADS), *(p for p in self._beside if words.is_in(p, _LOADS))}
        holders = (path for path in sorted(known) if path.endswith(".py"))
        return any(not any(map(self._sets_apart, self.folders_around(path))) for path in holders)


def _are_named_otherwise(files: list[str], own: str) -> bool:
    """Whether packaging files name a project, and none of them so; a variable may hold any name."""
    found = False
    for file in files:
        for quote, name in _NAMED.findall(asked.beginning_of(file, _LARGEST)):
            is_variable = not quote and file.endswith(".py")
            if is_variable or own in _plain(name) or _plain(name) in own:
                return False
            found = True
    return found


def _holds_scripts(folder: str) -> bool:
    known = set(asked.names_in(folder, _SCRIPTS))
    return any(files <= known for files in SCRIPTS)


def _is_download(folder: str) -> bool:
    return _DOWNLOADED.fullmatch(folder.rpartition("/")[2]) is not None


def is_installed(folder: str) -> bool:
    """Whether pip has written down, beside a folder, that the files in it came of a package."""
    above, _, name = folder.rpartition("/")
    records = (f"{above}/{info}/RECORD" for info in asked.names_in(above, _INSTALLED))
    texts = (asked.beginning_of(one, _LARGEST) for one in records if asked.is_file(one))
    return any(f"\n{name}/" in f"\n{text}" for text in texts)


def _is_linked(folder: str, own: str) -> bool:
    """Whether a README around a folder links to a repository of the folder's own name."""
    readmes = map(_readme, _outwards(folder.rpartition("/")[0]))
    return any(own in map(_plain, _LINKED.findall(text)) for text in readmes)


def _outwards(folder: str) -> list[str]:
    """A folder and those around it, up to that of the repository."""
    found: list[str] = []
    while folder and not (found and asked.exists(f"{found[-1]}/.git")):
        found.append(folder)
        folder = folder.rpartition("/")[0]
    return found


def _license(folder: str) -> str | None:
    """Whose license lies in a folder: its holder, or its text where it names none."""
    for name in asked.names_in(folder, _LICENSES):
        if asked.is_file(f"{folder}/{name}"):
            text = asked.beginning_of(f"{folder}/{name}", _LARGEST)
            holder = _HOLDER.search(text)
            return " ".join((text if holder is None else holder[1]).lower().split())
    return None


def _plain(name: str) -> str:
    return re.sub(r"[-_.]", "", name).lower()


def _readme(folder: str) -> str:
    """The text of the README of a folder; nothing where it has none."""
    for name in asked.names_in(folder, "(?i)readme.*"):
        file = f"{folder}/{name}"
        if asked.is_small(file, _LARGEST):
            return asked.beginning_of(file, _LARGEST)
    return ""
