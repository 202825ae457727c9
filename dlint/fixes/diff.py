"""What a run would change, as a unified diff that `git apply` takes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def unified_diff(name: str, before: str, after: str) -> str:
    """The diff of one file; `name` is its path relative to where the diff is to be applied.

    Empty when the texts are equal. As in git, only a line feed ends a line.
    """
    name = name.replace("\\", "/")
    mark = "\t" if " " in name else ""
    lines = difflib.unified_diff(
        _LINE.findall(before), _LINE.findall(after), f"a/{name}{mark}", f"b/{name}{mark}"
    )
    return "".join(_ended(lines))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
