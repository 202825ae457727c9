"""What is asked of files, noted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dlint.workspace import asked
from dlint.workspace.asked import Asked, digest_of, noting
from dlint.workspace.text_index import Words

LOOKS: dict[str, Callable[[Path], object]] = {
    "file": lambda top: asked.is_file(top / "a.txt"),
    "folder": lambda top: asked.is_folder(top / "a.txt"),
    "exists": lambda top: asked.exists(top / "a.txt"),
    "names": lambda top: asked.names_in(top, r"\w\.txt"),
    "names with others before": lambda top: asked.names_in(top, r"x/\w\.txt", "x/"),
    "content": lambda top: asked.content(top / "a.txt", 100),
    "matching": lambda top: asked.matching(top, "*.txt"),
    "small": lambda top: asked.is_small(top / "a.txt", 100),
    "holds": lambda top: asked.holds(top / "a.txt", r"\A\Z", 100),
    "beginning": lambda top: asked.beginning_of(top / "a.txt", 100),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_look_is_noted_and_can_be_asked_again(
    tmp_path: Path, look: Callable[[Path], object]
) -> None:
    look(tmp_path)
    with noting() as before:
        look(tmp_path)
    assert _still(before)
    (tmp_path / "a.txt").mkdir() if look is LOOKS["folder"] else (tmp_path / "a.txt").touch()
    assert not _still(before)
    with noting() as after:
        look(tmp_path)
    assert _still(after)


def _still(noted: Asked) -> bool:
    assert noted.looks
    return all(asked.answered(look) == digest for look, digest in noted.looks.items())


def test_the_content_counts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    with noting() as before:
        assert asked.beginning_of(tmp_path / "a.txt", 2) == "on"
    (tmp_path / "a.txt").write_bytes(b"two")
    assert not _still(before)


def test_who_notes_around_others_notes_what_they_ask() -> None:
    with noting() as outer:
        with noting() as inner:
            asked.note_text("/a.py")
        asked.note_word(b"x", is_everywhere=True)
        asked.note(inner)
    assert inner.texts == outer.texts == {"/a.py"}
    assert (inner.words, outer.words) == (set(), {b"x"})


def test_an_index_of_words_asks_for_no_text_but_for_words() -> None:
    texts = {"/a.py": b"x = y", "/b.py": b"z"}

    def text(path: str) -> bytes:
        asked.note_text(path)
        return texts[path]

    words = Words(frozenset(texts), text)
    with noting() as noted:
        assert words.holders(b"y") == {"/a.py"}
    assert (noted.texts, noted.words) == (set(), {b"y"})
    with noting() as noted:
        assert words.holders_in(frozenset({"/b.py"}), b"y") == frozenset()
    assert (noted.words, noted.own_words) == (set(), {b"y"})
    with noting() as noted:
        assert words.users_in(frozenset({"/b.py"}), b"z") == {"/b.py"}
    assert (noted.own_words, noted.user_words) == (set(), {b"z"})
    with noting() as noted:
        assert words.among("/b.py", frozenset({b"y", b"z"})) == {b"z"}
        assert not words.is_in("/a.py", b"w")
    assert noted.texts == set()
    assert noted.terms == {frozenset({b"y", b"z"}): {"/b.py"}, frozenset({b"w"}): {"/a.py"}}


def test_names_that_were_not_asked_for_do_not_count(tmp_path: Path) -> None:
    with noting() as before:
        assert asked.names_in(tmp_path, r".*\.md") == ()
    (tmp_path / "a.txt").touch()
    assert _still(before)
    (tmp_path / "a.md").touch()
    assert not _still(before)


def test_short_answers_stand_for_themselves() -> None:
    assert digest_of(()) == "()"
    assert len(digest_of(b"")) == len(digest_of("x" * 100)) == 24
    assert digest_of("x" * 100) != digest_of("y" * 100)
