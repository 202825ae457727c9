"""Questions about single texts: noted, and answered again of another text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from unittest.mock import Mock

import pytest

from dlint.workspace import asked, texts

PATH = "/a.py"
Ask = Callable[[texts.Text], object]
CASES: dict[str, tuple[Ask, bytes, bytes, bytes]] = {
    "a pattern": (
        lambda text: texts.says(text, PATH, re.compile(rb"^WORLD\b", re.M | re.I)),
        b"x\nworld = 1\n",
        b"world = 2\nx = 1\n",
        b"worldly = 1\n",
    ),
    "bytes": (
        lambda text: texts.holds(text, PATH, "é".encode()),
        "café".encode(),
        "é".encode(),
        b"cafe",
    ),
    "words": (
        lambda text: texts.holding(text, PATH, ["a b", "c"]),
        b"xa bc",
        b"c, a b",
        b"a",
    ),
    "a call": (
        lambda text: texts.is_called(text, PATH, "make"),
        b"make(1)\n",
        b"x = make(2)\n",
        b"def make(): pass\n",
    ),
    "full names": (
        lambda text: texts.full_names(text, PATH, ["seed"]),
        b"import numpy as np\nnp.random.seed(0)\n",
        b"from numpy import random as r\nif x:\n    r.seed(1)\n",
        b"import numpy as np\nnp.random.rand(0)\n",
    ),
    "a size": (lambda text: texts.rough_size(text, PATH), b"x", b"xy", b"x" * 10_000),
    "imports": (
        lambda text: texts.imports(text, PATH),
        b"import a\n",
        b"# a comment\nimport a\nx = 1\n",
        b"import a, b\n",
    ),
    "imports at the top": (
        lambda text: texts.top_imports(text, PATH),
        b"import a\n",
        b"import a\nif x:\n    import b\n",
        b"import b\n",
    ),
}


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("make(1)", True),
        ("class Own(make): ...", True),
        ("from m import make as own", True),
        ("from m import make", False),
        ("remake(1)", False),
        ("make.assure()", False),
    ],
)
def test_what_may_be_called(text: str, called: bool) -> None:
    assert texts.is_called(lambda path: text.encode(), PATH, "make") is called


@pytest.mark.parametrize("name", CASES)
def test_a_question_is_answered_again_as_it_was_asked(name: str) -> None:
    ask, first, alike, other = CASES[name]

    def text(path: str) -> bytes:
        asked.note_text(path)
        return first

    with asked.noting() as noted:
        ask(text)
    assert (noted.texts, noted.files) == (set(), {PATH})
    (((_, *question), answer),) = noted.sayings.items()
    assert [texts.answered(raw, *question) == answer for raw in (first, alike, other)] == [
        True,
        True,
        False,
    ]


def test_imports_that_are_known_are_not_looked_for() -> None:
    known = [["b", 1, ["x"]], ["a", 0, None]]
    found = texts.imports(lambda _: b"", PATH, lambda *_: known)
    assert found == texts.imports(lambda _: b"import a\nfrom .b import x\n", PATH)


def test_a_text_that_is_the_same_is_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def found(raw: bytes, *_: str) -> bool:
        searched.append(raw)
        return True

    monkeypatch.setitem(texts._KINDS, "holds", found)
    pattern = Mock(pattern=b"twice", flags=0, search=found)
    raws = [b"asked twice in one process", b"asked once"]
    for raw in (*raws, raws[0]):
        assert texts.holds(lambda _, raw=raw: raw, PATH, b"twice")
        assert texts.says(lambda _, raw=raw: raw, PATH, pattern)
    assert sorted(searched) == sorted(2 * raws)


KEPT: list[Callable[[texts.Text, texts.Kept], object]] = [
    lambda text, kept: texts.says(text, PATH, re.compile(rb"^wor(ld)?", re.M), kept),
    lambda text, kept: texts.holding(text, PATH, ["import", "b", "c"], kept),
    lambda text, kept: texts.import_words(text, PATH, kept),
]


@pytest.mark.parametrize("ask", KEPT)
def test_what_is_kept_of_a_text_is_told_and_noted_without_it(
    ask: Callable[[texts.Text, texts.Kept], object],
) -> None:
    known: dict[str, object] = {}

    def kept(_: str, question: str, answer: Callable[[], object]) -> object:
        if question not in known:
            known[question] = json.loads(json.dumps(answer()))
        return known[question]

    def gone(_: str) -> bytes:
        raise AssertionError

    with asked.noting() as first:
        found = ask(lambda _: "world = 1\nimport b, \xe9\n".encode(), kept)
    with asked.noting() as again:
        assert ask(gone, kept) == found
    assert found
    assert again.sayings == first.sayings


def test_answers_to_two_questions_are_kept_apart() -> None:
    names = set()

    def kept(_: str, question: str, answer: Callable[[], object]) -> object:
        names.add(question)
        return answer()

    for pattern, flags in ((b"a", 0), (b"a", re.I), (b"b", 0)):
        texts.says(lambda _: b"a", PATH, re.compile(pattern, flags), kept)
    texts.holding(lambda _: b"a", PATH, ["a", "b"], kept)
    texts.holding(lambda _: b"a", PATH, ["ab"], kept)
    assert len(names) == 5
