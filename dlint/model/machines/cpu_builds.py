"""Whether a program has no CUDA to copy to: by the torch its project installs, or as on a Mac.

Question: which build of torch do the requirements take? Followed: PyTorch's index of CPU builds,
local versions such as `2.7.1+cpu`, conda's `cpuonly`, the torch of PyPI on Windows, lists of
packages that were written on a Mac, in the nearest folder whose files require torch.
`pyproject.toml` decides where it requires torch; otherwise all files that do must agree. A README
whose commands install such a build, and no other one, counts as well, and so does a notebook that
was last run on a Mac. Given up on: projects that speak of builds for CUDA as well, sources that
hold on other platforms than Linux or for an extra, images and CI.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.findings.regexes import lazily
from dlint.model.machines.frozen_lists import is_frozen_on_mac, windows_list
from dlint.model.machines.hardware import is_elsewhere_too, lives_on_mac
from dlint.model.machines.platforms import Platforms
from dlint.model.versions.version_files import Folder, Kind
from dlint.workspace import asked
from dlint.workspace.roots import is_too_wide

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_PACKAGE = "pyproject.toml"
_REQUIRED = lazily(r"(?m)^[\s\"'-]*(?:py)?torch(?=\s*[\"'=<>~!@,;(\[]|\s*$)")
_OF_CPU = lazily(r"download\.pytorch\.org/whl/(?:nightly/)?cpu\b|\d\+cpu\b|\bcpuonly\b")
_OF_CUDA = lazily(r"whl/(?:nightly/)?cu\d|\d\+cu\d|pytorch-cuda|cudatoolkit|nvidia-cud|rocm\d")
_PLAINLY = lazily(
    r"(?mi)^[^\n]*\b(?:pip3?|conda|mamba)\s+install\b(?![^\n]*cpu)[^\n]*\s(?:py)?torch(?=[\s=<>~,`]|$)"
)
"""A command that installs torch from wherever it comes."""
_ELSEWHERE = lazily(
    r"(?m)^torch\s*=\s*(?:\[[^\]]{0,500}?|[^\n]{0,200}?)"
    r"(?:\bextra\s*=|!=\s*['\"]linux|=\s*['\"](?:darwin|win32|windows))",
    re.I,
)
"""Where uv takes torch from an index under a condition that a Linux machine does not meet."""


def has_no_cuda(context: AnalysisContext, path: str) -> bool:
    """Whether nothing that a program runs the file at `path` on has CUDA, as far as it says."""
    on_mac = lives_on_mac(context, path) or _was_run_on_mac(context, path)
    return on_mac or context[_Builds].are_for_cpu(Path(path).parent)


def _was_run_on_mac(context: AnalysisContext, path: str) -> bool:
    """Whether a notebook was last run on a Mac, and nothing tells of other machines."""
    printed = context[Platforms].printed(path)
    is_mac = printed is not None and printed.platform == "macOS"
    return is_mac and not context[is_elsewhere_too]


class _Builds:
    """What the folders of projects require; every folder is read once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._known: dict[Path, bool] = {}

    def are_for_cpu(self, folder: Path) -> bool:
        """Whether the project of a folder takes torch without CUDA."""
        if folder not in self._known:
            self._known[folder] = self._search(folder)
        return self._known[folder]

    def _search(self, folder: Path) -> bool:
        texts = Folder(folder).texts(Kind.DECLARATION)
        requiring = {name: text for name, text in texts.items() if _REQUIRED.search(text)}
        if requiring:
            first = [requiring[_PACKAGE]] if _PACKAGE in requiring else list(requiring.values())
            if any(map(_names_others, texts.values())):
                return False
            of_cpu = all(map(_OF_CPU.search, first)) or _is_of_cpu_by_prose(folder)
            return of_cpu or self._is_frozen_without_cuda(folder)
        if _is_of_cpu_by_prose(folder):
            return True
        above = folder.parent
        if asked.exists(folder / ".git") or is_too_wide(above):
            return False
        return self.are_for_cpu(above)

    def _is_frozen_without_cuda(self, folder: Path) -> bool:
        """Whether a list was written on a Mac, or on Windows and holds the torch of PyPI."""
        found = windows_list(self._context, folder)
        on_windows = found is not None and found.has_no_cuda
        return on_windows or is_frozen_on_mac(self._context, folder)


def _is_of_cpu_by_prose(folder: Path) -> bool:
    """Whether what people are told to install is torch's build for CPUs, and no other one."""
    texts = Folder(folder).texts(Kind.PROSE).values()
    if any(map(_names_others, texts)) or any(map(_PLAINLY.search, texts)):
        return False
    return any(map(_OF_CPU.search, texts))


def _names_others(text: str) -> bool:
    """Whether a file speaks of builds for CUDA, or of platforms that have another one."""
    return bool(_OF_CUDA.search(text) or _ELSEWHERE.search(text))
