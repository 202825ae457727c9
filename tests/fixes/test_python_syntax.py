"""Sources that are parsed a statement at a time."""

from __future__ import annotations

import libcst as cst
import pytest

from dlint.fixes import python_syntax
from dlint.fixes.python_syntax import Syntax
from dlint.ir.spans import measure
from dlint.workspace.source import Source

TEXT = """\
'''Docs.'''
import a; b = c(1)

# comment
@d(e)
def f(g):
    for h in i: j(h)  # k


class L(M):
    n = o(
        p,
    )

    @aa
    async def ab(self):
        if ac:
            def ad(): ae
            af
if q: r(s)
t = '''u
v''' + w(x); y = z
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_nodes_are_found_where_they_stand_in_the_whole(newline: str, end: str) -> None:
    text = (TEXT.rstrip("\n") + end).replace("\n", newline)
    syntax = Syntax(Source("a.py", text))
    whole = measure(cst.parse_module(text), text)
    names = {(node.value, span) for node, span in whole.items() if isinstance(node, cst.Name)}
    assert len(names) == 31
    for value, span in names:
        path = syntax.path(*span)
        assert path is not None
        assert isinstance(path[-1], cst.Name)
        assert (path[-1].value, syntax.span(path[-1])) == (value, span)


def test_only_the_statement_around_is_parsed_and_once(parsed: list[str]) -> None:
    syntax = Syntax(Source("a.py", TEXT))
    for name in ("j(h)", "d(e)", "i:"):
        start = TEXT.index(name)
        assert syntax.path(start, start + 1) is not None
    start = TEXT.index("x);")
    assert syntax.path(start, start + 1) is not None
    assert parsed == [
        "if 1:\n    for h in i: j(h)  # k\n",
        TEXT[TEXT.index("@d") : TEXT.index("\n\nclass")],
        TEXT[TEXT.index("t =") :],
    ]


@pytest.mark.parametrize(
    ("name", "first", "behind"),
    [("ae", "            def ad", "            af"), ("af", "    @aa", "if q")],
)
def test_only_the_function_around_is_parsed_for_who_asks_what_else_is_there(
    name: str, first: str, behind: str, parsed: list[str]
) -> None:
    start = TEXT.index(name)
    path = Syntax(Source("a.py", TEXT)).path(start, start + 2, in_function=True)
    assert path is not None
    assert isinstance(path[-1], cst.Name)
    assert parsed == ["if 1:\n" + TEXT[TEXT.index(first) : TEXT.index(behind)]]


@pytest.mark.parametrize("name", ["c", "u", "v"])
def test_what_goes_on_with_a_statement_is_parsed_with_it(name: str, parsed: list[str]) -> None:
    text = "x\nif a:\n    b\nelif c:\n    d\nelse: u; v\n"
    path = Syntax(Source("a.py", text)).path(text.index(name), text.index(name) + 1)
    assert path is not None
    assert isinstance(path[-1], cst.Name)
    assert (path[-1].value, parsed) == (name, [text[2:]])


def test_what_ends_in_a_joined_line_is_parsed_with_all(parsed: list[str]) -> None:
    text = "f(1)\\\n\n\ng(2)\n"
    path = Syntax(Source("a.py", text)).path(2, 3)
    assert path is not None
    assert isinstance(path[-1], cst.Integer)
    assert parsed == ["f(1)\\\n", text]


def test_a_text_of_another_python_is_parsed_as_a_whole(
    parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> None:
        raise SyntaxError

    monkeypatch.setattr(python_syntax.ast, "parse", refuse)
    assert Syntax(Source("a.py", TEXT)).path(0, 1) is not None
    assert parsed == [TEXT]


def test_nothing_stands_between_statements_and_in_what_is_no_python() -> None:
    blank = TEXT.index("# comment") - 1
    assert Syntax(Source("a.py", TEXT)).path(blank, blank) is None
    assert Syntax(Source("a.py", "f(1\n")).path(2, 3) is None


def test_the_first_indent_of_the_module_counts() -> None:
    assert Syntax(Source("a.py", "if a:\n  b\nfor c in d: e\n")).default_indent == "  "
    assert Syntax(Source("a.py", "a\n")).default_indent == "    "


def test_a_statement_that_spaces_indent_deeper_than_a_tab() -> None:
    text = "if a:\n\tif b:\n            c(d)\n"
    start = text.index("d")
    path = Syntax(Source("a.py", text)).path(start, start + 1)
    assert path is not None
    assert isinstance(path[-1], cst.Name)
    assert path[-1].value == "d"
