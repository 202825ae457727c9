"""Operations on one shell script, lowered to another word in place of a plain one."""

from __future__ import annotations

from collections.abc import Sequence

from dlint.findings.edits import Edit, all_or_none
from dlint.findings.operations import (
    Operation,
    RemoveArgument,
    ReplaceExpression,
    SetArgument,
    place_of,
)
from dlint.findings.places import Span
from dlint.findings.regexes import lazily
from dlint.frontends.shell import started
from dlint.frontends.shell_trainers import value_of
from dlint.frontends.shell_words import ShellError, read
from dlint.workspace.source import Source

_PLAIN = lazily(r"\d+|[Tt]rue|[Ff]alse|TRUE|FALSE")


def lower_shell(source: Source, operations: Sequence[Operation]) -> list[Edit] | None:
    """Edits for all operations on `source`; None when one of them cannot be lowered."""
    return all_or_none(_lowered(source, operation) for operation in operations)


def still_reads(text: str) -> bool:
    """Whether a text can be read as a script."""
    try:
        read(text)
    except ShellError:
        return False
    return True


def _lowered(source: Source, operation: Operation) -> Edit | None:
    match operation:
        case ReplaceExpression(target=place, text=text):
            span: Span | None = place.start, place.end
        case SetArgument(name=key, value=text) | RemoveArgument(name=key, placeholder=text):
            span = _value(source, operation, key)
        case _:
            return None
    return None if span is None else _rewritten(source, span, text)


def _value(source: Source, operation: Operation, key: str) -> Span | None:
    """Where the word stands that a run gives to an argument."""
    place = place_of(operation)
    for one in started(source.text):
        if one.span == (place.start, place.end):
            word = value_of(one, key)
            return None if word is None else word.span
    return None


def _rewritten(source: Source, span: Span, text: str) -> Edit | None:
    """Another number or truth value in place of one, which keeps its quotes and its case.

    A word that holds a variable is none of these.
    """
    old = source.text[span[0] : span[1]]
    if not _PLAIN.fullmatch(old) or old.isdigit() != text.isdigit():
        return None
    if not old.isdigit():
        if text not in ("True", "False"):
            return None
        text = text.lower() if old.islower() else text.upper() if old.isupper() else text
    return Edit(source.path, *span, text)
