"""What the file of a notebook says beside the Python of its cells: magics, and who runs it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.findings.regexes import lazily
from dlint.workspace import asked
from dlint.workspace.kinds import is_notebook
from dlint.workspace.source import MOST_BYTES

if TYPE_CHECKING:
    from dlint.semantics.project import Project

_MAGIC = lazily(rb'(?:"|\\n|=)[ \t]*[%!]((?:(?!\\n)[^\n])*)')
"""A line of a cell, as JSON has it, that IPython takes."""
_AGAIN = lazily(
    rb'(?:"|\\n)[ \t]*%(?:run|rerun|recall|macro|load)\b'
    rb'|(?:"|\\n)%%(?!(?:bash|sh|script|writefile|html|HTML|javascript|js|latex|markdown|svg|cmd'
    rb"|capture|time|timeit|prun|memit)\b)\w"
    rb"|#[ ]?\|[ ]?export|#[ ]?default_exp"
)
"""How a cell runs others again or in a way of its own, or is exported as a part of a library."""
_IMPORTERS = frozenset({b"import_ipynb", b"nbimporter", b"importnb", b"papermill"})
_MOST = 40
"""Other notebooks that are looked at."""
_WORDS = lazily(rb"\w+")


def words_of_magics(path: str) -> frozenset[str] | None:
    """The words of the magics and shell commands; None where a cell may run any of the others."""
    text = asked.content(path, MOST_BYTES)
    if text is None or _AGAIN.search(text):
        return None
    found = (word for magic in _MAGIC.finditer(text) for word in _WORDS.findall(magic[1]))
    return frozenset(word.decode("utf-8", "replace") for word in found)


def is_run_by_others(project: Project, path: str) -> bool:
    """Whether another notebook near by runs this one in itself, or imports notebooks."""
    home, stem = Path(path).parent, Path(path).stem.encode()
    runs = re.compile(rb"%run\b[^\n]*?\b" + re.escape(stem) + rb"\b")
    others = sorted(p for p in project.bystanders() if p != path and is_notebook(p))
    near = [p for p in others if _is_near(Path(p).parent, home)]
    texts = (asked.content(other, MOST_BYTES) or b"" for other in near[:_MOST])
    return any(_runs(text, runs) for text in texts)


def _runs(text: bytes, runs: re.Pattern[bytes]) -> bool:
    if any(name in text for name in _IMPORTERS):
        return True
    return b"%run" in text and runs.search(text) is not None


def _is_near(folder: Path, home: Path) -> bool:
    return folder == home or folder.parent == home or folder == home.parent
