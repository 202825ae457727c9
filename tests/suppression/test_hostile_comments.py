"""Comments that are made to be read for ever."""

from __future__ import annotations

import pytest

from dlint.suppression.comments import Comment
from dlint.suppression.directives import Directive, directives, noqa
from dlint.workspace import scan
from tests.ends import comes_to_an_end

COMMENTS = {
    "directives": "# dlint: x" * 50_000,
    "an open list": "# dlint: ignore[" + "x" * 500_000,
    "blanks": "# dlint: ignore[x]" + (" " * 250_000 + "x") * 2,
    "blanks before hashes": ("# dlint: a" + " " * 500) * 1_000,
    "hashes": "#" * 500_000,
    "codes": "# noqa:" + ", " * 250_000,
    "half codes": "# noqa: " + "A1" * 250_000,
    "noqa": "# noqa" * 80_000,
}


@pytest.mark.parametrize("text", COMMENTS.values(), ids=list(COMMENTS))
def test_comments_take_no_time(text: str) -> None:
    with comes_to_an_end():
        comment = Comment(1, 0, text, (1, 1))
        list(directives(comment))
        noqa(comment)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# dlint: ignore[a] why  # noqa", ["# dlint: ignore[a] why"]),
        ("# dlint: ignore[a]  ", ["# dlint: ignore[a]  "]),
        (
            "# dlint: ignore[a]#dlint:ignore[b, c] so",
            ["# dlint: ignore[a]", "#dlint:ignore[b, c] so"],
        ),
        ("# see # dlint: ignore[a] # not one", ["# dlint: ignore[a] # not one"]),
    ],
)
def test_a_reason_ends_where_another_tool_is_spoken_to(text: str, said: list[str]) -> None:
    found = [d for d in directives(Comment(1, 0, text, (1, 1))) if isinstance(d, Directive)]
    assert [text[slice(*d.span)] for d in found] == said


SOURCES = {
    "a word": b"DataLoader " + b"x" * 500_000,
    "blanks": b"x" + b" " * 500_000,
    "defs": b"def " * 100_000,
    "classes": b"class A(" * 60_000,
    "copies": b"x.to(cpu" + b"cpu " * 100_000 + b"non_blocking" * 10_000,
    "a copy that says nothing": b"x.to(" + b"cpu " * 100_000 + b")\nnon_blocking",
    "brackets and blanks": (b")" + b" " * 999) * 500,
}


@pytest.mark.parametrize("text", SOURCES.values(), ids=list(SOURCES))
def test_the_scan_of_bytes_takes_no_time(text: bytes) -> None:
    with comes_to_an_end():
        scan.is_seed(text)
        scan.is_config_seed(text)
        scan.is_shell_seed(text)
        scan.may_hold_findings(text)
