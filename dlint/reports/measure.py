"""The command that measures what fixing a finding brings, for findings about speed."""

from __future__ import annotations

import re
import shlex

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic
from dlint.reports.view import View

_UNKNOWN = "SCRIPT"
"""Stands for the training script where dlint does not know which it is."""
_RELATIVE_IMPORT = re.compile(r"^\s*from\s+\.", re.M)
_MAIN = "/__main__.py"


def command(view: View, diagnostic: Diagnostic) -> str | None:
    """A `dlint verify` that tries the fix, or a patch where there is none; else None."""
    rule = rule_docs.resolve(diagnostic.name)
    if rule is None or not rule.is_about_speed or not _is_python(diagnostic.place.path):
        return None
    edits = view.edits(diagnostic)
    if not all(_is_python(edit.path) for edit in edits or ()):
        return None
    words = ["dlint verify", _program(view, diagnostic.script), "--select", diagnostic.name]
    if not edits and not _is_tried(view, diagnostic):
        words += ["--fix-file", "change.patch"]
    return " ".join(words)


def _is_python(path: str) -> bool:
    return path.endswith(".py")


def _is_tried(view: View, diagnostic: Diagnostic) -> bool:
    """Whether `verify` has something to try although there is no fix."""
    from dlint.fixes.trials.trials import trials

    source = view.source(diagnostic.place.path)
    return source is not None and any(trials(diagnostic, view.sources))


def _program(view: View, script: str | None) -> str:
    """How the script is named; one that imports relatively only runs as a module."""
    if script is None:
        return _UNKNOWN
    name = view.name(script)
    source = view.source(script)
    is_module = source is not None and _RELATIVE_IMPORT.search(source.text) is not None
    if name.startswith("/") or not (is_module or script.endswith(_MAIN)):
        return shlex.quote(name)
    return "-m " + name.removesuffix(".py").removesuffix("/__main__").replace("/", ".")
