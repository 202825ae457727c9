"""What settings make of findings: rules, severities and the safety of fixes, file by file."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.engine.policy import FilePolicy, Policy
from dlint.engine.selection import Layer
from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Severity
from dlint.findings.places import Place
from dlint.workspace.errors import UsageError
from dlint.workspace.settings import Configuration


def _policy(folder: Path, text: str, own: Layer | None = None) -> Policy:
    (folder / "dlint.toml").write_text(text)
    return Policy(Configuration(), own or Layer())


def _of(folder: Path, text: str, name: str = "a.py") -> FilePolicy:
    return _policy(folder, text).of(str(folder / name))


def _finding(kind: Applicability = Applicability.SAFE) -> Diagnostic:
    fix = Fix(kind, "Pin", ())
    place = Place("/p/a.py", 0, 1)
    return Diagnostic("DLT101", "missing-pin-memory", Severity.WARNING, "", place, (), fix)


def _kind(applied: Diagnostic) -> Applicability | None:
    return applied.fix.applicability if applied.fix else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "warning"),
        ('missing-pin-memory = "error"', "error"),
        ('DLT101 = "info"\nDLT1 = "error"', "info"),
        ('DLT1 = "error"\nALL = "info"', "error"),
        ('DLT2 = "error"', "warning"),
    ],
)
def test_severity(tmp_path: Path, text: str, expected: str) -> None:
    applied = _of(tmp_path, f"[severity]\n{text}\n").applied(_finding())
    assert applied.severity.value == expected


SAFE, UNSAFE, TRIAL = Applicability.SAFE, Applicability.UNSAFE, Applicability.TRIAL


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("", SAFE, SAFE),
        ('extend-safe-fixes = ["DLT1"]', UNSAFE, SAFE),
        ('extend-unsafe-fixes = ["ALL"]', SAFE, UNSAFE),
        ('extend-safe-fixes = ["DLT1"]\nextend-unsafe-fixes = ["DLT1"]', SAFE, UNSAFE),
        ('extend-safe-fixes = ["DLT101"]\nextend-unsafe-fixes = ["DLT1"]', UNSAFE, SAFE),
        ('unfixable = ["DLT1"]\nextend-safe-fixes = ["DLT101"]', SAFE, None),
        ('extend-safe-fixes = ["ALL"]', TRIAL, TRIAL),
        ('unfixable = ["ALL"]', TRIAL, TRIAL),
    ],
)
def test_safety_of_fixes(
    tmp_path: Path, text: str, before: Applicability, after: Applicability | None
) -> None:
    assert _kind(_of(tmp_path, text).applied(_finding(before))) is after


OVERRIDES = """
ignore = ["DLT2"]
severity = { DLT1 = "info" }

[[overrides]]
files = ["sub"]
extend-select = ["DLT201"]
severity = { DLT1 = "error" }

[[overrides]]
files = ["sub/old", "*_old.py"]
select = ["DLT3"]
unfixable = ["ALL"]
"""


@pytest.mark.parametrize(
    ("name", "severity", "codes", "kind"),
    [
        ("a.py", "info", {"DLT1", "DLT3"}, SAFE),
        ("sub/a.py", "error", {"DLT1", "DLT2", "DLT3"}, SAFE),
        ("sub/old/a.py", "error", {"DLT3"}, None),
        ("x/y_old.py", "info", {"DLT3"}, None),
    ],
)
def test_overrides(
    tmp_path: Path, name: str, severity: str, codes: set[str], kind: Applicability | None
) -> None:
    from dlint import rule_docs

    policy = _of(tmp_path, OVERRIDES, name)
    applied = policy.applied(_finding())
    assert (applied.severity.value, _kind(applied)) == (severity, kind)
    ran = {rule_docs.summaries()[rule].code[:4] for rule in policy.selection.rules}
    assert ran & {"DLT1", "DLT2", "DLT3"} == codes


def test_the_command_line_wins_over_overrides(tmp_path: Path) -> None:
    text = '[[overrides]]\nfiles = ["*"]\nignore = ["DLT101"]\n'
    path = str(tmp_path / "a.py")
    for own, runs in ((Layer(), False), (Layer(extend_select=["DLT101"]), True)):
        selection = _policy(tmp_path, text, own).of(path).selection
        assert ("missing-pin-memory" in selection.rules) is runs


@pytest.mark.parametrize(
    "text",
    [
        'unfixable = ["DLT1x"]',
        'extend-safe-fixes = ["DLT1x"]',
        'severity = { DLT1x = "error" }',
        '[[overrides]]\nfiles = ["none"]\nextend-unsafe-fixes = ["DLT1x"]',
        '[[overrides]]\nfiles = ["none"]\nselect = ["DLT1x"]',
    ],
)
def test_an_unknown_rule_is_told_wherever_it_stands(tmp_path: Path, text: str) -> None:
    policy = _policy(tmp_path, text)
    with pytest.raises(UsageError, match=f"unknown rule `DLT1x` in {tmp_path / 'dlint.toml'}"):
        policy.check([Configuration().governing(tmp_path)])
