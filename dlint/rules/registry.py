"""The checks: one function a rule, from the program to its findings.

A rule's page in `rules/` owns its code, prose and examples; the module here owns how it is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.findings.finding import Finding

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

if TYPE_CHECKING:
    pass


Check = Callable[["AnalysisContext"], Iterator[Finding]]

_FAMILIES = {
    path.stem.replace("_", "-"): path.parent.name for path in Path(__file__).parent.glob("*/[a-z]*")
}

CHECKS = tuple(sorted(_FAMILIES))
"""Names of the rules that a check stands behind; the module is named after the rule."""


def load(name: str) -> Check:
    """The check of a rule, imported when it is first needed."""
    module = import_module(f"dlint.rules.{_FAMILIES[name]}.{name.replace('-', '_')}")
    check: Check = module.check
    return check
