"""Searches for words: the same however many there are."""

from __future__ import annotations

import pytest

from dlint.workspace.text_index import Words, words_in

TEXTS = {f"/{number}.py": f"a{number} = b{number % 7} # c".encode() for number in range(250)}


@pytest.mark.parametrize("searched", [frozenset(TEXTS), frozenset(sorted(TEXTS)[:3])])
def test_few_and_many_searches_agree(searched: frozenset[str]) -> None:
    words = Words(searched, TEXTS.__getitem__)
    asked = [b"c", b"missing", *(f"b{n}".encode() for n in range(7))]
    asked += [f"a{n}".encode() for n in range(250)]  # more than are looked for one by one
    for word in [*asked, *asked]:
        expected = {path for path in searched if word in words_in(TEXTS[path])}
        assert words.holders(word) == expected
        assert words.holders_in(frozenset({"/0.py", "/1.py"}), word) == expected & {
            "/0.py",
            "/1.py",
        }
        assert words.holders_in(frozenset(TEXTS), word) == expected


def test_words_that_are_known_are_not_looked_for() -> None:
    words = Words(frozenset({"/a.py"}), lambda _: b"", lambda _: frozenset({b"x"}))
    assert words.holders(b"x") == {"/a.py"}


def test_a_word_of_many_texts_is_kept_once() -> None:
    known: dict[bytes, bytes] = {}
    one, other = words_in(b"word first", known), words_in(b"second + word", known)
    assert (one, other) == ({b"word", b"first"}, {b"word", b"second"})
    assert len({id(word) for word in (*one, *other)}) == 3


def test_one_word_is_found_whether_or_not_those_of_a_text_are_known() -> None:
    words = Words(frozenset(), lambda path: b"import seeds\nseed_all(x)\n")
    asked = [b"seeds", b"seed", b"x", b"all"]
    before = [words.is_in("/a.py", word) for word in asked]
    words.among("/a.py", frozenset(asked))
    after = [words.is_in("/a.py", word) for word in asked]
    assert before == after == [True, False, True, False]
