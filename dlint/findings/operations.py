"""What a rule may ask for. Each front-end (Python, later YAML) lowers these to edits of text."""

from __future__ import annotations

from dataclasses import dataclass

from dlint.findings.places import Place


@dataclass(frozen=True, slots=True)
class SetArgument:
    """Give `name=value` to the call at `call`.

    `value` is source text; the word `torch` in it stands for the module and is replaced by the
    file's own binding (`import torch as th`), or the import is brought along. `position` is the
    argument's place in the callee's signature: a value given by position is replaced where it is.
    A call with `*` or `**` before or behind gets no keyword: the fix cannot be lowered.
    """

    call: Place
    name: str
    value: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class RemoveArgument:
    """Take the argument `name` out of the call at `call`.

    Given by position (`position`, counted from 0) it is replaced by `placeholder`, the source text
    of the callee's neutral value, since later positions would shift.
    """

    call: Place
    name: str
    position: int | None = None
    placeholder: str = "None"


@dataclass(frozen=True, slots=True)
class ReplaceExpression:
    """Replace the expression at `target` by `text` (same convention for `torch` as SetArgument)."""

    target: Place
    text: str


@dataclass(frozen=True, slots=True)
class CallMethod:
    """Call a method, without arguments, of what the expression at `target` gives: `x[0].copy()`.

    The expression is a call, a name, an attribute or a subscript; no other is lowered.
    """

    target: Place
    name: str


@dataclass(frozen=True, slots=True)
class ReplaceComment:
    """Replace `comment`, a comment or a part of one with blanks around it, by `text` as it is."""

    comment: Place
    text: str


@dataclass(frozen=True, slots=True)
class SetKey:
    """Give `key` the value `value` in the dict literal or `dict(...)` call at `mapping`."""

    mapping: Place
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class InsertFirstInLoop:
    """Make `text` (one or more lines, relative indentation) the first statement of a loop body.

    `loop` is the whole `for`/`while` statement.
    """

    loop: Place
    text: str


@dataclass(frozen=True, slots=True)
class MoveToModuleTop:
    """Move the simple statement at `statement` below the module's leading imports.

    If it was alone in its block, `pass` stays behind. Names that the statement uses must be bound
    by those imports, else the fix cannot be lowered.
    """

    statement: Place


@dataclass(frozen=True, slots=True)
class ReplaceStatement:
    """Replace the simple statement at `statement` by `text`, one statement a line.

    More than one line is written only where the statement has its row to itself.
    """

    statement: Place
    text: str


Operation = (
    SetArgument
    | RemoveArgument
    | ReplaceExpression
    | CallMethod
    | ReplaceComment
    | SetKey
    | InsertFirstInLoop
    | MoveToModuleTop
    | ReplaceStatement
)


def place_of(operation: Operation) -> Place:
    """What the operation changes."""
    match operation:
        case SetArgument(call=place) | RemoveArgument(call=place):
            return place
        case ReplaceExpression(target=place) | CallMethod(target=place):
            return place
        case ReplaceComment(comment=place):
            return place
        case SetKey(mapping=place) | InsertFirstInLoop(loop=place):
            return place
        case MoveToModuleTop(statement=place) | ReplaceStatement(statement=place):
            return place
