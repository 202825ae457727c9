"""Every example is a test: *bad* fires where it is marked, *good* is silent, *fixed* is the fix.

The pages in `rules/` and the further cases in `tests/rules/` have one format, see
`dlint/rule_docs/examples.py`; what an example is held to is said in `dlint/testing.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.rule_docs.examples import Example
from dlint.rules.registry import CHECKS
from dlint.testing import Case, cases

ROOT = Path(__file__).parent.parent


def _of_rule(rule: str) -> list[Case]:
    further = ROOT / "tests" / "rules" / f"{rule}.md"
    return cases(rule, *([further] if further.exists() else []))


CASES = [case for path in sorted(ROOT.glob("rules/*.md")) for case in _of_rule(path.stem)]


def _each(wanted: Callable[[Example], object]) -> pytest.MarkDecorator:
    chosen = [
        pytest.param(case, id=f"{case.rule}-{case}") for case in CASES if wanted(case.example)
    ]
    return pytest.mark.parametrize("case", chosen)


@_each(lambda example: True)
def test_findings_are_the_marked_ones(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path)
    found = case.test_findings(tmp_path)
    if case.rule in CHECKS:
        best = _RANKS.index(rule_docs.summaries()[case.rule].fix)
        for diagnostic in found:
            assert _faults(diagnostic.message) == []
            fix = diagnostic.fix.applicability.value if diagnostic.fix else "none"
            assert _RANKS.index(fix) <= best


def test_a_rule_that_crashes_fails_the_examples_that_it_is_silent_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = next(case for case in CASES if not case.example.marks and case.rule in CHECKS)
    monkeypatch.setattr("dlint.engine.rule_runs._in_versions", lambda *_: 1 / 0)
    case.write(tmp_path)
    with pytest.raises(AssertionError, match="crashed"):
        case.test_findings(tmp_path)


_RANKS = ("trial", "none", "unsafe", "safe")
"""What a finding's fix may be; a page names the best that its rule offers."""


_CODE = re.compile(r"`[^`]*`")
_PROMISE = re.compile(r"\b\d+(?:\.\d+)?\s?(?:x\b|×|%|times (?:as fast|faster))|\bfaster by\b")
_TONE = re.compile(r"!|\.\.\.|\b(?:please|simply|just|obviously)\b", re.I)
_NAMES = ("DataLoader", "DistributedSampler", "Accelerate", "CUDA", "PIL", "NumPy", "MPS")


def _faults(message: str) -> list[str]:
    """What a message lacks: it says what is wrong, why, and behind a semicolon what to do."""
    prose = _CODE.sub("``", message)
    wrong = {
        "does not say what to do": "; " not in prose,
        "ends like a text": prose.endswith((".", ";", " ")),
        "has more than two sentences": len(re.findall(r"[.?] ", prose)) > 1,
        "is long": len(prose) > 320,
        "begins with a capital": prose[0].isupper() and not prose.startswith(_NAMES),
        "promises a number": bool(_PROMISE.search(prose)),
        "names a command": "dlint " in message,
        "has a tone": bool(_TONE.search(prose)),
        "has several lines": "\n" in message,
    }
    return [fault for fault, is_found in wrong.items() if is_found]


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("the loader is slow", "does not say what to do"),
        ("the loader is slow; set `num_workers`.", "ends like a text"),
        ("it is slow. It waits. It sleeps; wake it", "has more than two sentences"),
        ("The loader is slow; wake it", "begins with a capital"),
        ("pinning is 2.5x faster; pin", "promises a number"),
        ("pinning pays 30 %; pin", "promises a number"),
        ("it is slow; run `dlint verify`", "names a command"),
        ("it is slow; please pin!", "has a tone"),
        ("`x = 1.` makes the loader wait; wake it", None),
    ],
)
def test_style_is_told(message: str, fault: str | None) -> None:
    assert _faults(message) == ([] if fault is None else [fault])


@_each(lambda example: example.marks or example.fixed)
def test_fix_writes_what_is_shown_and_nothing_when_it_is_applied_again(
    case: Case, tmp_path: Path
) -> None:
    case.write(tmp_path)
    case.test_fix(tmp_path)


def test_every_further_file_belongs_to_a_rule() -> None:
    stems = {path.stem for path in ROOT.glob("tests/rules/*.md")}
    assert stems <= {case.rule for case in CASES}
