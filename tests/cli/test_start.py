"""What the smallest runs import of dlint: more of it would be paid by every run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import dlint

CHECKOUT = Path(dlint.__file__).parent.parent

VERSION = {"dlint", "dlint.cli", "dlint.cli.main", "dlint.workspace", "dlint.workspace.errors"}
NOT_FOR_VERSION = {"argparse", "ast", "dataclasses", "json", "locale", "pathlib", "urllib"}

CHECK = {
    *VERSION,
    *("dlint.cli.check", "dlint.cli.check_arguments", "dlint.cli.checker", "dlint.cli.ci_log"),
    *(
        "dlint.cli.colour",
        "dlint.cli.command",
        "dlint.cli.progress",
        "dlint.cli.output",
        "dlint.cli.recovering",
    ),
    *(
        "dlint.engine",
        "dlint.engine.analyse",
        "dlint.engine.answering",
        "dlint.engine.parts",
        "dlint.engine.processes",
    ),
    *("dlint.engine.policy", "dlint.engine.request", "dlint.engine.roles", "dlint.engine.room"),
    *("dlint.engine.kept", "dlint.engine.kept.files", "dlint.engine.kept.keeping"),
    *("dlint.engine.selection", "dlint.engine.suppress"),
    *("dlint.findings", "dlint.findings.controls", "dlint.findings.diagnostic"),
    *("dlint.findings.links", "dlint.findings.places", "dlint.findings.regexes"),
    *("dlint.frontends", "dlint.frontends.modules", "dlint.reports", "dlint.reports.hidden"),
    *("dlint.rule_docs", "dlint.rule_docs.own"),
    *(
        "dlint.workspace.asked",
        "dlint.workspace.discover",
        "dlint.workspace.kinds",
        "dlint.workspace.reading",
    ),
    *("dlint.workspace.roots", "dlint.workspace.scan", "dlint.workspace.settings"),
    *("dlint.workspace.source", "dlint.workspace.spelling", "dlint.workspace.state"),
    "dlint.workspace.test_files",
    *("dlint.workspace.cache_folder", "dlint.workspace.walk"),
}
"""A list that is to become shorter."""


def _imported(arguments: list[str], folder: Path) -> set[str]:
    """The modules that a run has imported at its end."""
    code = (
        f"import sys; from dlint.cli.main import main; assert main({arguments}) == 0;"
        "print(*sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )
    assert result.returncode == 0, result.stderr
    return set(result.stderr.split())


def _own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "dlint"}


@pytest.mark.parametrize("argument", ["version", "--help"])
def test_what_needs_no_command_imports_none(argument: str, tmp_path: Path) -> None:
    imported = _imported([argument], tmp_path)
    assert _own(imported) == VERSION
    assert not imported & NOT_FOR_VERSION


def test_a_file_without_a_loader(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("def double(x):\n    return 2 * x\n")
    imported = _own(_imported(["check", "plain.py"], tmp_path))
    assert sorted(imported - CHECK) == [], "import these where they are needed"
    assert sorted(CHECK - imported) == [], "no longer imported: take these from the list"
