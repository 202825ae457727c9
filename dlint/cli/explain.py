"""`dlint explain FILE:LINE`: what dlint sees there, and why its rules speak or are silent."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dlint import rule_docs
from dlint.cli.check_arguments import add_list
from dlint.cli.checker import Input, read_input
from dlint.engine.policy import Policy
from dlint.engine.request import Request, nothing
from dlint.engine.selection import Layer
from dlint.engine.suppress import parted
from dlint.findings.controls import visible
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.findings.regexes import lazily
from dlint.workspace.discover import absolute
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from dlint.workspace.settings import Configuration
from dlint.workspace.test_files import is_test_of

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.explain.answer import Explanation, Rows
    from dlint.findings.places import Place
    from dlint.reports.view import View

_PLACE = lazily(r"(?P<path>.+?)(?::cell (?P<cell>\d+))?:(?P<row>\d+)(?::\d+)?")
_TEST = "a test: of the findings in it only errors are reported"
_UNSEEN = "nothing that loads data comes to this file, so no rule looks into it"


class Asked(NamedTuple):
    """A place that somebody asks about."""

    path: str
    row: int | None
    cell: int | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dlint explain`."""
    parser.usage = "dlint explain [OPTION ...] FILE[:LINE]"
    parser.add_argument(
        "place",
        metavar="FILE[:LINE]",
        help="a line, as `dlint check` prints it, `FILE:cell N:LINE` in a notebook; a file alone "
        "lists what stands in it, without the rules",
    )
    parser.add_argument(
        "--output-format", choices=("text", "json"), default="text", help="default: %(default)s"
    )
    group = parser.add_argument_group("rules (as `dlint check` takes them)")
    add_list(group, "--select", "RULE", "these rules are selected only")
    add_list(group, "--extend-select", "RULE", "these rules are selected too")
    add_list(group, "--ignore", "RULE", "these rules are not selected")
    group.add_argument(
        "--preview",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="rules in preview are selected too",
    )


def run(namespace: argparse.Namespace) -> int:
    """Print what was asked for. Raises UsageError for a place that there is not."""
    asked = _asked(namespace.place)
    configuration = Configuration()
    given = read_input(_reading(asked.path), configuration)
    sources = Sources(given.overrides)
    policy = Policy(configuration, _layer(namespace))
    found, view = explained(asked, given, policy, sources)
    sys.stdout.write(visible(_rendered(found, view, namespace.output_format)))
    return 0


def _layer(namespace: argparse.Namespace) -> Layer:
    return Layer(
        namespace.select,
        namespace.extend_select or (),
        namespace.ignore or (),
        preview=namespace.preview,
    )


def _asked(text: str) -> Asked:
    """The place that a text names. Raises UsageError."""
    match = _PLACE.fullmatch(text)
    path = text if match is None or Path(text).is_file() else match["path"]
    if not Path(path).is_file():
        raise UsageError(f"no such file: {path}; give `FILE:LINE`, as `dlint check` prints it")
    if match is None or path == text:
        return Asked(str(absolute(path)), None, None)
    cell = match["cell"]
    return Asked(str(absolute(path)), int(match["row"]), None if cell is None else int(cell))


def _reading(path: str) -> argparse.Namespace:
    """What `dlint check` takes for a file, under no flags."""
    return argparse.Namespace(
        paths=[path], exclude=None, respect_gitignore=None, force_exclude=None, stdin_filename=None
    )


def explained(
    asked: Asked,
    given: Input,
    policy: Policy,
    sources: Sources,
    pause: Callable[[], None] = nothing,
) -> tuple[Explanation, View]:
    """What is seen at a place, and how its project is looked at. `pause` may end it."""
    from dlint.engine.analyse import analyse
    from dlint.explain.answer import Explanation, explain
    from dlint.reports.view import View

    view = View(sources, Path.cwd(), frozenset())
    is_on = policy.of(asked.path).selection.rules
    rows = None if asked.row is None else _rows(asked, view)
    found: list[Explanation] = []

    def look(context: AnalysisContext) -> None:
        if context.project.is_loaded(asked.path):
            found.append(
                explain(context, asked.path, rows, is_on, lambda d: _hidden(d, policy, sources))
            )

    notes: list[str] = []
    for project in given.projects:
        request = Request(
            root=project.root,
            files=project.files,
            reported=frozenset({asked.path}),
            rules=frozenset(),
            overrides=given.overrides,
            pause=pause,
        )
        outcome = analyse(request, sources, look)
        notes += [*outcome.warnings, *outcome.notes]
        if is_test_of(sources, asked.path, str(project.root)):
            notes.append(_TEST)
    best = max(found, key=lambda one: len(one.seen), default=Explanation([], [], [], [_UNSEEN]))
    return best._replace(notes=[*notes, *best.notes]), view


def _rows(asked: Asked, view: View) -> Rows:
    """The rows of a place among those that are asked about."""

    def rows(place: Place) -> range:
        if place.path != asked.path or view.cell(place) != asked.cell or asked.row is None:
            return range(0)
        first, last = view.position(place)[0], view.end_position(place)[0]
        return range(asked.row, asked.row + 1) if first <= asked.row <= last else range(0)

    return rows


def _hidden(diagnostic: Diagnostic, policy: Policy, sources: Sources) -> str | None:
    """Why `dlint check` does not show a finding; None where it does."""
    path, name = diagnostic.place.path, diagnostic.name
    chosen = policy.of(path)
    if name not in chosen.selection.rules:
        preview = rule_docs.summaries()[name].is_preview
        return "in preview: `--preview` selects it" if preview else "not selected"
    if parted([diagnostic], (), lambda _: chosen.selection.rules, sources).suppressed:
        return "suppressed by a comment"
    if policy.is_ignored(diagnostic):
        return "ignored in this file by the settings"
    applied = chosen.applied(diagnostic)
    if not chosen.selection.shows(applied):
        info = applied.severity is Severity.INFO
        return f"information: `--select {name}` shows it" if info else "not selected"
    return None


def _rendered(found: Explanation, view: View, output_format: str) -> str:
    from dlint.explain.text import as_data, as_text

    if output_format == "json":
        return json.dumps(as_data(found, view), indent=2) + "\n"
    return as_text(found, view)
