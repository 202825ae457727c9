"""Spans, checked against libcst's own positions."""

from __future__ import annotations

from bisect import bisect_right

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from dlint.ir.lower_layouts import LAYOUTS
from dlint.ir.spans import measure, seek

SNIPPETS = {
    "calls": "f((a, b))(c)[(0)](*x, k = (1), **{'a': 1},)\n",
    "operators": "x = - -a ** -b not in (not c) is not d or e if (f) else ~g\n",
    "comments": "f(  # a ) comment, f( [ 'x'\n    a,  # b\n    [  # c ]\n        1,\n    ],\n)\n",
    "strings": "f'{a!r:>{w}}' 'b' rf'''{ {1: 2}[1] } # no {{comment}}''' \"#\"\n",
    "slices": "x[:, 1:, ::2, a:b:c, ...][[1]]\n",
    "tuples": "x = 1,\ny = (1, 2,), ()\n(a, *b), c = d\n",
    "targets": "a = b[c] = d.e = f = g\na += -1\nb **= c\nx: int = 3\n",
    "comprehensions": "[a for b in c if d for a in b]; {k: v async for k, v in i()}\n",
    "lambdas": "lambda a, /, b=(1), *c, d, **e: (yield)\nlambda: 0\nlambda *, a: a\n",
    "definition": "async def f(a: int, /, b=1, *, c) -> -1:\n    return (a)\n",
    "class and generator": "class C((A), m=B): f(i for i in n)\n",
    "decorated": "@(d)\n# class C\n@e.f(1)\nclass C(  # : no\n    A\n): ...\n",
    "branches": "if a: pass\nelif (b):\n    x\nelif c: y; z\nelse:\n    del w, v\n",
    "loops": "for i, in x: break\nelse: continue\nwhile (a): pass\nasync for a.b in c: d\n",
    "with": "with (open(x) as f, (g)): pass\nwith (a), b as (c, d): pass\nwith (yield): pass\n",
    "try": "try: a\nexcept (A, B) as e: raise e from f\nexcept: raise\nelse: b\nfinally: c\n",
    "try star": "try: a\nexcept* A as e: pass\n",
    "imports": "import a.b as c, d\nfrom . import (e as f,  # )\n    g)\nfrom ...h import *\n",
    "match": (
        "match x, y:\n"
        "    case A.b | -1 | 'c' | None: pass\n"
        "    case C(d, e=f) as a if g: pass\n"
        "    case [1, *_, (s)] | (t, *r): pass\n"
        "    case {'k': v, **rest}: pass\n"
        "    case _: pass\n"
    ),
    "declarations": "def f():\n    global a, b\n    nonlocal c\n    assert a, b\n",
    "types": "type A[T: int, *U, **P] = B[T]\ndef f[T](a: T): pass\nclass C[T = int]: pass\n",
    "carriage returns": "a = f(b,\r\n      c)  # d )\r\nif a:\r\n    b = 1\r\n",
    "old newlines": "a = f(  # )\r  b)\rc = 1\r",
    "tabs and form feeds": "if a:\n\tb(\t)\n\n\x0c\n\tc\n",
    "continued": "a = b + \\\n    c\nassert a, \\\n  b\n",
    "names": "é = ñ(π, 变量='ß' 'ö')\n℘ = कि(é)  # ü\n",
    "no newline": "f(x)",
    "semicolons": "a; b = c ;\n",
    "keywords in names": "i if f else n; a in in_ and and_; not_a or nota; asx = await_\n",
}


@pytest.mark.parametrize("text", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_spans_are_those_of_libcst(text: str) -> None:
    module = cst.parse_module(text)
    spans = measure(module, text)
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    starts = _line_starts(text)
    for node, place in positions.items():
        if isinstance(node, _COMPARED) and not getattr(node, "decorators", ()):
            expected = tuple(starts[p.line - 1] + p.column for p in (place.start, place.end))
            assert spans[node] == expected, type(node)


_COMPARED = (
    cst.BaseExpression,
    cst.BaseStatement,
    cst.BaseSmallStatement,
    cst.MatchPattern,
    cst.Arg,
    cst.AssignTarget,
    cst.ImportAlias,
    cst.FormattedStringText,
    cst.FormattedStringExpression,
)


def _line_starts(text: str) -> list[int]:
    lines = text.replace("\r\n", " \n").replace("\r", "\n").split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def test_form_feeds_that_libcst_does_not_keep_are_counted() -> None:
    text = "\x0cif a:\n\tb\n\x0c\tc\n"
    spans = measure(cst.parse_module(text), text)
    written = [text[slice(*span)] for node, span in spans.items() if isinstance(node, cst.Name)]
    assert written == ["a", "b", "c"]


def test_a_decorated_statement_starts_at_its_decorator() -> None:
    text = "x\n@a\n@b\ndef f(): pass\n"
    module = cst.parse_module(text)
    start, end = measure(module, text)[module.body[1]]
    assert text[start:end] == "@a\n@b\ndef f(): pass"


def test_every_node_that_is_written_has_a_layout() -> None:
    families = (cst.BaseExpression, cst.BaseStatement, cst.BaseSmallStatement, cst.MatchPattern)
    kinds = [kind for kind in vars(cst).values() if isinstance(kind, type)]
    written = [k for k in kinds if issubclass(k, families) and not k.__name__.startswith("Base")]
    assert [k.__name__ for k in written if k not in LAYOUTS and k is not cst.MatchPattern] == [
        "MatchSequence"
    ]


def test_seek_leaves_comments_out() -> None:
    text = "a  # b )\n# )\n  )"
    assert seek(text, ")", 1) == len(text) - 1
    assert bisect_right([0, 9, 13], seek(text, ")", 1)) == 3
    with pytest.raises(ValueError, match="substring"):
        seek("a # )", ")", 0)
