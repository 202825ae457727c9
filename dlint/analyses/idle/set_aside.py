"""Files that a project says it has set aside.

Question: is a file kept for the record alone. It lies in a folder that is named as an archive is
(`archived`, `deprecated`, `extra material`), or its first words call it deprecated; and no code
from outside the folder imports it. Given up on: what other names mean, and projects all of whose
code lies in such a folder. Each file is asked once.
"""

from __future__ import annotations

from collections.abc import Iterable
from os.path import commonpath
from pathlib import PurePath
from typing import TYPE_CHECKING

from dlint.analyses.idle.vendored import VendoredCode
from dlint.findings.regexes import lazily

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_FOLDER = lazily(
    r"_*((archived?|deprecated|obsolete|outdated|legacy|old|unused|attic|backups?|bak)"
    r"([ _-]?(code|files?|scripts?|versions?|stuff))?|extra[ _-]?materials?"
    r"|旧(版本?|代码|文件)?|(历史|老)版本|备份|归档|存档|废弃|弃用|백업|구버전|バックアップ)",
)
_FIRST_WORDS = lazily(
    rb"(?i)\A(?:\s|#[\s#_*=-]*(?:\n|$)|[rub]?\"\"\"|[rub]?'''|#)*[\[(*<!\s]*"
    rb"(?:deprecated|obsolete|outdated|archived|no longer (?:used|maintained))\b"
)
"""A comment or docstring that begins so."""


def folder_set_aside(path: str, files: Iterable[str]) -> str | None:
    """The name of a folder around a file that is for what is past, beside other files of a project.

    Folders that hold all of the project are not its own to name.
    """
    top = PurePath(commonpath([str(PurePath(path).parent), *files]))
    inside = (folder for folder in PurePath(path).parents if folder.is_relative_to(top))
    named = (f.name for f in inside if f != top and _FOLDER.fullmatch(f.name.lower()))
    return next(named, None)


class SetAside:
    """Which files are kept for the record alone, by what their project says."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[str, str | None] = {}

    def reason(self, path: str) -> str | None:
        """What says that a file is set aside; None where nothing does."""
        if path not in self._known:
            self._known[path] = self._search(path)
        return self._known[path]

    def _search(self, path: str) -> str | None:
        vendored = self._context[VendoredCode]
        for folder in vendored.folders_around(path):
            name = PurePath(folder).name
            if _FOLDER.fullmatch(name.lower()) and not vendored.is_used_outside(path, folder + "/"):
                return f"it lies in `{name}`"
        project = self._context.project
        if project.says(path, _FIRST_WORDS) and not vendored.is_used_outside(path, path):
            return "its first words say so"
        return None
