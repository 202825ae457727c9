"""Trees by Python's own parser, checked against those of libcst."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlint
from dlint.index.lower import lower
from dlint.index.quick_text import Unsuited
from dlint.index.quick_tree import tree
from dlint.index.serial import to_json
from dlint.source import Source, read
from tests.index.test_spans import SNIPPETS

TEXTS = {
    "calls": "f((a), (b), *c, d=(e), **g)(h)\n(f)((x for x in y), z)\n",
    "generators": "f(x for x in y if (z))\nf((x for x in y))\nf( # c\n (a) for a, in (b) # d\n)\n",
    "commented calls": "f(  # ( a\n    a,  # )\n    (b),\n    # (\n    c,\n)\n",
    "tuples": "x = (), (a,), ((a, b), c), (a, b), (c, d)\nreturned = (a), (b)\ny = ((a), b)\n",
    "tuples of tuples": (
        "return_ = (a, b), (c, d)\nz = ((a, b), (c, d))\nw = (  # (\n  a, b  # )\n)\n"
    ),
    "targets": (
        "(a), b = (c, *d), [e, (f)] = g\nfor (a, (b)), *c in d: pass\ndel a, (b)\ndel (a, b)\n"
    ),
    "subscripts": (
        "a[b, c], a[(b, c)], a[b,], a[()], a[(b), c], a[(b, c), d], a[1:, ::2, (x):y], "
        "a[*b], a[*b,]\n"
    ),
    "booleans": "a and (b) and (c or d or (e)) and not (f)\na < (b) <= c is not d not in e\n",
    "operators": "-(a) + (b) * c ** ~d // e @ f % g << h >> i & j | k ^ l\n",
    "numbers": "x = 0x1F, 1_0, 1e3, .5, 2j, ..., None, True, -1\n",
    "strings": (
        "'a' \"b\"\nb'c' b'd'\nr'\\d' u'e'\n'''f''' '''g'''\nx = ('h'  # i\n     'j')\n'' \"\"\n"
    ),
    "escapes": "'\\x41\\u00e9\\N{BULLET}\\\n' 'b'\n'\\d' '\\7'\n",
    "formats": (
        "f'{a}b{c.d!r:>3}{{e}}{f(g)[h]}' 'i' f\"{ j }\"\nf'''k\n{l}'''\nrf'\\d{m:.2f}'\nf'n'\n"
    ),
    "formats left to libcst": "f'{a:{b}}{c=}{d[1:2]}{e!r}{f != g}{\"h!r\"}'\nf'{x:}'\n",
    "functions": (
        "@(a)\n@b.c(d)\nasync def f(a, /, b: int = 1, *c: d, e=(f), **g) -> h: return (i)\n"
    ),
    "methods": (
        "class A(B, (C), *d, metaclass=E, **f):\n    x: int\n    y: str = 'z'\n"
        "    def g(self): ...\n"
    ),
    "lambdas": "lambda a, /, b=(1), *c, d, **e: (yield)\nlambda: (a, b)\n",
    "semicolons": "if a:\n    b; c;\nelif (d): e; f;\nelse:\n    while g: h;\nclass I: j; k ;\n",
    "branches": (
        "if a:\n    b\nelse:\n    if c:\n        d\n    elif e:\n        f\n    else:\n        g\n"
    ),
    "loops": "for a in (b, c):\n    d, e = a\n    continue\nelse:\n    while (f): break\n",
    "with": "with (a as b, (c) as (d, e)): pass\nasync def f():\n    async with g, h as i: pass\n",
    "try": "try: a\nexcept (B, C) as e: raise E from e\nexcept: raise\nelse: f\nfinally: g\n",
    "imports": "import a.b as c, d.e\nfrom . import (f as g,  # )\n    h)\nfrom ..i.j import *\n",
    "statements": (
        "assert (a), (b)\ndef f():\n    global g, h\n    nonlocal_ = 1\n    yield from (i)\n"
    ),
    "comprehensions": (
        "[(a) for b in c if (d) if e], {f for g in (h)}, {i: j for k, in l for m in n}\n"
    ),
    "assignments": "a = b[c] = d.e = f\nx += (y)\nz.w //= 1\nq: (r) = (s)\nt: u\n",
    "other letters": "größe = 'ä' + f'ö{größe}ü' + λ(ß)\nif größe: # ä\n    x = ('é', größe)\n",
    "windows": (
        "def f(a):\r\n    return (a,\r\n            'b' 'c',  # d\r\n            f'e{a}')\r\n"
    ),
    "continued": "x = a + \\\n    (b) \\\n    + c\ny = (  \\\n  d, e \\\n)\n",
}
OWN = sorted(Path(dlint.__file__).parent.glob("[cips]*/*.py"))[::4]


@pytest.fixture
def by_libcst(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The parser of Python is not used."""

    def refuse(text: str) -> None:
        raise Unsuited

    monkeypatch.setattr("dlint.index.lower.tree", refuse)
    return monkeypatch


def _same(source: Source, patch: pytest.MonkeyPatch) -> None:
    expected = to_json(lower(source))
    patch.setattr("dlint.index.lower.tree", tree)
    assert to_json(lower(source)) == expected


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_index_is_that_of_libcst(text: str, by_libcst: pytest.MonkeyPatch) -> None:
    tree(text)
    _same(Source("m.py", text), by_libcst)


@pytest.mark.parametrize("text", SNIPPETS.values(), ids=SNIPPETS)
def test_so_it_is_where_spans_are_hard(text: str, by_libcst: pytest.MonkeyPatch) -> None:
    _same(Source("m.py", text), by_libcst)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_so_it_is_of_real_files(path: Path, by_libcst: pytest.MonkeyPatch) -> None:
    _same(read(str(path)), by_libcst)


@pytest.mark.parametrize("text", ["match a:\n    case b: c\n", "if (a := b): a\n"])
def test_what_it_cannot_tell_is_left_to_libcst(text: str) -> None:
    with pytest.raises(Unsuited):
        tree(text)
    assert lower(Source("m.py", text)).body.body.statements
