"""Options of a command line that texts beside the code speak of.

Question: may who runs a program give another value than the default of an option? Followed: shell
scripts of the project, READMEs and other texts in the folders around the code that makes a loader.
Given up on: which value they give. Asked is the project, each text once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.analyses.idle.left_out import TEXTS_AND_SHELL, is_told
from dlint.findings.regexes import lazily
from dlint.workspace.kinds import is_shell

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader

_OPTION = lazily(r"default of option `(-+[^`]+)`")
_PARAMETER = lazily(r"default of parameter `([^`]+)`")


def is_given_in_texts(loader: Loader, assumed: str) -> bool:
    """Whether a shell script, or a text beside the code, speaks of the option of a default."""
    flag = _OPTION.fullmatch(assumed)
    if flag is None:
        return False
    project, path = loader.context.project, loader.place.path
    written = re.compile(re.escape(flag[1]).encode() + rb"(?![\w-])")
    if any(project.says(p, written) for p in sorted(filter(is_shell, project.files))):
        return True
    word = flag[1].lstrip("-").encode()
    return is_told(project, path.rpartition("/")[0], word, TEXTS_AND_SHELL)


def is_named_in_texts(loader: Loader, assumed: str) -> bool:
    """Whether a text beside the code speaks of the parameter of a default: a caller may give it."""
    parameter = _PARAMETER.fullmatch(assumed)
    if parameter is None:
        return False
    folder, _, _ = loader.place.path.rpartition("/")
    return is_told(loader.context.project, folder, parameter[1].encode(), TEXTS_AND_SHELL)
