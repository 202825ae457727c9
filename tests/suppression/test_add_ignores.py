"""Suppression comments written for findings."""

from __future__ import annotations

import pytest

from dlint.engine.suppress import parted
from dlint.findings.diagnostic import Diagnostic, Severity
from dlint.findings.edits import apply_edits
from dlint.findings.places import Place
from dlint.suppression.add_ignores import add_ignores
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

PATH = "/p/a.py"
CODES = {"missing-pin-memory": "DLT101", "missing-set-epoch": "DLT202"}


def _finding(text: str, marked: str, name: str = "missing-pin-memory") -> Diagnostic:
    start = text.index(marked)
    place = Place(PATH, start, start + len(marked))
    return Diagnostic(CODES.get(name, "DLT901"), name, Severity.WARNING, "", place)


def _added(text: str, *found: Diagnostic, reason: str = "why") -> str:
    return apply_edits(text, add_ignores(Source(PATH, text), found, reason).edits)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "x = Loader(ds)\n",
            "x = Loader(ds)  # dlint: ignore[missing-pin-memory] why\n",
        ),
        (
            "x = Loader(ds)   ",
            "x = Loader(ds)  # dlint: ignore[missing-pin-memory] why   ",
        ),
        (
            "x = Loader(  # big\r\n    ds,\r\n)\r\n",
            "x = Loader(  # big  # dlint: ignore[missing-pin-memory] why\r\n    ds,\r\n)\r\n",
        ),
        (
            "x = Loader(ds)  # dlint: ignore[DLT202] old\n",
            "x = Loader(ds)  # dlint: ignore[DLT202, missing-pin-memory] old\n",
        ),
        (
            "# dlint: ignore[DLT202]\nx = f(\n    Loader(ds)\n)\n",
            "# dlint: ignore[DLT202, missing-pin-memory]\nx = f(\n    Loader(ds)\n)\n",
        ),
        (
            "if a:\n    x = Loader(ds) + \\\n        1\n",
            (
                "if a:\n    # dlint: ignore[missing-pin-memory] why\n"
                "    x = Loader(ds) + \\\n        1\n"
            ),
        ),
        (
            'x = f(1,\n    Loader("""\n    """))\r\n',
            '# dlint: ignore[missing-pin-memory] why\nx = f(1,\n    Loader("""\n    """))\r\n',
        ),
        (
            "# dlint: file-ignore[DLT202]\nx = Loader(ds)\n",
            (
                "# dlint: file-ignore[DLT202]\n"
                "x = Loader(ds)  # dlint: ignore[missing-pin-memory] why\n"
            ),
        ),
    ],
)
def test_where_the_comment_goes(text: str, expected: str) -> None:
    found = _finding(text, "Loader(")
    added = _added(text, found)
    assert added == expected
    again = _finding(added, "Loader(")
    sources = Sources({PATH: Source(PATH, added)})
    assert parted([again], [PATH], lambda _: frozenset(CODES), sources).kept == []


def test_several_findings_share_a_comment() -> None:
    text = "x = Loader(ds, Sampler(ds))\n"
    found = [
        _finding(text, "Sampler(ds)", "missing-set-epoch"),
        _finding(text, "Loader("),
        _finding(text, "ds"),
    ]
    expected = (
        "x = Loader(ds, Sampler(ds))  # dlint: ignore[missing-pin-memory, missing-set-epoch]\n"
    )
    assert _added(text, *found, reason="") == expected


def test_the_reason_stays_on_one_line() -> None:
    added = _added("x = Loader(ds)\n", _finding("x = Loader(ds)\n", "Loader("), reason="a\n  b")
    assert added == "x = Loader(ds)  # dlint: ignore[missing-pin-memory] a b\n"


def test_json_takes_no_comments() -> None:
    text = '{"_target_": "DataLoader"}'
    assert add_ignores(Source("a.json", text), [_finding(text, '"_target')], "why").edits == []


def test_findings_about_files_and_comments_are_left() -> None:
    text = "x = Loader(ds)\n"
    added = add_ignores(Source(PATH, text), [_finding(text, "x", "syntax-error")], "")
    assert (added.edits, added.suppressed) == ([], 0)


def test_text_that_does_not_tokenize_is_left_alone() -> None:
    text = 'y = (\nx = Loader("""\n'
    added = add_ignores(Source(PATH, text), [_finding(text, "Loader(")], "")
    assert (added.edits, added.suppressed) == ([], 0)
