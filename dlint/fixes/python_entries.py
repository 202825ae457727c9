"""Arguments of Python calls and keys of Python dicts, set and taken out."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence

import libcst as cst

from dlint.findings.edits import Edit
from dlint.findings.operations import RemoveArgument, SetArgument, SetKey
from dlint.fixes.brackets import Brackets
from dlint.fixes.lines import find_token
from dlint.fixes.python_expressions import as_operand
from dlint.fixes.python_syntax import Syntax


class _CannotLowerError(Exception):
    pass


def change_arguments(
    syntax: Syntax, call: cst.Call, operations: Sequence[SetArgument | RemoveArgument]
) -> list[Edit] | None:
    """Edits for all operations on one call; None when one of them cannot be done."""
    arguments = _Arguments(syntax, call)
    try:
        for operation in operations:
            if isinstance(operation, SetArgument):
                arguments.set(operation)
            else:
                arguments.remove(operation)
        return list(arguments.edits())
    except _CannotLowerError:
        return None


class _Arguments:
    """The arguments of a call, and what is to become of them."""

    def __init__(self, syntax: Syntax, call: cst.Call) -> None:
        self.syntax, self.call = syntax, call
        self.added: dict[str, str] = {}
        self.removed: set[int] = set()
        self.replaced: dict[int, str] = {}

    def set(self, operation: SetArgument) -> None:
        index = self._find(operation.name, operation.position)
        if index is not None:
            self.replaced[index] = operation.value
        elif any(argument.star for argument in self.call.args) or self._is_bare_generator():
            raise _CannotLowerError
        else:
            self.added[operation.name] = f"{operation.name}={as_operand(operation.value)}"

    def remove(self, operation: RemoveArgument) -> None:
        index = self._find(operation.name, operation.position)
        if index is None:
            raise _CannotLowerError
        behind = self.call.args[index + 1 : index + 2]
        if self.call.args[index].keyword is None and behind and _is_positional(behind[0]):
            self.replaced[index] = operation.placeholder
        else:
            self.removed.add(index)

    def edits(self) -> Iterator[Edit]:
        if self.removed & self.replaced.keys():
            raise _CannotLowerError
        for index, text in self.replaced.items():
            yield self._replacement(index, as_operand(text))
        yield from self._brackets().changed(self.removed, list(self.added.values()))

    def _find(self, name: str, position: int | None) -> int | None:
        """Index of the argument, given by keyword or surely by position."""
        for index, argument in enumerate(self.call.args):
            if argument.keyword is not None and argument.keyword.value == name:
                return index
        leading = 0
        while leading < len(self.call.args) and _is_plain(self.call.args[leading]):
            leading += 1
        return position if position is not None and position < leading else None

    def _is_bare_generator(self) -> bool:
        """`f(x for x in y)`: its one argument lacks the parentheses it needs beside another."""
        value = self.call.args[0].value if self.call.args else None
        return isinstance(value, cst.GeneratorExp) and not value.lpar

    def _replacement(self, index: int, text: str) -> Edit:
        argument = self.call.args[index]
        start, end = self.syntax.span(argument)
        if argument.keyword is not None:
            start = _behind_token(self.syntax, "=", self.syntax.span(argument.keyword)[1], end)
        return Edit(self.syntax.source.path, start, end, text)

    def _brackets(self) -> Brackets:
        end = self.syntax.span(self.call)[1]
        after = self.syntax.span(self.call.func)[1]
        opening = find_token(self.syntax.source, "(", after, end)
        if opening is None or self.syntax.source.text[end - 1] != ")":
            raise _CannotLowerError
        entries = tuple(self.syntax.span(argument) for argument in self.call.args)
        return Brackets(self.syntax.source, opening + 1, end - 1, entries)


def _is_plain(argument: cst.Arg) -> bool:
    return argument.keyword is None and not argument.star


def _is_positional(argument: cst.Arg) -> bool:
    return argument.keyword is None and argument.star != "**"


def _behind_token(syntax: Syntax, token: str, start: int, end: int) -> int:
    """Offset of what follows the token and the blanks behind it."""
    found = find_token(syntax.source, token, start, end)
    if found is None:
        raise _CannotLowerError
    text = syntax.source.text[found + 1 : end]
    return found + 1 + len(text) - len(text.lstrip())


def set_keys(
    syntax: Syntax, mapping: cst.CSTNode, operations: Sequence[SetKey]
) -> list[Edit] | None:
    """Edits that set keys of a dict literal or a `dict(...)` call; None when they cannot be set."""
    if isinstance(mapping, cst.Dict):
        return _set_literal_keys(syntax, mapping, operations)
    if isinstance(mapping, cst.Call) and _is_dict_call(mapping):
        if not all(o.key.isidentifier() and not keyword.iskeyword(o.key) for o in operations):
            return None
        arguments = [SetArgument(o.mapping, o.key, o.value) for o in operations]
        return change_arguments(syntax, mapping, arguments)
    return None


def _is_dict_call(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Name) and call.func.value == "dict"


def _set_literal_keys(
    syntax: Syntax, mapping: cst.Dict, operations: Sequence[SetKey]
) -> list[Edit] | None:
    elements = [e for e in mapping.elements if isinstance(e, cst.DictElement)]
    if len(elements) < len(mapping.elements):
        return None
    keys = {_key(element): element for element in elements}
    quote = next((_quote(e.key) for e in reversed(elements) if _quote(e.key)), '"')
    added: list[str] = []
    edits: list[Edit] = []
    for operation in operations:
        present = keys.get(operation.key)
        if present is None:
            added.append(f"{quote}{operation.key}{quote}: {as_operand(operation.value)}")
        else:
            edits.append(_new_value(syntax, present, as_operand(operation.value)))
    start, end = syntax.span(mapping)
    entries = tuple(syntax.span(element) for element in elements)
    return [*edits, *Brackets(syntax.source, start + 1, end - 1, entries).changed((), added)]


def _key(element: cst.DictElement) -> object:
    """The key's value where it is a plain string, else the element itself."""
    key = element.key
    return key.evaluated_value if isinstance(key, cst.SimpleString) else element


def _quote(key: cst.BaseExpression) -> str:
    if isinstance(key, cst.SimpleString) and len(key.quote) == 1 and not key.prefix:
        return key.quote
    return ""


def _new_value(syntax: Syntax, element: cst.DictElement, text: str) -> Edit:
    end = syntax.span(element)[1]
    start = _behind_token(syntax, ":", syntax.span(element.key)[1], end)
    return Edit(syntax.source.path, start, end, text)
