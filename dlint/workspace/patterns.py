"""Glob patterns as `.gitignore` has them, as regular expressions that are quick on any path.

Where a `*` may end, only the first place counts: what stands between two stars has one length, so
no later place can do what the first one cannot. Atomic groups say so to the regular expression,
which otherwise would try every place for every star: those of pathspec do, so that a pattern of a
project could hold up dlint for ever. Tests compare what patterns mean here with pathspec.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_END = r"(?=/|\Z)"
_FOLDERS = "(?:[^/]+/)*?"
_TOKEN = (
    r"(?s)(?P<star>\*+)|(?P<any>\?)|\[(?P<not>[!^]?)(?P<set>\]?(?:\[:\w+:\]|[^\]/])*)\]"
    r"|\\(?P<kept>.)|."
)
_ITEM = r"(?s)\[:(?P<kind>\w+):\]|(?P<low>\\?.)-(?P<high>\\?.)|\\?(?P<one>.)"
_KINDS = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    "space": "\\s",
    "upper": "A-Z",
    "word": "\\w",
    "xdigit": "0-9a-fA-F",
}


def of_path(parts: Sequence[str], *, escapes: bool) -> str:
    """What a path looks like, all of it, by the parts of a pattern between its slashes.

    A part `**` stands for any folders, at the end for anything below. With `escapes`, as in ignore
    files, a backslash takes the meaning from the character behind it, and a bracket that nothing
    closes matches nothing.
    """
    groups: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(of_name(part, escapes=escapes))
    *first, last = ["/".join(group) for group in groups]
    written = "".join(
        f"(?>{_FOLDERS if index else ''}{group}/)" for index, group in enumerate(first) if group
    )
    if not first:
        return rf"{last}\Z"
    return written + (rf"{_FOLDERS}{last}\Z" if last else r"(?s:.+)\Z")


def of_name(part: str, *, escapes: bool) -> str:
    """What one name in a path looks like."""
    pieces = [""]
    for token in re.finditer(_TOKEN, part):
        if token["star"]:
            pieces.append("")
        else:
            pieces[-1] += _character(token, escapes=escapes)
    first, *inner = pieces
    if not inner:
        return first + _END
    *middle, last = inner
    jumps = "".join(f"(?>[^/]*?{piece})" for piece in middle if piece)
    return f"(?>{first}{jumps}[^/]*{last}{_END})"


def is_plain(part: str) -> bool:
    """Whether a part of a pattern stands for itself."""
    return not any(character in part for character in "*?[\\")


def _character(token: re.Match[str], *, escapes: bool) -> str:
    if token["any"]:
        return "[^/]"
    if token["set"] is not None:
        return _set(token["set"], is_negated=bool(token["not"]))
    if token["kept"] is not None:
        return re.escape(token["kept"]) if escapes else re.escape(token[0])
    is_open = token[0] == "[" and escapes
    return "(?!)" if is_open else re.escape(token[0])


def _set(inner: str, *, is_negated: bool) -> str:
    items = "".join(map(_item, re.finditer(_ITEM, inner)))
    if is_negated:
        return f"[^/{items}]"
    return f"(?!/)[{items}]" if items else "(?!)"


def _item(item: re.Match[str]) -> str:
    if item["kind"]:
        return _KINDS.get(item["kind"], "")
    if item["low"]:
        low, high = item["low"][-1], item["high"][-1]
        return f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
    return re.escape(item["one"])
