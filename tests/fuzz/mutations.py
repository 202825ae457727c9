"""Real Python with tokens and lines moved about: most of it parses still, none makes sense."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.fuzz.choices import Choices

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_ODD = (
    "(",
    ")",
    "[",
    ":",
    ",",
    "*",
    "**",
    "lambda: ",
    "not ",
    "await ",
    "yield ",
    "=",
    ".",
    "0",
    "",
)
_NAMES = ("DataLoader", "sampler", "num_workers", "set_epoch", "self", "torch", "None", "x")


def mutated(text: str, choices: Choices) -> str:
    """The text after a few changes."""
    for _ in range(choices.number(1, 4)):
        if choices.one_of((True, False, False)):
            text = moved(text, choices)
        else:
            text = replaced(text, choices, (choices.one_of(_NAMES), choices.one_of(_ODD)))
    return text


def moved(text: str, choices: Choices) -> str:
    """A line doubled, taken away, moved, or indented otherwise."""
    lines = text.splitlines(keepends=True) or [""]
    at, to = choices.number(0, len(lines) - 1), choices.number(0, len(lines) - 1)
    line = lines[at]
    match choices.one_of(("double", "drop", "move", "indent")):
        case "double":
            lines.insert(to, line)
        case "drop":
            del lines[at]
        case "move":
            lines.insert(to, lines.pop(at))
        case _:
            lines[at] = choices.one_of(("    ", "\t", " ")) + line
    return "".join(lines)


def replaced(text: str, choices: Choices, others: Sequence[str]) -> str:
    """A token replaced by another one of the text, or by one of the others."""
    tokens = _TOKEN.findall(text) or [""]
    at = choices.number(0, len(tokens) - 1)
    other = tokens[choices.number(0, len(tokens) - 1)]
    tokens[at] = choices.one_of((other, *others))
    return "".join(tokens)
