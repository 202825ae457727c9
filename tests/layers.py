"""Which module of the package imports which, type-only imports counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "dlint"

Graph = Mapping[str, frozenset[str]]


def import_graph(package: Path = PACKAGE) -> Graph:
    """The modules of a package, and what each of them imports of it."""
    paths = {_name(path, package): path for path in package.rglob("*.py")}
    return {
        name: frozenset(_imported(path, paths.keys(), package.name)) - {name}
        for name, path in paths.items()
    }


def _name(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, names: object, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (_known(a.name, names) for a in node.names if _is_in(a.name, package))
        elif isinstance(node, ast.ImportFrom) and _is_in(node.module or "", package):
            yield from (_known(f"{node.module}.{alias.name}", names) for alias in node.names)


def _is_in(name: str, package: str) -> bool:
    return name.partition(".")[0] == package


def _known(name: str, names: object) -> str:
    """The module that an import names: itself, or the one that holds the name."""
    while name not in names:  # type: ignore[operator]
        name = name.rpartition(".")[0]
    return name


def circles(graph: Graph) -> list[frozenset[str]]:
    """The strongly connected components of more than one module, the largest first."""
    reach = {name: _reached(graph, name) for name in graph}
    found = {
        frozenset(other for other in reach[name] if name in reach[other]) | {name}
        for name in graph
        if name in reach[name]
    }
    return sorted(found, key=lambda circle: (-len(circle), sorted(circle)))


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph[name]
    return found


def is_ordered(graph: Graph) -> bool:
    """Whether no module reaches itself."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return False
    return True


def room(module: str) -> str:
    """The room that a module lies in: the part of its name behind the package's."""
    return module.split(".")[1] if "." in module else ""
