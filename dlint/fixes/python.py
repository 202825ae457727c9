"""Operations on one Python source, lowered to edits of its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import libcst as cst

from dlint.findings.edits import Edit
from dlint.findings.operations import (
    CallMethod,
    InsertFirstInLoop,
    MoveToModuleTop,
    Operation,
    RemoveArgument,
    ReplaceComment,
    ReplaceExpression,
    ReplaceStatement,
    SetArgument,
    SetKey,
    place_of,
)
from dlint.findings.places import Place
from dlint.fixes.python_entries import change_arguments, set_keys
from dlint.fixes.python_expressions import call_method, replace_expression
from dlint.fixes.python_imports import use_torch
from dlint.fixes.python_loops import insert_first
from dlint.fixes.python_moves import move_to_top
from dlint.fixes.python_statements import replace_statement
from dlint.fixes.python_syntax import Syntax, syntax_of
from dlint.suppression.comments import layout
from dlint.workspace.source import Source


def lower_python(source: Source, operations: Sequence[Operation]) -> list[Edit] | None:
    """Edits for all operations on `source`; None when one of them cannot be lowered."""
    syntax = syntax_of(source)
    by_place: dict[Place, list[Operation]] = {}
    edits: list[Edit] = []
    try:
        for operation in operations:
            if (named := _with_torch(syntax, operation)) is None:
                return None
            by_place.setdefault(place_of(operation), []).append(named[0])
            edits += named[1]
        for place, group in by_place.items():
            if (lowered := _lower_at(syntax, place, group)) is None:
                return None
            edits += lowered
    except SyntaxError:
        return None
    return edits


def _with_torch(syntax: Syntax, operation: Operation) -> tuple[Operation, list[Edit]] | None:
    """The operation with the file's own name for torch in its text, and the import it needs."""
    match operation:
        case SetArgument(value=text) | SetKey(value=text):
            named = _named(syntax, text, place_of(operation))
            return None if named is None else (replace(operation, value=named[0]), named[1])
        case ReplaceExpression(text=text) | InsertFirstInLoop(text=text):
            named = _named(syntax, text, place_of(operation))
            return None if named is None else (replace(operation, text=named[0]), named[1])
    return operation, []


def _named(syntax: Syntax, text: str, place: Place) -> tuple[str, list[Edit]] | None:
    source = syntax.source
    text = text.replace("\n", source.newline)
    if "torch" not in text:
        return text, []
    if syntax.tree is None:
        return None
    return use_torch(source, syntax.tree, text, source.position(place.start)[0])


def _lower_at(syntax: Syntax, place: Place, operations: Sequence[Operation]) -> list[Edit] | None:
    """Edits for the operations on one node; None also for operations that do not go together."""
    if isinstance(operations[0], ReplaceComment):
        one = len(operations) == 1
        return _lower_comment(syntax.source, place, operations[0].text) if one else None
    moves = isinstance(operations[0], MoveToModuleTop)  # which asks what is left behind
    path = syntax.path(place.start, place.end, in_function=moves)
    if path is None:
        return None
    holder, node = _expression(syntax, path, place)
    match operations:
        case [MoveToModuleTop()]:
            return move_to_top(syntax, path)
        case [ReplaceStatement(text=text)]:
            return replace_statement(syntax, path, place, text)
        case [CallMethod(name=name)]:
            return call_method(syntax, node, name)
        case [ReplaceExpression(text=text)] if node is not None:
            return [replace_expression(syntax, node, holder, text)]
    count = len(operations)
    texts = [o.text for o in operations if isinstance(o, InsertFirstInLoop)]
    if len(texts) == count:
        return _lower_insertions(syntax, place, texts)
    keys = [o for o in operations if isinstance(o, SetKey)]
    if len(keys) == count and node is not None:
        return set_keys(syntax, node, keys)
    arguments = [o for o in operations if isinstance(o, (SetArgument, RemoveArgument))]
    if len(arguments) == count and isinstance(node, cst.Call):
        return change_arguments(syntax, node, arguments)
    return None


def _lower_comment(source: Source, place: Place, text: str) -> list[Edit] | None:
    for comment in layout(source).comments:
        end = comment.start + len(comment.text)
        if place.start <= end and comment.start <= place.end:
            before = source.text[place.start : comment.start]
            is_comment = not before.strip() and not source.text[end : place.end].strip()
            return [Edit(place.path, place.start, place.end, text)] if is_comment else None
    return None


def _expression(
    syntax: Syntax, path: Sequence[cst.CSTNode], place: Place
) -> tuple[cst.CSTNode, cst.BaseExpression | None]:
    """The expression that fills the place, and the node that holds it."""
    span = place.start, place.end
    for holder, node in pairwise(path):
        if isinstance(node, cst.BaseExpression) and syntax.fills(node, span):
            return holder, node
    return path[0], None


def _lower_insertions(syntax: Syntax, place: Place, texts: Sequence[str]) -> list[Edit] | None:
    for node in syntax.path(place.start, place.start + 1) or ():
        if isinstance(node, (cst.For, cst.While)) and syntax.span(node)[0] == place.start:
            edit = insert_first(syntax, node, "\n".join(texts))
            return None if edit is None else [edit]
    return None
