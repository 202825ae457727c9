"""Names that some file of a project speaks of, in code or in a text of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlint.semantics.project import Project


def is_spoken_of(project: Project, name: str, path: str) -> bool:
    """Whether another file has a name, elsewhere than where it defines something of that name.

    Configs, scripts, tests and notebooks count.
    """
    word = name.encode()
    spoken = re.compile(rb"(?<!def )(?<!class )\b" + re.escape(word) + rb"\b")
    holders = set(project.words.holders(word)) - {path}
    holders |= {p for p in project.bystanders() if project.words.is_in(p, word)}
    return any(project.says(holder, spoken) for holder in sorted(holders))
