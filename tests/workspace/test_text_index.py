"""Searches for words: the same however many there are."""

from __future__ import annotations

import sys
import tracemalloc

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
    words = Words(frozenset({"/a.py"}), lambda _: b"", lambda _: words_in(b"x"))
    assert words.holders(b"x") == {"/a.py"}


def test_words_of_several_texts_are_told_apart() -> None:
    number_of: dict[bytes, int] = {}
    one, other = words_in(b"word first", number_of), words_in(b"second + word", number_of)
    asked = frozenset({b"word", b"first", b"second", b"third"})
    assert (one.among(asked), other.among(asked)) == ({b"word", b"first"}, {b"word", b"second"})
    assert b"third" not in one
    assert len(number_of) == 3


def test_the_words_of_many_texts_take_little_room() -> None:
    number_of: dict[bytes, int] = {}
    texts = [" ".join(f"w{(n * 7 + k) % 5000}" for k in range(400)).encode() for n in range(50)]
    tracemalloc.start()
    kept = [words_in(text, number_of) for text in texts]
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == 50
    assert used < sum(sys.getsizeof(frozenset(text.split())) for text in texts)


def test_one_word_is_found_whether_or_not_those_of_a_text_are_known() -> None:
    words = Words(frozenset(), lambda path: b"import seeds\nseed_all(x)\n")
    asked = [b"seeds", b"seed", b"x", b"all"]
    before = [words.is_in("/a.py", word) for word in asked]
    words.among("/a.py", frozenset(asked))
    after = [words.is_in("/a.py", word) for word in asked]
    assert before == after == [True, False, True, False]
