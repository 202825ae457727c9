"""Scripts of cells that hold IPython's commands: `# %%` above a cell, `!pip install` in it.

Jupytext makes a notebook of such a file, and editors run its cells with IPython. What is no Python
is hidden as in a notebook, so that the rest can be read, and every character stays where it is.
"""

from __future__ import annotations

import re
from itertools import pairwise

from dlint.findings.regexes import lazily
from dlint.workspace.notebooks.magics import HIDDEN, PLACEHOLDER, problem_of, read_cell, shown
from dlint.workspace.source import Part, Source

MARKS = ("# %%", "#%%", "# In[", "# COMMAND ---", "# <codecell>")
"""How scripts of cells begin one: editors and notebooks run them in any order."""
_BEGIN = "|".join(map(re.escape, MARKS))
_MARK = lazily(rf"(?m)^[ \t]*(?:{_BEGIN})")
_BEGIN_OF_LINE = lazily(rf"(?m)^(?:{_BEGIN})[^\n]*\n")
_GIVES_AWAY = lazily(r"(?m)^[ \t]*%%\w")
"""A magic that may give its whole cell to something else."""
_WORDS = lazily(r"(?m)[^ \t\r\n][^\r\n]*")


class CellScript(Source):
    """A script of cells. `text` is what is analysed, with commands hidden."""

    _hidden: tuple[str, ...] = ()

    def with_text(self, text: str) -> CellScript:
        """The same script with another text, which is not on disk yet."""
        other = CellScript(self.path, text, self.encoding, self.bom, self.raw)
        other._hidden = self._hidden
        return other

    def part(self, offset: int) -> Part:
        """The whole file, as it is written."""
        del offset
        return Part(self.file, 0, None)

    def holds(self, text: str) -> bool:
        """Whether a text still has every command of this one."""
        return len(PLACEHOLDER.findall(text)) == len(self._hidden)

    def document(self, text: str) -> str:
        """The file with the commands of another text shown."""
        return super().document(shown(text, self._hidden))

    @property
    def file(self) -> Source:
        """The text with its commands."""
        return Source(self.path, shown(self.text, self._hidden), self.encoding)


def script_of(source: Source) -> Source:
    """A file without the commands of its cells; the file as it is where it has none."""
    if not _MARK.search(source.passing_text):
        return source
    written = source.passing_text
    text = _python_of(written)
    if text is None or text == written:
        return source
    script = CellScript(source.path, text, source.encoding, source.bom, source.raw)
    script._hidden = tuple(written[m.start() : m.end()] for m in PLACEHOLDER.finditer(text))
    return script


def _python_of(text: str) -> str | None:
    """The Python of a script, as long as the script; None where not all of the rest is Python."""
    if HIDDEN in text:
        return None
    if not _GIVES_AWAY.search(text) and (whole := read_cell(text).text) is not None:
        return whole
    starts = [0, *(found.end() for found in _BEGIN_OF_LINE.finditer(text)), len(text)]
    cells = (text[a:b] for a, b in pairwise(starts))
    joined = "".join(map(_cell, cells))
    return joined if problem_of(joined) is None else None


def _cell(text: str) -> str:
    """The Python of one cell; comments alone of one whose magic gives it to something else."""
    read = read_cell(text)
    if read.text is not None or read.problem is not None:
        return text if read.text is None else read.text
    return _WORDS.sub(lambda found: _comment(found[0]), text)


def _comment(words: str) -> str:
    """What stands for a line; a name where it is too short for a comment."""
    if words.startswith("#"):
        return words
    return "#" + HIDDEN * (len(words) - 1) if len(words) > 1 else HIDDEN
