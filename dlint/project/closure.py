"""The files of a project that a script imports, directly or through others."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from dlint.project.imports import ImportMap


def imported(script: str, files: Iterable[str]) -> set[str]:
    """The script and every one of `files` that it may import."""
    return closed(script, ImportMap.of({*files, script}, _changes_path))


def closed(script: str, imports: ImportMap) -> set[str]:
    """The script and every file of a map that it may import."""
    found, waiting = {script}, [script]
    while waiting:
        importer = waiting.pop()
        for path in _targets(importer, imports):
            if path in imports.files and path not in found:
                found.add(path)
                waiting.append(path)
    return found


def _changes_path(path: str) -> bool:
    try:
        return b"sys.path" in Path(path).read_bytes()
    except OSError:
        return False


def _targets(importer: str, imports: ImportMap) -> Iterator[str]:
    """What the imports of a file name: modules, their packages, and members that are modules."""
    for node in ast.walk(_parsed(importer)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_packages(imports, importer, alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if not node.level:
                yield from _with_packages(imports, importer, module)
            base = imports.resolve(importer, module, node.level)
            if base is None:
                continue
            yield base
            for alias in node.names:
                yield imports.member(base, alias.name) or base


def _with_packages(imports: ImportMap, importer: str, module: str) -> Iterator[str]:
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        path = imports.resolve(importer, ".".join(parts[:count]))
        if path is not None:
            yield path


def _parsed(path: str) -> ast.AST:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(Path(path).read_bytes())
        except (OSError, SyntaxError, ValueError):
            return ast.Module([], [])
