"""Programs that read settings from a file, and what dlint says of them."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.reading import Sources

RULES = frozenset(rule_docs.summaries())
REFUSED = "loader:\n  num_workers: 0\n  persistent_workers: true\n"
"""Settings that torch refuses together."""
USE = (
    "DataLoader(data, num_workers={0}['num_workers'], persistent_workers={0}['persistent_workers'])"
)


def written(folder: Path, files: dict[str, str]) -> None:
    """Write the files of a project."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8")


def check(folder: Path, sources: Sources | None = None) -> list[Diagnostic]:
    """What all rules find in a project."""
    files = tuple(sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".yaml", ".sh")))
    reported = frozenset(map(str, files))
    return analyse(Request(folder, files, reported, RULES), sources or Sources()).diagnostics


def errors(folder: Path, files: dict[str, str]) -> list[Diagnostic]:
    """What a loader with these files is refused for."""
    written(folder, files)
    return [d for d in check(folder, Sources()) if d.name == "invalid-loader-arguments"]


def script(reading: str, use: str = USE.format("cfg['loader']"), imports: str = "") -> str:
    """A function that reads settings and makes a loader of them."""
    lines = [
        "import json, os, yaml, argparse",
        "from pathlib import Path",
        "from omegaconf import OmegaConf",
        "from torch.utils.data import DataLoader",
        imports,
        "def run(data, args=None):",
        *(f"    {line}" for line in dedent(reading).strip().splitlines()),
        f"    return {use}",
    ]
    return "\n".join(lines) + "\n"
