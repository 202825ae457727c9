"""What Python has compiled beside a source: it shows which Python has run it."""

from __future__ import annotations

from pathlib import Path

from dlint.library_facts import features
from dlint.workspace import asked


def ran_on_python_2(path: Path) -> bool:
    """Whether Python 2 has compiled a module, beside its source as it did."""
    compiled = path.with_suffix(".pyc")
    if compiled.name not in asked.names_in(path.parent, r".+\.pyc"):
        return False
    magic = asked.content(compiled, 2) or b""
    return int.from_bytes(magic, "little") > features.COMPILED_BY_PYTHON_2
