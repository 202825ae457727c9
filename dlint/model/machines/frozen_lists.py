"""Lists of packages that somebody's machine wrote (`pip freeze`), and the machine they show.

Question: was a requirements file written on Windows, and which build of torch lies there; was it
written on a Mac, for which no build of torch has CUDA? Followed: text in UTF-16, as PowerShell
writes what it is given (`pip freeze > requirements.txt`), and pinned packages that install on one
platform alone, in the nearest folder that requires torch. Given up on: projects that write out
paths of other machines or speak of a cluster, and lines with a marker
(`; sys_platform == "win32"`), which hold for other platforms too.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.regexes import lazily
from dlint.library_facts.platforms import BY_POWERSHELL, OF_MAC, OF_WINDOWS
from dlint.model.machines.hardware import is_elsewhere_too, is_on_unix_too
from dlint.model.versions.version_files import Folder, Kind
from dlint.workspace import asked
from dlint.workspace.roots import is_too_wide

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_TORCH = lazily(r"(?m)^(?:[ \t]*-[ \t]*)?(?:py)?torch(?=[ \t]*(?:[=<>~!@,;(\[]|$))")
_PINNED = r"(?mi)^(?:[ \t]*-[ \t]*)?(%s)==?[\w.]+(?:=\w+)?[ \t]*$"
_OF_WINDOWS = lazily(_PINNED % "|".join(OF_WINDOWS))
_OF_MAC = lazily(_PINNED % "|".join(OF_MAC))
_PLAIN_TORCH = lazily(r"(?m)^torch==[2-9]\d*(?:\.\d+)*[ \t]*$")
"""Of PyPI, whose torch for Windows has no CUDA; other builds are told by their local version."""
_BY_CONDA = lazily(r"(?m)^[\w.-]+ @ file:")
"""What conda has built: its torch has a plain version, and may have CUDA."""


class WindowsList(NamedTuple):
    """A list of packages that was written on Windows: where that shows, and by what."""

    file: Path
    row: int
    sign: str
    has_no_cuda: bool


def windows_list(context: AnalysisContext, folder: Path) -> WindowsList | None:
    """The list by which a project lives on Windows, and nowhere else as far as it says."""
    found = _nearest(folder)
    return None if found is None or context[is_on_unix_too] else found


def is_frozen_on_mac(context: AnalysisContext, folder: Path) -> bool:
    """Whether a project lives on a Mac by its list of packages, and nowhere else as it says."""
    texts = _requiring(folder)[1].values()
    if not any(map(_OF_MAC.search, texts)) or any(map(_OF_WINDOWS.search, texts)):
        return False
    return not context[is_elsewhere_too]


def _nearest(folder: Path) -> WindowsList | None:
    at, texts = _requiring(folder)
    found = (_of_windows(at / name, text) for name, text in texts.items())
    return next(filter(None, found), None)


def _requiring(folder: Path) -> tuple[Path, dict[str, str]]:
    """The nearest folder whose declarations require torch, and these; no texts where none does."""
    texts = Folder(folder).texts(Kind.DECLARATION)
    if any(map(_TORCH.search, texts.values())):
        return folder, texts
    above = folder.parent
    if asked.exists(folder / ".git") or is_too_wide(above):
        return folder, {}
    return _requiring(above)


def _of_windows(file: Path, text: str) -> WindowsList | None:
    lacks_cuda = _PLAIN_TORCH.search(text) is not None and not _BY_CONDA.search(text)
    package = _OF_WINDOWS.search(text)
    if package is not None:
        row = text.count("\n", 0, package.start(1)) + 1
        return WindowsList(file, row, f"`{package[1]}`", lacks_cuda)
    if asked.content(file, 2) in (BOM_UTF16_LE, BOM_UTF16_BE):
        return WindowsList(file, 1, BY_POWERSHELL, lacks_cuda)
    return None
