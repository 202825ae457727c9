"""Which findings are tried, alone and together, and with which edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Severity
from dlint.findings.operations import SetArgument
from dlint.findings.places import Place
from dlint.fixes.trials import trials
from dlint.verify.plan.candidates import Variants, candidates, from_patch, going_together, texts_of
from dlint.verify.plan.claims import Observable
from dlint.workspace.reading import Sources


def _finding(
    path: Path, name: str, argument: str | None, value: str = "True", call: str = "DataLoader(x)"
) -> Diagnostic:
    start = path.read_text().index(call)
    place = Place(str(path), start, start + len(call))
    operation = SetArgument(place, argument or "", value)
    fix = None if argument is None else Fix(Applicability.SAFE, "Set it", (operation,))
    return Diagnostic("DLT000", name, Severity.WARNING, "so", place, (), fix)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A script with one loader, made by its class, and one made by a helper."""
    path = tmp_path / "train.py"
    path.write_text("loader = DataLoader(x)\nother = make(x)\n")
    return path


def test_two_arguments_of_one_call_go_together(script: Path) -> None:
    sources = Sources()
    found = [
        _finding(script, "missing-pin-memory", "pin_memory"),
        _finding(script, "missing-persistent-workers", "persistent_workers"),
    ]
    tried, left = candidates(found, sources)
    assert not left
    assert [c.observable for c in tried] == [Observable.STEP, Observable.EPOCH]
    texts = texts_of(tried, sources)
    assert texts is not None
    expected = "loader = DataLoader(x, pin_memory=True, persistent_workers=True)\n"
    assert texts[str(script)].startswith(expected)


def test_findings_of_one_rule_are_one_candidate(script: Path) -> None:
    found = [
        _finding(script, "missing-pin-memory", "pin_memory"),
        _finding(script, "missing-pin-memory", "pin_memory", call="make(x)"),
    ]
    tried, _ = candidates(found, Sources())
    assert [len(c.spots) for c in tried] == [2]


def test_values_that_exclude_each_other_do_not_go_together(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "affinity", lambda: 4)
    sources = Sources()
    tried, left = candidates([_finding(script, "zero-workers", None)], sources)
    assert not left
    names = ["zero-workers (num_workers=2)", "zero-workers (num_workers=4)"]
    assert [c.name for c in tried] == names
    assert {c.rule for c in tried} == {"zero-workers"}
    assert {c.applicability for c in tried} == {Applicability.TRIAL}
    assert [c.name for c in going_together(tried, sources)] == names[:1]


def test_what_has_no_edit_is_not_tried(script: Path) -> None:
    found = [
        _finding(script, "zero-workers", None, call="make(x)"),
        _finding(script, "missing-distributed-sampler", None),
        _finding(script, "unused-suppression", None),
        _finding(script, "syntax-error", None),
    ]
    tried, left = candidates(found, Sources())
    assert not tried
    names = ["zero-workers", "missing-distributed-sampler", "syntax-error"]
    assert [n.name for n in left] == names


@pytest.mark.parametrize(("cpus", "counts"), [(1, [1]), (2, [2]), (6, [2, 4]), (64, [2, 4, 8])])
def test_numbers_of_workers(cpus: int, counts: list[int]) -> None:
    assert trials.worker_counts(cpus) == counts


def test_variants_serve_the_same_files(script: Path) -> None:
    sources = Sources()
    tried, _ = candidates([_finding(script, "missing-pin-memory", "pin_memory")], sources)
    variants = Variants(tried, sources)
    plain, changed = variants.make([]), variants.make(tried)
    assert plain is not None
    assert changed is not None
    assert plain.edited == {str(script.resolve()): script.read_bytes()}
    assert b"pin_memory=True" in changed.edited[str(script.resolve())]


def test_a_patch_for_a_rule_is_judged_by_its_claim(script: Path) -> None:
    texts = {str(script): "x = 1\n"}
    assert from_patch("a.patch", texts).observable is Observable.STEP
    assert from_patch("a.patch", texts, "eager-load-in-init").observable is Observable.FIRST_BATCH
    assert from_patch("a.patch", texts, "loader-in-epoch-loop").observable is Observable.EPOCH
