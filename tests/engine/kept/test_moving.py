"""Places that move with the code they are about."""

from __future__ import annotations

import pytest

from dlint.engine.kept.moving import moved

ANSWER = [["message", ["/a.py", 3, 5], [[["/b.py", 1, 2], "made here"]]], {"/a.py": 7}]


def test_places_move_in_the_files_that_changed() -> None:
    found = moved(ANSWER, {"/a.py": {3: 13, 5: 15}})
    assert found == [["message", ["/a.py", 13, 15], [[["/b.py", 1, 2], "made here"]]], {"/a.py": 7}]


def test_where_nothing_moved_all_stays() -> None:
    assert moved(ANSWER, {}) is ANSWER


def test_a_place_that_nothing_lies_at_is_not_known() -> None:
    with pytest.raises(LookupError):
        moved(ANSWER, {"/a.py": {3: 13}})
