"""Comments and logical lines of a text."""

from __future__ import annotations

from dlint.suppression.comments import Layout, layout
from dlint.workspace.source import Source


def _layout(text: str) -> Layout:
    return layout(Source("/a.py", text))


def _covers(text: str) -> list[tuple[int, int]]:
    return [comment.covers for comment in _layout(text).comments]


def test_a_comment_behind_code_covers_its_row() -> None:
    text = "x = f(\n    1,  # here\n)\n"
    (comment,) = _layout(text).comments
    assert comment.covers == (2, 2)
    assert text[comment.start :].startswith("# here")


def test_a_comment_on_its_own_line_covers_the_statement_below() -> None:
    assert _covers("# above\n# more\n\nx = f(\n    1,\n)\ny = 1\n") == [(4, 6), (4, 6)]


def test_decorators_belong_to_the_definition_below() -> None:
    assert _covers("# above\n@f(\n    1)\n@g\nclass A(B):\n    x = 1\n") == [(2, 5)]


def test_between_brackets_a_comment_covers_the_next_row_of_code() -> None:
    assert _covers("x = [\n    # first\n\n    f(),\n    g(),\n]\n") == [(4, 4)]


def test_the_last_comment_covers_nothing_else() -> None:
    assert _covers("x = 1\n# end\n") == [(2, 2)]
    assert _covers("# alone") == [(1, 1)]


def test_hashes_in_strings_are_no_comments() -> None:
    assert _covers('x = "# a"\ny = """\n# b\n"""\n') == []


def test_logical_lines() -> None:
    lines = _layout("x = f(\n    1)\n\ny = \\\n    2\nif x: z = 1\n")
    assert lines.lines == ((1, 2), (4, 5), (6, 6))
    assert lines.logical_line(2) == (1, 2)
    assert lines.logical_line(3) == (3, 3)
    assert lines.logical_line(5) == (4, 5)
    assert lines.logical_line(99) == (99, 99)


def test_rows_that_a_comment_may_follow() -> None:
    text = 'x = f(\n    """a\n    b""",\n)\ny = \\\n    2\nz = 1'
    assert _layout(text).extensible == {1, 3, 4, 6, 7}


def test_all_kinds_of_newlines() -> None:
    assert _covers("x = 1  # a\r\ny = 2\r\n# b\r\nz = 3\r\n") == [(1, 1), (4, 4)]


def test_a_text_that_does_not_tokenize_is_read_line_by_line() -> None:
    found = _layout("x = 1  # a\n# b\ny = f(\nz = 2  # c\n# d\nw = 3\n")
    assert [c.text for c in found.comments] == ["# a", "# b", "# c", "# d"]
    assert found.comments[-1].covers == (6, 6)
    assert found.logical_line(6) == (6, 6)


def test_a_bad_dedent_is_survived() -> None:
    found = _layout("if x:\n        y = 1\n    z = 2  # a\n")
    assert [c.text for c in found.comments] == ["# a"]
