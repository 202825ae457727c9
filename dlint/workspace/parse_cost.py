"""What a parse costs, told before it: memory by words, signs and brackets, time by patterns.

libcst keeps what each rule of its grammar found at each place, with copies of what stands inside: a
token costs it 2 to 4 KB, and up to 1.6 KB more for each bracket around it. Of patterns it keeps
nothing: what stands in a bracket of one is read twice, and in a brace four times.
"""

from __future__ import annotations

import re
from itertools import accumulate

from dlint.findings.regexes import lazily

MOST = 640
"""Megabytes that a parse may be reckoned to take; most real files take half of that."""
MUCH = 50
"""Megabytes below which it is not reckoned closely."""
_OF_TOKEN, _OF_BRACKET = 4.2, 1.6
"""KB, as measured with libcst 1.9: of sums and texts in a row, of calls and lambdas in others."""
MOST_IN_PATTERN = 10
"""Brackets around a part of a pattern, each brace counted twice."""
_TEXTS = lazily(
    r"#[^\n]*|(?P<prefix>\b[bBfFrRuU]{1,2})?(?:"
    r'"""[^"\\]*(?:(?:\\(?:.|\Z)|"(?!""))[^"\\]*)*(?:"""|\Z)|'
    r"'''[^'\\]*(?:(?:\\(?:.|\Z)|'(?!''))[^'\\]*)*(?:'''|\Z)|"
    r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|'
    r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?)",
    re.S,
)
"""Comments and strings; those that do not end, too, so that none is gone over again.

None of its parts can fail once it has begun. Groups that are repeated possessively would say so,
but Python 3.11.2 takes them wrongly.
"""
_WORDS, _LINE_ENDS = lazily(r"\w+"), lazily(r"\n\s*")
_OPENING, _CLOSING = "([{", ")]}"
_STEPS = [(chr(byte) in _OPENING) - (chr(byte) in _CLOSING) for byte in range(128)]
_CASE = lazily(r"^[ \t\f]*case\b(?=.*[\\(\[{])", re.M)
_IN_CASE = lazily(r"[()\[\]{}:]|\bif\b|(?<![=!<>:])=(?!=)|(?<!\\)\n")


def megabytes(text: str) -> float:
    """What a parse takes at most, or some number below `MUCH`."""
    opened = sum(map(text.count, _OPENING))
    highest = len(text) * (_OF_TOKEN + _OF_BRACKET * opened) / 1_000
    return highest if highest < MUCH else _reckoned(text)


def _reckoned(text: str) -> float:
    """By the tokens, a character each, and the brackets around each."""
    words = _WORDS.sub("a", _TEXTS.sub(_tokens, text))
    tokens = _LINE_ENDS.sub("\n", words).encode("ascii", "replace").translate(None, b" \t\f\\")
    around = sum(accumulate(map(_STEPS.__getitem__, tokens)))
    return (_OF_TOKEN * len(tokens) + _OF_BRACKET * max(around, 0)) / 1_000


def _tokens(found: re.Match[str]) -> str:
    """A string as it counts: twice before another, and with what stands in its braces."""
    text = found[0]
    if text[0] == "#":
        return ""
    if "f" not in (found["prefix"] or "").lower():
        return (
            "a," if found.string[found.end() : found.end() + 9].lstrip()[:1] in {"'", '"'} else "a"
        )
    opened, closed = (sum(map(text.count, signs)) for signs in (_OPENING, _CLOSING))
    return text if opened == closed else "(" * opened + "a," * opened + ")" * opened


def deep_pattern(text: str) -> int | None:
    """Where a `case` begins whose pattern nests so deeply that the parser would not end."""
    if _CASE.search(text) is None:
        return None
    masked = _TEXTS.sub(lambda found: "a" * len(found[0]), text)
    cases = (case for case in _CASE.finditer(masked) if _brackets(masked, case.end()))
    return next((case.start() for case in cases), None)


def _brackets(masked: str, start: int) -> bool:
    """Whether there are too many around a part of what goes on to an `if` or `:`."""
    level = most = 0
    for found in _IN_CASE.finditer(masked, start):
        sign = found[0]
        weight = 2 if sign in "{}" else 1
        if sign in _OPENING:
            level += weight
            most = max(most, level)
        elif sign in _CLOSING:
            level -= weight
        elif level == 0:
            return sign in {":", "if"} and most > MOST_IN_PATTERN
    return False
