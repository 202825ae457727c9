"""A project to run the command in, and an engine that finds what tests can foresee."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dlint.cli.main import main
from dlint.engine.request import Outcome, Request
from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Severity
from dlint.findings.operations import SetArgument
from dlint.findings.places import Place
from dlint.workspace.reading import Sources
from dlint.workspace.source import UnreadableError

_CALL = re.compile(r"DataLoader\([^()]*\)|\w+\.cuda\(\)|SyntaxError!")


def fake_analyse(request: Request, sources: Sources, *_: object) -> Outcome:
    """`DataLoader(…)` without `pin_memory` is a warning, `.cuda()` an error with an unsafe fix."""
    outcome = Outcome()
    outcome.notes.append("a note")
    for path in sorted(request.reported):
        try:
            text = sources.get(path).text
        except UnreadableError as error:
            place = Place(path, 0, 0)
            outcome.diagnostics.append(
                Diagnostic("DLT902", "unreadable-file", Severity.ERROR, str(error), place)
            )
            continue
        for found in _CALL.finditer(text):
            if "pin_memory" not in found[0]:
                outcome.diagnostics.append(_diagnostic(Place(path, *found.span()), found[0]))
    return outcome


def _diagnostic(place: Place, text: str) -> Diagnostic:
    if text.startswith("DataLoader"):
        fix = Fix(Applicability.SAFE, "Pin", (SetArgument(place, "pin_memory", "True"),))
        severity = Severity.INFO if "info" in text else Severity.WARNING
        return Diagnostic("DLT101", "missing-pin-memory", severity, "not pinned", place, (), fix)
    if text.endswith("cuda()"):
        fix = Fix(Applicability.UNSAFE, "No", (SetArgument(place, "non_blocking", "True"),))
        name = "missing-non-blocking"
        return Diagnostic("DLT301", name, Severity.ERROR, "blocks", place, (), fix)
    return Diagnostic("DLT901", "syntax-error", Severity.ERROR, "bad", place)


@dataclass
class Result:
    """What a run of the command came to."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which the command runs: `a.py` has a finding, `b.py` has none."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    (tmp_path / "a.py").write_text("x = DataLoader(ds)\n")
    (tmp_path / "b.py").write_text("y = 1\n")
    return tmp_path


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `dlint` with the fake engine."""
    monkeypatch.setattr("dlint.engine.analyse.analyse", fake_analyse)

    def run(*argv: str, stdin: str | bytes | None = None) -> Result:
        if stdin is not None:
            raw = stdin if isinstance(stdin, bytes) else stdin.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        code = main(list(argv))
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run
