"""Comments that suppress findings: `# dlint: ignore[…]`, `# dlint: file-ignore[…]`, `# noqa`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from dlint.findings.places import Span
from dlint.findings.regexes import lazily
from dlint.suppression.comments import Comment

_ANY = lazily(
    r"#\s*+(?:dlint:|noqa\b|type:|mypy:|pyright:|pylint:|pragma\b|fmt:|isort:|ruff:|nosec)"
)
"""Where a comment begins to speak to some tool: what is said before ends there."""
_OWN = lazily(r"#\s*+dlint:\s*+(?P<verb>[\w-]++)\s*+(?P<list>\[(?P<names>[^\]#]*+)\])?")
_NOQA = lazily(r"#\s*noqa(?![\w-])(?P<listed>\s*:)?(?P<codes>[^#]*)", re.IGNORECASE)
_CODE = lazily(r"[\s,]*([A-Za-z]+[0-9]+)(?![\w-])")
_NAME = lazily(r"[^\s,]+")
_VERBS = ("ignore", "file-ignore")
_MEANT_AS_VERB = frozenset({"disable", "enable", "ignore-file", "skip", "skip-file", "noqa"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One rule named by a directive: the word as written and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Directive:
    """`# dlint: ignore[...]` for some rows, or `# dlint: file-ignore[...]` for the whole file."""

    span: Span
    """From its `#` to the end of its reason."""
    comment: Comment
    entries: tuple[Entry, ...]
    whole_file: bool
    list_end: int
    """Offset of the closing bracket."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A comment that was meant as a directive and is none."""

    span: Span
    problem: str


@dataclass(frozen=True, slots=True)
class Noqa:
    """`# noqa` behind code; without codes it speaks of every rule."""

    codes: frozenset[str] | None


def directives(comment: Comment) -> Iterator[Directive | Malformed]:
    """What a comment says to dlint; it may hold several directives."""
    for found, last in _own(comment.text):
        verb = found["verb"]
        span = comment.start + found.start(), comment.start + last
        if verb in _VERBS and found["names"] and found["names"].strip(", \t"):
            offset = comment.start + found.start("names")
            names = _NAME.finditer(found["names"])
            entries = tuple(Entry(n[0], (offset + n.start(), offset + n.end())) for n in names)
            end = comment.start + found.end("names")
            yield Directive(span, comment, entries, verb == "file-ignore", end)
        elif verb in _VERBS:
            yield Malformed(span, f"`dlint: {verb}` names no rule: write `{verb}[rule-name]`")
        elif verb in _MEANT_AS_VERB:
            yield Malformed(span, f"`dlint: {verb}` is unknown: write `ignore[rule-name]`")


def _own(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The directives in the text of a comment, each with the end of its reason."""
    starts = [start.start() for start in _ANY.finditer(text)]
    for start, following in zip_longest(starts, starts[1:]):
        found = _OWN.match(text, start)
        if found is not None and following is None:
            yield found, len(text)
        elif found is not None:
            said = text[found.end() : following].rstrip()
            yield found, found.end() + len(said)


def noqa(comment: Comment) -> Noqa | None:
    """The `# noqa` in a comment; what is listed but is no code means nothing."""
    found = _NOQA.search(comment.text)
    if found is None or comment.covers != (comment.row, comment.row):
        return None
    if found["listed"] is None:
        return Noqa(None)
    codes = []
    position = 0
    while code := _CODE.match(found["codes"], position):
        codes.append(code[1].upper())
        position = code.end()
    return Noqa(frozenset(codes)) if codes else None
