"""What a fix may have broken in a notebook or a config: all but the named values is as it was."""

from __future__ import annotations

import json
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from dlint.frontends.nodes import documents
from dlint.workspace import kinds
from dlint.workspace.notebooks.document import Document
from dlint.workspace.reading import read
from dlint.workspace.source import UnreadableError


def document_faults(before: Path, after: Path) -> list[str]:
    """What is wrong with the change of a notebook or a config."""
    if kinds.is_notebook(str(before)):
        return _notebook_faults(before, after)
    first, second = (_shape(path) for path in (before, after))
    return [] if _only_scalars_differ(first, second) else [f"{after} has another structure"]


def is_right(path: Path) -> bool:
    """Whether a notebook or a config can be read as what it is."""
    try:
        source = read(str(path))
    except UnreadableError:
        return False
    if kinds.is_notebook(str(path)):
        return _is_valid(path)
    return bool(documents(str(path), source.text))


def _is_valid(path: Path) -> bool:
    nbformat: Any = import_module("nbformat")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            nbformat.validate(json.loads(path.read_bytes()))
        except (ValueError, nbformat.ValidationError):
            return False
    return True


def _notebook_faults(before: Path, after: Path) -> list[str]:
    found = []
    one, two = before.read_bytes(), after.read_bytes()
    if _without_sources(one) != _without_sources(two):
        found.append(f"{after} differs in bytes outside of its code")
    first, second = json.loads(one), json.loads(two)
    for notebook in (first, second):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["source"] = ""
    if first != second:
        found.append(f"{after} differs in more than its code")
    return found


def _without_sources(raw: bytes) -> str:
    """The text of a notebook without that of its code cells."""
    text = raw.decode("utf-8")
    document = Document(text.removeprefix("\ufeff"))
    parts, position = [], 0
    for cell in document.code_cells:
        parts.append(document.text[position : cell.span[0]])
        position = cell.span[1]
    return "\0".join([*parts, document.text[position:]])


def _shape(path: Path) -> list[yaml.Node]:
    return documents(str(path), read(str(path)).text)


def _only_scalars_differ(first: Any, second: Any) -> bool:
    """Whether two trees have the same keys in the same order, but for keys that were added."""
    if isinstance(first, list):
        return len(first) == len(second) and all(map(_only_scalars_differ, first, second))
    if type(first) is not type(second) or first.tag != second.tag:
        return isinstance(first, yaml.ScalarNode) and isinstance(second, yaml.ScalarNode)
    if isinstance(first, yaml.SequenceNode):
        return _only_scalars_differ(first.value, second.value)
    if isinstance(first, yaml.MappingNode):
        kept = second.value[: len(first.value)]
        same = [key.value for key, _ in first.value] == [key.value for key, _ in kept]
        pairs = zip(first.value, kept, strict=False)
        return same and all(_only_scalars_differ(a[1], b[1]) for a, b in pairs)
    return True
