"""What an analysis asks of the machine goes through one seam, `dlint.workspace.asked`.

Answers are kept between runs with what was asked for them: what is asked past the seam would be
forgotten, and the answer would outlive it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "dlint"
ROOMS = ("frontends", "semantics", "analyses", "model", "rules")
METHODS = re.compile(
    r"is_file|is_dir|exists|is_symlink|iterdir|r?glob|read_text|read_bytes|l?stat|home|cwd"
    r"|listdir|scandir|isfile|isdir|environ|getenv|getcwd|monotonic"
)
OWNERS = frozenset({"subprocess", "socket", "tempfile", "shutil", "random"})
KNOWN = {
    "semantics/names/import_graph.py: read_bytes",  # of `imported`, which a command asks
    "rules/registry.py: glob",  # dlint's own rules
}


def _asks(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and METHODS.fullmatch(node.attr):
            if isinstance(node.value, ast.Name) and node.value.id == "asked":
                continue
            yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in {"open", "input"}:
                yield node.func.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            yield from OWNERS.intersection([*names, getattr(node, "module", None) or ""])


def test_nothing_above_the_workspace_asks_the_machine_by_itself() -> None:
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}: {name}"
        for room in ROOMS
        for path in (PACKAGE / room).rglob("*.py")
        for name in _asks(ast.parse(path.read_text("utf-8")))
    }
    assert found == KNOWN
