"""Real Python with tokens and lines moved about: most of it parses still, none makes sense."""

from __future__ import annotations

import re

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
        change = choices.one_of((_lines, _tokens, _tokens))
        text = change(text, choices)
    return text


def _lines(text: str, choices: Choices) -> str:
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


def _tokens(text: str, choices: Choices) -> str:
    """A token replaced by another one of the text, a name, or a sign."""
    tokens = _TOKEN.findall(text) or [""]
    at = choices.number(0, len(tokens) - 1)
    other = tokens[choices.number(0, len(tokens) - 1)]
    tokens[at] = choices.one_of((other, choices.one_of(_NAMES), choices.one_of(_ODD)))
    return "".join(tokens)
