"""Edits: in order, apart, and applied."""

from __future__ import annotations

import pytest

from dlint.findings.edits import Edit, apply_edits, merged, moved_offset, touch


def edit(start, end, text="", path="a.py"):
    return Edit(path, start, end, text)


def test_applies_in_order_of_offset():
    edits = [edit(4, 4, "!"), edit(0, 1, "A"), edit(2, 4)]
    assert apply_edits("abcdef", edits) == "Ab!ef"


def test_an_insertion_stands_before_what_replaces_the_text_behind_it():
    assert apply_edits("abc", [edit(1, 2, "B"), edit(1, 1, "-")]) == "a-Bc"


def test_equal_edits_are_made_once():
    assert apply_edits("ab", [edit(1, 1, "-"), edit(1, 1, "-")]) == "a-b"


@pytest.mark.parametrize(
    ("first", "second", "are_apart"),
    [
        (edit(0, 2), edit(1, 3), False),
        (edit(0, 4), edit(1, 1, "x"), False),
        (edit(1, 1, "x"), edit(1, 1, "y"), False),
        (edit(1, 1, "x"), edit(1, 1, "y", "b.py"), True),
        (edit(0, 2), edit(2, 3), True),
        (edit(0, 2), edit(2, 2, "x"), True),
        (edit(0, 2), edit(0, 2, path="b.py"), True),
    ],
)
def test_edits_that_claim_the_same_characters_do_not_merge(first, second, are_apart):
    assert (merged([second, first]) is not None) is are_apart


def test_overlapping_edits_are_refused():
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abc", [edit(0, 2), edit(1, 3)])


def test_neighbours_touch():
    assert touch(edit(0, 2), edit(2, 2, "x"))
    assert not touch(edit(0, 2), edit(3, 4))
    assert not touch(edit(0, 2), edit(1, 2, path="b.py"))


def test_an_offset_moves_with_what_is_edited_before_it():
    edits = [edit(0, 0, "xx"), edit(1, 3), edit(5, 5, "y"), edit(0, 1, "zzz", "b.py")]
    assert [moved_offset("a.py", offset, edits) for offset in (0, 3, 5)] == [2, 3, 6]
