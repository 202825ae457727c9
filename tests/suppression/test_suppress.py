"""What comments suppress, and what is said of those that suppress nothing."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from dlint import rule_docs
from dlint.engine.suppress import parted
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.findings.edits import apply_edits
from dlint.findings.places import Place
from dlint.fixes.lowering import lower
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

PATH = "/p/a.py"
PIN, EPOCH = "missing-pin-memory", "missing-set-epoch"
ALL = frozenset(rule_docs.summaries())


def _run(text: str, *found: Diagnostic, ran: Iterable[str] = ALL) -> list[Diagnostic]:
    sources = Sources({PATH: Source(PATH, text)})
    return parted(found, [PATH], lambda _: frozenset(ran), sources).kept


def _finding(text: str, marked: str, name: str = PIN) -> Diagnostic:
    start = text.index(marked)
    place = Place(PATH, start, start + len(marked))
    return Diagnostic(rule_docs.summaries()[name].code, name, Severity.WARNING, "", place)


def _check(text: str, marked: str = "DataLoader(ds)", name: str = PIN) -> list[str]:
    """Names of what is left when `name` is found at `marked`."""
    return [d.name for d in _run(text, _finding(text, marked, name))]


@pytest.mark.parametrize(
    "comment",
    [
        "dlint: ignore[missing-pin-memory] small data",
        "dlint: ignore[DLT101]",
        "dlint: ignore[dlt101]",
        "dlint: ignore[Missing-Pin-Memory]",
        "noqa",
        "noqa: DLT101",
        "noqa: F401, dlt101",
    ],
)
def test_on_the_line(comment: str) -> None:
    assert _check(f"x = DataLoader(ds)  # {comment}\n") == []


@pytest.mark.parametrize("comment", ["noqa: F401", "noqa: missing-pin-memory", "fine"])
def test_comments_for_others(comment: str) -> None:
    assert _check(f"x = DataLoader(ds)  # {comment}\n") == [PIN]


def test_above_the_statement() -> None:
    text = "# dlint: ignore[DLT101] why\n# and more\nx = f(\n    a,\n    DataLoader(ds),\n)\n"
    assert _check(text) == []


def test_above_another_statement() -> None:
    text = "# dlint: ignore[DLT101]\ny = 1\nx = DataLoader(ds)\n"
    assert _check(text) == [PIN, "unused-suppression"]


def test_above_a_decorator() -> None:
    text = "# dlint: ignore[DLT101]\n@register\nclass Data(Base):\n    pass\n"
    assert _check(text, "class Data(Base):") == []


CALL = "x = f(\n    a,{0}\n    DataLoader({1}\n        ds,{2}\n    ),{3}\n    b,{4}\n){5}\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [(0, [PIN, "unused-suppression"]), (1, []), (2, []), (3, []), (5, [])],
)
def test_on_the_lines_of_a_long_statement(line: int, expected: list[str]) -> None:
    comments = ["" if number != line else "  # dlint: ignore[DLT101]" for number in range(6)]
    text = CALL.format(*comments)
    start = text.index("DataLoader(")
    end = text.index(")", start) + 1
    found = Diagnostic("DLT101", PIN, Severity.WARNING, "", Place(PATH, start, end))
    assert [d.name for d in _run(text, found)] == expected


def test_one_of_two_findings_in_a_statement() -> None:
    text = "x = {\n    1: DataLoader(a),  # dlint: ignore[DLT101]\n    2: DataLoader(b),\n}\n"
    first, second = _finding(text, "DataLoader(a)"), _finding(text, "DataLoader(b)")
    assert _run(text, first, second) == [second]


def test_between_brackets_on_a_line_of_its_own() -> None:
    text = "x = [\n    # dlint: ignore[DLT101]\n    DataLoader(ds),\n]\n"
    assert _check(text) == []


def test_the_whole_file() -> None:
    text = "x = DataLoader(ds)\n\n# dlint: file-ignore[missing-pin-memory] generated\n"
    assert _check(text) == []
    assert _check(text, name=EPOCH) == [EPOCH, "unused-suppression"]


def test_noqa_does_not_count_elsewhere_and_is_never_reported() -> None:
    assert _check("# noqa\nx = DataLoader(ds)\ny = 1  # noqa: DLT101\n") == [PIN]


def _unused(text: str, ran: Iterable[str] = ALL) -> list[Diagnostic]:
    return [d for d in _run(text, ran=ran) if d.name == "unused-suppression"]


def test_unused_only_for_rules_that_ran() -> None:
    text = "x = 1  # dlint: ignore[DLT101]\n"
    (found,) = _unused(text)
    assert found.code == "DLT903"
    assert found.severity is Severity.WARNING
    assert text[found.place.start : found.place.end] == "# dlint: ignore[DLT101]"
    assert _unused(text, ran=ALL - {PIN}) == []
    assert _unused(text, ran=ALL - {"unused-suppression"}) == []


def _fixed(text: str, *found: Diagnostic) -> str:
    sources = Sources({PATH: Source(PATH, text)})
    unused = next(d for d in _run(text, *found) if d.name == "unused-suppression")
    assert unused.fix is not None
    edits = lower(unused.fix, sources)
    assert edits is not None
    return apply_edits(text, edits)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1  # dlint: ignore[DLT101] why\n", "x = 1\n"),
        ("x = 1  # dlint: ignore[DLT101]", "x = 1"),
        ("x = 1\r\n    # dlint: ignore[DLT101]\r\ny = 2\r\n", "x = 1\r\ny = 2\r\n"),
        ("# dlint: file-ignore[DLT101]\nx = 1\n", "x = 1\n"),
        ("x = 1  # dlint: ignore[DLT101]  # noqa: F401\n", "x = 1  # noqa: F401\n"),
        ("x = 1  # type: ignore  # dlint: ignore[DLT101]\n", "x = 1  # type: ignore\n"),
        ("  # dlint: ignore[DLT101] # noqa\nx = 1\n", "  # noqa\nx = 1\n"),
        ("x = 1\n# dlint: ignore[DLT101]", "x = 1\n"),
    ],
)
def test_the_fix_removes_the_comment(text: str, expected: str) -> None:
    assert _fixed(text) == expected


def test_the_fix_keeps_the_names_in_use() -> None:
    text = "x = DataLoader(ds)  # dlint: ignore[DLT202, DLT101, DLT201] why\n"
    fixed = _fixed(text, _finding(text, "DataLoader(ds)"))
    assert fixed == "x = DataLoader(ds)  # dlint: ignore[DLT101] why\n"


def test_unused_names_are_listed() -> None:
    (found,) = _unused("x = 1  # dlint: ignore[DLT101, missing-set-epoch]\n")
    assert "`DLT101`, `missing-set-epoch`" in found.message


def test_unknown_names() -> None:
    text = "x = DataLoader(ds)  # dlint: ignore[missing-pin-memry, DLT101]\n"
    (found,) = _run(text, _finding(text, "DataLoader(ds)"))
    assert (found.code, found.severity) == ("DLT904", Severity.WARNING)
    assert text[found.place.start : found.place.end] == "missing-pin-memry"
    assert "did you mean `missing-pin-memory`?" in found.message


def test_a_directive_without_a_name_suppresses_nothing_and_is_told() -> None:
    assert _check("x = DataLoader(ds)  # dlint: ignore\n") == [PIN, "unknown-suppression"]


def test_what_is_said_of_comments_can_be_suppressed_too() -> None:
    assert _run("# dlint: file-ignore[unused-suppression]\nx = 1  # dlint: ignore[DLT101]\n") == []


def test_nothing_is_said_of_the_comments_of_a_broken_file() -> None:
    text = "x = 1  # dlint: ignore[DLT101]\ny z\n"
    assert _check(text, "y z", "syntax-error") == ["syntax-error"]


def test_an_unreadable_file_is_passed_over() -> None:
    place = Place("/nowhere/a.py", 0, 0)
    found = Diagnostic("DLT902", "unreadable-file", Severity.ERROR, "", place)
    assert parted([found], ["/nowhere/a.py"], lambda _: ALL, Sources()).kept == [found]


def test_many_comments_take_time_in_proportion() -> None:
    text = "x = 1  # dlint: ignore[DLT101]\n" * 5000
    assert len(_unused(text)) == 5000
