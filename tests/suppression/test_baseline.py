"""Findings that a baseline accepts, and what is found anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.findings.places import Place
from dlint.suppression.baseline import Baseline, parse
from dlint.workspace.errors import UsageError
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

FILE, PATH = Path("/p/ci/baseline.json"), "/p/src/a.py"
CALL = "DataLoader(ds)"


def _found(text: str, name: str = "missing-pin-memory") -> tuple[list[Diagnostic], Sources]:
    """A finding at each call."""
    starts = [i for i in range(len(text)) if text.startswith(CALL, i)]
    places = [Place(PATH, start, start + len(CALL)) for start in starts]
    found = [Diagnostic("DLT101", name, Severity.WARNING, "", place) for place in places]
    return found, Sources({PATH: Source(PATH, text)})


def _accepting(text: str) -> Baseline:
    return Baseline(FILE, {}, {}).with_found(*_found(text))


def test_what_is_accepted_is_known_again_after_its_file_was_read() -> None:
    kept = parse(FILE, _accepting(f"x = {CALL}\n").text())
    assert kept.unknown(*_found(f"# one more line\ny = {CALL}\n")) == []


def test_paths_are_relative_to_the_baseline() -> None:
    assert '"../src/a.py"' in _accepting(CALL).text()


def test_of_findings_that_are_alike_the_later_ones_are_new() -> None:
    found, sources = _found(f"x = {CALL}\ny = {CALL}\nz = {CALL}\n")
    assert _accepting(f"x = {CALL}\ny = {CALL}\n").unknown(found, sources) == found[2:]


def test_another_rule_about_the_same_code_is_new() -> None:
    found, sources = _found(CALL, "zero-workers")
    assert _accepting(CALL).unknown(found, sources) == found


def test_a_rule_by_its_former_name_or_code() -> None:
    text = _accepting(CALL).text().replace("missing-pin-memory", "DLT101")
    assert parse(FILE, text).unknown(*_found(CALL)) == []


def test_entries_that_a_merge_left_twice_add_up() -> None:
    kept = _accepting(CALL)
    text = kept.text()
    start, end = text.index("["), text.rindex("]")
    twice = f"{text[:end].rstrip()},{text[start + 1 :]}"
    assert list(parse(FILE, twice).counts.values()) == [2]


def test_what_is_no_longer_found_goes_if_it_was_looked_for() -> None:
    kept = _accepting(f"{CALL}\n{CALL}\n")
    found, sources = _found(CALL)
    assert list(kept.without_fixed(found, lambda _: True, sources).counts.values()) == [1]
    assert kept.without_fixed([], lambda _: True, sources).counts == {}
    assert kept.without_fixed([], lambda _: False, sources).counts == kept.counts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no baseline: Expecting"),
        ("[]", "it has no `files`"),
        ('{"files": {}}', "of another version"),
        ('{"version": 1, "files": {"a.py": 1}}', "an entry of `a.py` lacks"),
        ('{"version": 1, "files": {"a.py": [{"rule": "x"}]}}', "an entry of `a.py` lacks"),
        ("[" * 100_000, "is no baseline"),
    ],
)
def test_a_file_that_is_none(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"{FILE}.*{said}"):
        parse(FILE, text)
