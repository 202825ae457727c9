"""The rules by their names: where the check of each stands.

A rule's page in `rules/` owns its code, prose and examples; the module of its name, in the folder
of its family, owns how it is found. The page of a rule that another package brings lies beside its
module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from dlint import rule_docs
from dlint.findings.finding import Finding
from dlint.rule_docs import COMMENT_RULES, FILE_RULES

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.versions.older_pythons import OlderPythons
    from dlint.suppression.suppressions import Suppressions
    from dlint.workspace.source import FileProblem

Check = Callable[["AnalysisContext"], Iterator[Finding]]
FileCheck = Callable[["FileProblem", "OlderPythons"], Iterator[Finding]]
CommentCheck = Callable[["Suppressions"], Iterator[Finding]]

_FAMILIES = {
    path.stem.replace("_", "-"): path.parent.name
    for path in Path(__file__).parent.glob("*/[a-z]*.py")
}

CHECKS = tuple(sorted(_FAMILIES.keys() - {*FILE_RULES, *COMMENT_RULES}))
"""Asked about a program, of dlint's own."""


def checks() -> tuple[str, ...]:
    """The rules that are asked about a program, those of other packages last."""
    return (*CHECKS, *rule_docs.catalogue().own_pages)


def load(name: str) -> Check:
    """The check of a rule about programs, imported when it is first needed."""
    check: Check = import_module(_module(name)).check
    return check


def load_file_rule(name: str) -> FileCheck:
    """The check of a rule about files."""
    check: FileCheck = import_module(_module(name)).check
    return check


def load_comment_rule(name: str) -> CommentCheck:
    """The check of a rule about comments."""
    check: CommentCheck = import_module(_module(name)).check
    return check


def _module(name: str) -> str:
    own = rule_docs.catalogue().own_pages.get(name)
    if own is not None:
        return own.module
    return f"dlint.rules.{_FAMILIES[name]}.{name.replace('-', '_')}"
