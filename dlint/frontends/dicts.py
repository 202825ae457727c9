"""Settings that Python configs write as dicts, with what the files of `_base_` say."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir.module import Bind
from dlint.workspace.spelling import normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dlint.ir.module import ModuleIndex

    Load = Callable[[str], ModuleIndex | None]

_DEPTH = 6

Settings = dict[str, ex.Argument]


def described(index: ModuleIndex, names: frozenset[str]) -> Iterator[Bind]:
    """The statements that give one of these names a dict."""
    for statement in index.body.body.statements:
        if not isinstance(statement, Bind) or len(statement.definitions) != 1:
            continue
        if statement.definitions[0].name in names and is_dict(statement.value):
            yield statement


def is_dict(value: ex.Expression) -> bool:
    """Whether a value is written as `dict(…)`."""
    value = ex.unnamed(value)
    return isinstance(value, ex.Call) and value.name == "dict"


def settings(index: ModuleIndex, name: str, load: Load, depth: int = _DEPTH) -> Settings | None:
    """The keys of a dict, those of the base files included; None where one is not known."""
    if depth == 0:
        return None
    last = list(described(index, frozenset({name})))
    own: Settings = {}
    if last:
        call = ex.unnamed(last[-1].value)
        assert isinstance(call, ex.Call)
        if any(argument.keyword is None for argument in call.arguments):
            return None
        own = {str(argument.keyword): argument for argument in call.arguments}
        if "_delete_" in own:
            return own
    elif any(d.name == name for d in index.body.definitions):
        return None
    inherited: Settings = {}
    for base in _bases(index):
        module = None if base is None else load(base)
        given = None if module is None else settings(module, name, load, depth - 1)
        if given is None:
            return None
        inherited.update(given)
    return {**inherited, **own}


def _bases(index: ModuleIndex) -> Iterator[str | None]:
    """The files that `_base_` names; None for one that cannot be told."""
    for definition in index.body.definitions:
        if definition.name != "_base_":
            continue
        value = definition.value
        for item in value.items if isinstance(value, ex.Sequence) else (value,):
            text = item.value if isinstance(item, ex.Constant) else None
            known = isinstance(text, str) and text.endswith(".py") and "::" not in text
            folder = posixpath.dirname(index.path)
            yield normal(f"{folder}/{text}") if known else None


def is_changed(index: ModuleIndex, name: str) -> bool:
    """Whether the module changes the dict after it has been written."""
    touched = [store.target.value for store in index.body.stores]
    for call in index.body.calls:
        if isinstance(call.function, ex.Attribute) and call.name in ("update", "pop"):
            touched.append(call.function.value)
    return any(isinstance(value, ex.Reference) and value.name == name for value in touched)
