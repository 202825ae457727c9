"""InsertFirstInLoop, whatever the loop's layout."""

from __future__ import annotations

import pytest

from dlint.findings.operations import InsertFirstInLoop
from dlint.findings.places import Place

PATH = "/project/train.py"
GUARDED = "if s:\n    s.set(e)"


def insert(text, new, start=0):
    return InsertFirstInLoop(Place(PATH, start, len(text.rstrip())), new)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for e in r:\n    a()\n", "for e in r:\n    s.set(e)\n    a()\n"),
        ("while e:\n  a()\n", "while e:\n  s.set(e)\n  a()\n"),
        ("for e in r:\n\ta()\n", "for e in r:\n\ts.set(e)\n\ta()\n"),
        ("for e in (r):  # e: x\n    a()\n", "for e in (r):  # e: x\n    s.set(e)\n    a()\n"),
        (
            "for e in (\n    r  # :\n):\n    a()",
            "for e in (\n    r  # :\n):\n    s.set(e)\n    a()",
        ),
        ("for e in r[1:]:\n    a()\n", "for e in r[1:]:\n    s.set(e)\n    a()\n"),
        (
            "for e in r:\n    # lead\n    a()\nelse:\n    b()\n",
            "for e in r:\n    s.set(e)\n    # lead\n    a()\nelse:\n    b()\n",
        ),
        (
            "for e in r:\n\n    @d\n    def f(): ...\n",
            "for e in r:\n    s.set(e)\n\n    @d\n    def f(): ...\n",
        ),
        ("for e in r:\n    'doc'\n", "for e in r:\n    s.set(e)\n    'doc'\n"),
        ("for e in r: a()\n", "for e in r:\n    s.set(e)\n    a()\n"),
        ("for e in r:a(); b()  # c\n", "for e in r:\n    s.set(e)\n    a(); b()  # c\n"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_inserts(lowered, before, after, newline):
    text = before.replace("\n", newline)
    assert lowered(text, insert(text, "s.set(e)")) == after.replace("\n", newline)


@pytest.mark.parametrize(
    ("unit", "body"), [("  ", "  "), ("\t", "\t"), ("    ", "    "), ("  ", "    ")]
)
def test_levels_take_the_unit_of_the_loop(lowered, unit, body):
    text = f"if x:\n{unit}for e in r:\n{unit}{body}a()\n"
    operation = insert(text, GUARDED, text.index("for"))
    inside = f"{unit}{body}if s:\n{unit}{body}{body}s.set(e)\n"
    assert lowered(text, operation) == f"if x:\n{unit}for e in r:\n{inside}{unit}{body}a()\n"


def test_a_body_on_the_header_line_takes_the_unit_of_the_file(lowered):
    text = "if x:\n  for e in r: a()\n"
    changed = lowered(text, insert(text, GUARDED, text.index("for")))
    assert changed == "if x:\n  for e in r:\n    if s:\n      s.set(e)\n    a()\n"


def test_a_file_of_one_line(lowered):
    text = "for e in r: a()"
    assert lowered(text, insert(text, "b()")) == "for e in r:\n    b()\n    a()"


def test_an_asynchronous_loop(lowered):
    text = "async def f():\n    async for e in r:\n        a()\n"
    changed = lowered(text, insert(text, "b()", text.index("async for")))
    assert changed == "async def f():\n    async for e in r:\n        b()\n        a()\n"


def test_a_form_feed_is_no_indentation(lowered):
    text = "x = 1\n\ffor e in r:\n\f    a()\n"
    changed = lowered(text, insert(text, "b()", text.index("for")))
    assert changed == "x = 1\n\ffor e in r:\n    b()\n\f    a()\n"


def test_inserts_two_texts_in_order(lowered):
    text = "for e in r:\n    a()\n"
    changed = lowered(text, insert(text, "b()"), insert(text, "c()"))
    assert changed == "for e in r:\n    b()\n    c()\n    a()\n"


def test_a_place_that_is_no_loop_cannot_be_lowered(lowered):
    assert lowered("if x:\n    a()\n", insert("if x:\n    a()\n", "b()")) is None
