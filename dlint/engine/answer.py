"""What is said of one part of a project, also as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, get_args

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Related, Severity
from dlint.findings.operations import Operation
from dlint.findings.places import Place
from dlint.workspace.errors import DlintCrash
from dlint.workspace.source import FileProblem

Json = Any
_OPERATIONS: dict[str, Callable[..., Operation]] = {
    kind.__name__: kind for kind in get_args(Operation)
}


class Answer:
    """What the rules found in one part, wherever it lies in it."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.notes: list[str] = []
        """Which modules were not followed, and which versions were taken."""
        self.cut: list[str] = []
        """What was not looked at, or not as a whole, as too much flows in it."""
        self.problems: dict[str, FileProblem] = {}
        """Files that were asked for and are no modules."""
        self.oversized: list[str] = []
        """Python files that were asked for and are too large to be read."""
        self.crashes: list[DlintCrash] = []
        """Rules that failed; such an answer is not kept."""

    @property
    def is_apart(self) -> bool:
        """Whether the modules of the part are looked at each by itself."""
        from dlint.analyses.context import APART

        return APART in self.cut

    def add(self, other: Answer) -> None:
        """Add what was found in more of the same part."""
        self.diagnostics += other.diagnostics
        self.notes += other.notes
        self.cut += other.cut
        self.problems |= other.problems
        self.oversized = sorted({*self.oversized, *other.oversized})
        self.crashes += other.crashes

    def to_json(self) -> Json:
        """All but the crashes."""
        return [
            list(map(_from_diagnostic, self.diagnostics)),
            self.notes,
            self.cut,
            {path: [*problem] for path, problem in self.problems.items()},
            self.oversized,
        ]

    @classmethod
    def from_json(cls, kept: Json) -> Answer:
        """The answer that was kept. Raises ValueError, TypeError or KeyError where it is none."""
        answer = cls()
        diagnostics, answer.notes, answer.cut, problems, answer.oversized = kept
        answer.diagnostics = list(map(_diagnostic, diagnostics))
        for path, (place, message, is_read) in problems.items():
            answer.problems[path] = FileProblem(Place(*place), message, is_read)
        return answer


def told_once(found: list[Diagnostic]) -> list[Diagnostic]:
    """Each finding once, at its worst, though several objects of the same code lead to it, or
    several of the modules that are looked at by themselves.
    """
    order = list(Severity)
    worst: dict[tuple[Place, str], Diagnostic] = {}
    for diagnostic in sorted(found, key=lambda d: order.index(d.severity)):
        worst.setdefault((diagnostic.place, diagnostic.message), diagnostic)
    return [d for d in found if worst[d.place, d.message] is d]


def _from_diagnostic(found: Diagnostic) -> Json:
    fix = found.fix
    made = None if fix is None else [*fix[:2], list(map(_from_operation, fix.operations))]
    return [*found[:6], made, *found[7:]]


def _diagnostic(kept: Json) -> Diagnostic:
    code, name, severity, message, place, related, fix, scripts, argument = kept
    return Diagnostic(
        code,
        name,
        Severity(severity),
        message,
        Place(*place),
        tuple(Related(Place(*where), text) for where, text in related),
        None if fix is None else Fix(Applicability(fix[0]), fix[1], tuple(map(_operation, fix[2]))),
        tuple(scripts),
        None if argument is None else Place(*argument),
    )


def _from_operation(operation: Operation) -> Json:
    fields = dataclasses.fields(operation)
    return [type(operation).__name__, *(getattr(operation, field.name) for field in fields)]


def _operation(kept: Json) -> Operation:
    name, *values = kept
    return _OPERATIONS[name](*(Place(*v) if isinstance(v, list) else v for v in values))
