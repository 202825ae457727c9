"""Reports: findings as people, editors and CI systems read them. One module for each format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlint.findings.diagnostic import Diagnostic
    from dlint.reports.view import View

Report = Callable[["View", Sequence["Diagnostic"]], str]

FORMATS = (
    "full",
    "concise",
    "json",
    "json-lines",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "sarif",
)
FOR_PEOPLE = frozenset({"full", "concise"})
"""Formats that a summary line follows."""
FOR_PROGRAMS = frozenset({"json", "json-lines", "gitlab", "junit", "rdjson", "sarif"})
"""Formats that spell out control characters themselves."""
WITH_STATISTICS = frozenset({*FOR_PEOPLE, "json"})
"""Formats that `--statistics` can be printed in."""


def load(output_format: str) -> Report:
    """The function that renders a format, imported when it is first needed."""
    module = import_module(f"dlint.reports.{output_format.replace('-', '_')}")
    report: Report = module.render
    return report
