"""The command that measures what fixing a finding brings, for findings about speed."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.regexes import lazily
from dlint.reports.view import View

_RELATIVE_IMPORT = lazily(r"^\s*from\s+\.", re.M)
_MAIN = "/__main__.py"
_MOST = 3
"""Scripts that are named to a reader."""


def commands(view: View, diagnostic: Diagnostic) -> list[str]:
    """A `dlint verify` for each script that runs the code, likelier ones first; each can be run.

    It tries the fix. Where there is none it says how a change is given to it.
    """
    rule = rule_docs.resolve(diagnostic.name)
    if rule is None or not rule.is_about_speed or not _is_python(diagnostic.place.path):
        return []
    if not all(_is_python(edit.path) for edit in view.edits(diagnostic) or ()):
        return []
    scripts = sorted(diagnostic.scripts, key=lambda path: ("train" not in Path(path).name, path))
    programs = (_program(view, script) for script in scripts)
    return [f"dlint verify {program} --select {diagnostic.name}" for program in programs]


def advice(view: View, diagnostic: Diagnostic) -> str | None:
    """What a reader is told to do; None where nothing can be measured."""
    first, *others = commands(view, diagnostic) or [""]
    if not first:
        return None
    if view.edits(diagnostic) or _is_tried(view, diagnostic):
        text = f"Measure what the fix brings: `{first}`"
    else:
        text = f"Measure a change of yours: save it as a patch, add `--fix-file PATCH` to `{first}`"
    shown = "".join(f", or `{other}`" for other in others[: _MOST - 1])
    left = len(others) - (_MOST - 1)
    return f"{text}{shown}" + (f" ({left} more scripts run this code)" if left > 0 else "")


def _is_python(path: str) -> bool:
    return path.endswith(".py")


def _is_tried(view: View, diagnostic: Diagnostic) -> bool:
    """Whether `verify` has something to try although there is no fix."""
    from dlint.fixes.trials.trials import trials

    source = view.source(diagnostic.place.path)
    return source is not None and any(trials(diagnostic, view.sources))


def _quoted(name: str) -> str:
    """A word of a command as the shells of this system take it."""
    if sys.platform != "win32":
        return shlex.quote(name)
    from subprocess import list2cmdline

    return list2cmdline([name])


def _program(view: View, script: str) -> str:
    """How the script is named; one that imports relatively only runs as a module."""
    name = view.name(script)
    source = view.source(script)
    is_module = source is not None and _RELATIVE_IMPORT.search(source.text) is not None
    if name == script or not (is_module or script.endswith(_MAIN)):
        return _quoted(name)
    return "-m " + name.removesuffix(".py").removesuffix("/__main__").replace("/", ".")
