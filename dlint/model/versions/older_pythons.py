"""Files that Python 3 of today rejects because they were written for another Python.

Question: is the fault a construct that an older Python has, and does anything say that the file is
for that Python? Followed: a `#!` line; the Python that the project declares or states, or that its
commands make environments with; modules and names that only Python 2 has, and `print` statements
all over, unless other files of the project need Python 3; a folder for the code of others
(`third_party`, what pip has written down), where nothing outside of it imports a module of the
file's name; for `async` as a name, what only torch 0.3 has, and a project's word of a torch as old.
A fault that no Python takes is one, whatever else the file says. Cells that were saved as a file
hold commands of IPython.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.idle.set_aside import folder_set_aside
from dlint.analyses.idle.vendored import FOREIGN, is_installed
from dlint.findings.regexes import lazily
from dlint.library_facts import features, older_pythons
from dlint.model.versions.admitted import Versions
from dlint.model.versions.compiled_files import ran_on_python_2
from dlint.workspace import asked
from dlint.workspace.roots import is_too_wide

if TYPE_CHECKING:
    from dlint.library_facts.torch_versions import Version
    from dlint.workspace.source import FileProblem, Source

_TEXTS = lazily(r"\"[^\"\n]*\"|'[^'\n]*'|#.*")
_SHEBANG = lazily(r"\A#![^\n]*\bpython[ \t]?([23])")
_CODE = r"^[^#\n'\"]*?"
_NAMES = lazily(
    rf"(?m)^(?:import|from)[ \t]+({'|'.join(features.PYTHON_2_MODULES)})\b"
    rf"|{_CODE}(?<![\w.])({'|'.join(sorted(features.PYTHON_2_NAMES))})\("
    rf"|{_CODE}\.({'|'.join(sorted(features.PYTHON_2_METHODS))})\("
)
_PRINTED = lazily(r"(?m)^[ \t]*print[ \t]+[\w\"'`]")
_OFTEN = 3
_PROVIDED = lazily(
    rf"(?m)\b(?:import|as)\b[^\n]*\b(?:{'|'.join(sorted(features.PYTHON_2_NAMES))})\b"
    rf"|^\s*(?:{'|'.join(sorted(features.PYTHON_2_NAMES))})\s*=[^=]"
)
_OF_PYTHON_3 = lazily(
    rb"\A#![^\n]*\bpython3|(?m:^)(?:[^#\n'\"]*(?:\bsuper\(\)|[\s=(,\[{+]f[\"'][^\n]*\{)"
    rb"|[ \t]*(?:nonlocal[ \t]+\w|async[ \t]+def\b|def[ \t]+\w+\([^#\n]*\)[ \t]*->))"
)
_OLD_TORCH = lazily(rf"(?m){_CODE}(volatile[ \t]*=[ \t]*True|loss\w*\.data\[0\])")
_COMMAND = lazily(r"[ \t]*(?:%%?[A-Za-z]|![\w{$./~])")
_TOP = r"(?i:readme[\w.-]*|requirements[\w.-]*|setup\.py|setup\.cfg|pyproject\.toml|\.git)"


class Age(NamedTuple):
    """The Python that a file was written for, and what says so."""

    python: str
    by: str


class OlderPythons:
    """Which files of a project were written for an older Python.

    `source` reads a file, `files` are those of the project that are no tests.
    """

    def __init__(
        self, source: Callable[[str], Source | None], files: Callable[[], Iterable[str]]
    ) -> None:
        self._source = source
        self._files = files
        self._versions = Versions()

    def age(self, problem: FileProblem) -> Age | None:
        """For which Python a file that cannot be parsed was written; None where it is at fault."""
        source = self._source(problem.place.path)
        newest = None if source is None else _newest_with(source, problem)
        if source is None or newest is None:
            return None
        said = _SHEBANG.search(source.text)
        if said is not None:
            return Age("2", "its `#!` line") if said[1] == "2" else None
        by_words = self._by_project(source, newest) or self._by_itself(source, newest)
        return by_words or (self._by_folder(source) if newest == older_pythons.PYTHON_2 else None)

    def set_aside(self, problem: FileProblem) -> str | None:
        """The folder for what is past (`archive`) that holds a file, if no import names it."""
        files = [file for file in sorted(self._files()) if file.endswith(".py")]
        folder = folder_set_aside(problem.place.path, files)
        if folder is None:
            return None
        return None if any(self._names(file, folder) for file in files) else folder

    def is_for_ipython(self, problem: FileProblem) -> bool:
        """Whether the parser gave up at a command of IPython: `%%writefile a.py`, `!pip …`."""
        source = self._source(problem.place.path)
        return source is not None and _COMMAND.match(_row(source, problem)) is not None

    def _by_project(self, source: Source, newest: Version) -> Age | None:
        versions = self._versions
        for python in (versions.likely_python, versions.installed_python):
            said = python(source.path)
            if said.newest is not None and said.newest <= newest:
                return Age(said.in_words, "what the project says of its Python")
        return None

    def _by_itself(self, source: Source, newest: Version) -> Age | None:
        oldest = self._versions.likely_python(source.path).oldest
        if oldest is not None and oldest > newest:
            return None
        if ran_on_python_2(Path(source.path)):
            return Age("2", "what Python 2 has compiled beside it")
        said = _python_2_word(source.text)
        if said is not None and not self._is_beside_python_3(source.path):
            return Age("2", said)
        return self._by_torch(source) if newest == older_pythons.ASYNC else None

    def _by_folder(self, source: Source) -> Age | None:
        """Python 2 in a copy of the code of others, which nothing outside of the copy imports."""
        files = [file for file in sorted(self._files()) if file.endswith(".py")]
        named = (f for f in Path(source.path).parents if _is_of_others(f))
        for folder in named:
            others = [file for file in files if not file.startswith(f"{folder.as_posix()}/")]
            if others and not any(self._imports(file, source.path) for file in others):
                return Age("2", f"its line, in a copy in `{folder.name}` that nothing else imports")
        return None

    def _imports(self, file: str, path: str) -> bool:
        """Whether a file has an import with the name of a module, wherever that is from."""
        return self._names(file, _module(path))

    def _names(self, file: str, name: str) -> bool:
        """Whether an import of a file has a word."""
        source = self._source(file)
        word = re.escape(name).encode()
        imports = rb"(?m)^[ \t]*(?:import|from)[ \t][^\n]*\b" + word + rb"\b"
        return source is not None and re.search(imports, source.searchable) is not None

    def _by_torch(self, source: Source) -> Age | None:
        """`cuda(async=True)` for a torch that has no wheel for a Python which rejects it."""
        said = _OLD_TORCH.search(source.text)
        if said is not None:
            return Age("3.6 or older", f"`{said[1]}`")
        stated = self._versions.stated_torch(source.path).admitted
        taken = [a for a in (self._versions.torch(source.path), stated) if a.newest is not None]
        if any(a.newest and a.newest <= older_pythons.LAST_TORCH for a in taken):
            return Age("3.6 or older", "the torch that the project speaks of")
        return None

    def _is_beside_python_3(self, path: str) -> bool:
        """Whether another file of its part of the project needs Python 3."""
        top = f"{_top(Path(path).parent)}/"
        beside = (f for f in sorted(self._files()) if f != path and f.startswith(top))
        read = (self._source(file) for file in beside if file.endswith(".py"))
        return any(_OF_PYTHON_3.search(s.searchable) for s in read if s is not None)


def _is_of_others(folder: Path) -> bool:
    """Whether a folder is one for the code of others, by its name or by a record of pip."""
    return FOREIGN.fullmatch(folder.name) is not None or is_installed(folder.as_posix())


def _newest_with(source: Source, problem: FileProblem) -> Version | None:
    """The newest Python that has the construct at which the parser gave up."""
    if problem.message.startswith(older_pythons.MESSAGES):
        return older_pythons.PYTHON_2
    row = _TEXTS.sub('""', _row(source, problem))
    if any(re.search(pattern, row) for pattern in older_pythons.OF_PYTHON_2):
        return older_pythons.PYTHON_2
    return older_pythons.ASYNC if re.search(older_pythons.OF_ASYNC, row) else None


def _python_2_word(text: str) -> str | None:
    """What of a file only Python 2 has: a module, a name, or statements all over."""
    name = _NAMES.search(text)
    if name is not None and not _PROVIDED.search(text):
        return f"`{next(filter(None, name.groups()))}`"
    printed = sum(1 for _ in _PRINTED.finditer(text))
    return f"{printed} `print` statements" if printed >= _OFTEN else None


def _module(path: str) -> str:
    """The name by which a file is imported: that of its folder for `__init__.py`."""
    file = Path(path)
    return file.parent.name if file.stem == "__init__" else file.stem


def _row(source: Source, problem: FileProblem) -> str:
    """The row in which the parser gave up."""
    begin = source.text.rfind("\n", 0, problem.place.start) + 1
    return source.text[begin:].partition("\n")[0]


def _top(folder: Path) -> Path:
    """The nearest folder that tells of itself."""
    while not asked.names_in(folder, _TOP) and not is_too_wide(folder.parent):
        folder = folder.parent
    return folder
