"""What a run would change, as a unified diff that `git apply` takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from dlint.findings.regexes import lazily
from dlint.workspace.source import Source

_LINE = lazily(r"[^\n]*\n|[^\n]+")


def unified_diff(name: str, source: Source, text: str) -> str:
    """The diff of the file when `text` stands for that of `source`.

    `name` is its path, with slashes, relative to where it is applied. A source that never was a
    file is one that is new.
    Empty when the texts are equal. As in git, only a line feed ends a line, and a byte order mark
    is a part of the first one.
    """
    before = _LINE.findall(source.document(source.text))
    after = _LINE.findall(source.document(text))
    mark = "\t" if " " in name else ""
    first = "/dev/null" if source.raw is None else f"a/{name}{mark}"
    lines = difflib.unified_diff(before, after, first, f"b/{name}{mark}")
    return "".join(_ended(lines))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
