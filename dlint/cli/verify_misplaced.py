"""Arguments that a command which starts a script does not know: most are meant for that."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

_CLOSE = 0.8


def misplaced(
    parser: argparse.ArgumentParser, namespace: argparse.Namespace, unknown: Sequence[str]
) -> str:
    """What is said of them: where they stand, or which option they may have been."""
    program, words = _meant(namespace, list(unknown))
    given = shlex.join(words)
    verb = "is no argument" if len(words) == 1 else "are no arguments"
    return (
        f"`{given}` {verb} of `{parser.prog}`{guess(parser, unknown)}; the script's arguments "
        f"stand behind `--`, as in `{parser.prog} {program} -- {given}`"
    )


def _meant(namespace: argparse.Namespace, words: list[str]) -> tuple[str, list[str]]:
    """The program, and its arguments: of `--epochs 3 train.py` the number was read as a script."""
    if namespace.module is not None:
        return f"-m {shlex.quote(namespace.module)}", words
    script = namespace.script
    if script is not None and not Path(script).is_file():
        for index, word in enumerate(words):
            if Path(word).is_file():
                return shlex.quote(word), [*words[:index], script, *words[index + 1 :]]
    return "SCRIPT" if script is None else shlex.quote(script), words


def guess(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> str:
    """In brackets, the options that unknown ones are much like; nothing without any."""
    known = [flag for action in parser._actions for flag in action.option_strings]
    flags = (word.partition("=")[0] for word in unknown if word.startswith("--"))
    found = [get_close_matches(flag, known, n=1, cutoff=_CLOSE) for flag in flags]
    close = dict.fromkeys(flag for flags in found for flag in flags)
    return f" (did you mean `{' '.join(close)}`?)" if close else ""
