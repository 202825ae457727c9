"""Comments that speak to dlint."""

from __future__ import annotations

import pytest

from dlint.suppression.comments import Comment
from dlint.suppression.directives import Directive, Malformed, directives, noqa


def _comment(text: str) -> Comment:
    return Comment(1, 10, text, (1, 1))


def _names(text: str) -> list[list[str]]:
    found = directives(_comment(text))
    return [[e.text for e in d.entries] for d in found if isinstance(d, Directive)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# dlint: ignore[a]", [["a"]]),
        ("#dlint:ignore[a]", [["a"]]),
        ("# dlint: ignore[a, DLT101] small data", [["a", "DLT101"]]),
        ("# dlint: ignore[a b,]", [["a", "b"]]),
        ("# dlint: ignore [a]", [["a"]]),
        ("# type: ignore  # dlint: ignore[a] why  # noqa: X1", [["a"]]),
        ("# dlint: ignore[a] one # dlint: ignore[b] two", [["a"], ["b"]]),
        ("# see the docs of dlint: ignore[a]", []),
        ("# dlint: a linter", []),
    ],
)
def test_names(text: str, expected: list[list[str]]) -> None:
    assert _names(text) == expected


def test_spans() -> None:
    text = "# x # dlint: ignore[a, bc] issue #7  # noqa"
    (found,) = directives(_comment(text))
    assert isinstance(found, Directive)
    assert not found.whole_file
    start, end = found.span
    assert text[start - 10 : end - 10] == "# dlint: ignore[a, bc] issue #7"
    assert [text[e.span[0] - 10 : e.span[1] - 10] for e in found.entries] == ["a", "bc"]
    assert text[found.list_end - 10] == "]"


def test_whole_file() -> None:
    (found,) = directives(_comment("# dlint: file-ignore[a]"))
    assert isinstance(found, Directive)
    assert found.whole_file


@pytest.mark.parametrize(
    "text",
    [
        "# dlint: ignore",
        "# dlint: ignore[]",
        "# dlint: ignore[ , ]",
        "# dlint: file-ignore because",
    ],
)
def test_a_directive_must_name_a_rule(text: str) -> None:
    (found,) = directives(_comment(text))
    assert isinstance(found, Malformed)
    assert "names no rule" in found.problem


@pytest.mark.parametrize("verb", ["disable", "noqa", "ignore-file"])
def test_what_other_linters_say_is_explained(verb: str) -> None:
    (found,) = directives(_comment(f"# dlint: {verb}[a]"))
    assert isinstance(found, Malformed)
    assert "write `ignore[rule-name]`" in found.problem


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("# noqa", None),
        ("# NOQA", None),
        ("#noqa because it is fine", None),
        ("# type: ignore # noqa", None),
        ("# noqa: DLT101", {"DLT101"}),
        ("# noqa:dlt101,F401", {"DLT101", "F401"}),
        ("# noqa : F401 DLT101 and a reason", {"F401", "DLT101"}),
        ("# NoQA: F401  # why", {"F401"}),
    ],
)
def test_noqa(text: str, codes: set[str] | None) -> None:
    found = noqa(_comment(text))
    assert found is not None
    assert found.codes == codes


@pytest.mark.parametrize(
    "text", ["# noqa: missing-pin-memory", "# noqa:", "# noqas", "# noqa-ish", "# nothing"]
)
def test_no_noqa(text: str) -> None:
    assert noqa(_comment(text)) is None


def test_noqa_on_a_line_of_its_own_means_nothing() -> None:
    assert noqa(Comment(1, 0, "# noqa", (2, 2))) is None
