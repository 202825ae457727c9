"""Trees by Python's own parser: they lower to what libcst's lower to."""

import sys
from pathlib import Path

import pytest

from dlint.ir import lower as lowering
from dlint.ir.ast_tree import quick_tree
from dlint.ir.expressions import Item
from dlint.ir.lower_layouts import LAYOUTS
from dlint.ir.serial import to_json
from dlint.workspace.source import Source

_TEXTS = [
    "x = (a)\ny = ((a, b), (c), (d,), ())\n",
    "a, (b, *c), [d, (e)], f.g, h[0] = value\n(i) = (j), = k\n",
    "f((a), *b, (  # one (\n (c)\n), d=(e), *g, **(h))\nf(*a, b=1, *c)\n",
    "(f)((a))\nf(a for a in b)\nf((a for a in (b) if (c) ))\nf((a, b))\n",
    "class A((B), *C, metaclass=(D), **e): pass\nclass F: x: int = 1; y: (str)\n",
    "x[1], x[1:2, ::3], x[(1, 2)], x[1,], x[a:(b)], x[:, (c, d)]\n",
    "a or b or (c) or d\n(a and b) and c\nnot -x ** ~y @ z // 2\n",
    "a < b is not c not in (d) != e\n(a if b else (c)) if d else e\n",
    "x = 'a' \"b\" f'{c}' r'\\d' '' \"\" '''f'g''' u'\\n' 'it\\'s' '''a''' '''b'''\n",
    "x = ('a'\n  # why\n  f'b{c!r:>{d}}{e=}{{' 'g')\ny = f'{x}' + rf'\\{y}' + b'a' b'b' + b'c'\n",
    'x = f\'a{{b}} {c.d[0]!r:>4} {e (f, -1)}\', rf\'\\d{ g+1 }\', F"""h\n{i}\nj{k, l}"""\n',
    "x = f'', f'{a:}', f'{b!r}', f'{c + (d if e else f)}', f'{g}' if h else f'\\N{BULLET}{i}'\n",
    "x = f'{a:{b}}', f'{c=}', f'{(d)}', f'{{', f'{e[\"f\"]}', f'ä{g}', f'{ä}'\n",
    "x = 1_0, 0x1F, 1.5e3, 2j, ..., True, None\n",
    "x = {a: b, **c}, {a, *b}, {a: b for a, b in c}, {a for a in b for c in a if c if d}\n",
    "x = [a for (a), b in c], (yield), (yield a), (yield from b)\n",
    "async def f(a, /, b: (int) = 1, *c, d, e=2, **g) -> int:\n    await a\n",
    "async def f():\n    async for x in y: pass\n    async with z as (p, q), r: return (a), b\n",
    "@a\n@ b.c(1)  # @\ndef f(): global x, y; x = 1;\n",
    "@d\nclass G:\n    @e\n    async def h(self): a ; b \\\n; \nif c: d;\nelse:\n    e;\n",
    "f = lambda a, *b, c=(d), **e: (a)\ng = lambda: (yield)\n",
    "if (a): b\nelif c:\n    d; e\nelse:\n    if f: g\nwhile h:\n    break\nelse: i\n",
    "for (a), b in (c): continue\nelse: d\nfor a, in b: a += (1)\n",
    "try:\n    a\nexcept (B): c\nexcept (D, E) as f: raise g from (h)\nelse: i\nfinally: j\n",
    "import a.b, c as d\nfrom . import e\nfrom ..f.g import (h as i, j,)\nfrom k import *\n",
    "del a, (b), c[0]\ndel (a, b)\ndel (a)\ndel a,\nassert a, (b)\nassert c\n",
    "with (a as b, c as d): pass\nwith (a): pass\nwith a, (b) as c.d: pass\n",
    "x = 'ä' + ü(ö)  # ß\ny = f'ä{ö}' 'é'\nif (n := 10) > 5: [m := n for _ in x]\n",
    "x = a \\\n  + b\r\ny = (c,\r\n  d)\r\nz = '''a\r\nb'''\r\n",
    "def f():\n    def g():\n        nonlocal a\n        return\n    a = yield\n",
]
_LIBCST = [
    "x = 1\f\n",
    "x = 1\ry = 2\n",
    "match x:\n    case 1: pass\n",
    "x[*a]\n",
    "@(a)\ndef f(): 0\n",
]


def _by(text: str, quick: object, monkeypatch: pytest.MonkeyPatch) -> str:
    with monkeypatch.context() as patched:
        patched.setattr(lowering, "quick_tree", quick)
        return to_json(lowering.lower(Source("a.py", text)))


@pytest.mark.parametrize("text", _TEXTS)
def test_it_lowers_to_what_libcst_s_tree_does(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert quick_tree(text) is not None
    found = _by(text, quick_tree, monkeypatch)
    assert found == _by(text, lambda _: None, monkeypatch)


@pytest.mark.parametrize(
    "path", [*Path(lowering.__file__).parent.glob("*.py")], ids=lambda path: path.name
)
def test_so_do_real_files(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text("utf-8")
    assert _by(text, quick_tree, monkeypatch) == _by(text, lambda _: None, monkeypatch)


@pytest.mark.parametrize(
    "text", ["f'a {b.c(d, 2):.4f}{e!s} }}'", "f'{a[i] % 2}'", 'f"""{a}\n{b}"""']
)
def test_plain_strings_with_expressions_cost_no_parse_by_libcst(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("libcst.parse_expression", lambda text: pytest.fail(text))
    assert quick_tree(f"x = {text}\n") is not None


@pytest.mark.parametrize("text", _LIBCST)
def test_what_is_rare_or_counted_otherwise_is_left_to_libcst(text: str) -> None:
    assert quick_tree(text) is None


def test_what_is_no_python_of_this_version_is_left_to_libcst() -> None:
    assert quick_tree("x = = 1\n") is None
    if sys.version_info < (3, 12):
        assert quick_tree("type A = int\n") is None


@pytest.mark.parametrize("text", _TEXTS)
def test_its_nodes_hold_all_that_layouts_name(text: str) -> None:
    tree = quick_tree(text)
    assert tree is not None
    for node in tree[1]:
        for is_field, step in LAYOUTS[type(node)].steps:
            assert not is_field or hasattr(node, step)


def test_parentheses_of_a_header_are_none_of_what_follows_it() -> None:
    text = "def f():\n    (a, b), c = d\n"
    index = lowering.lower(Source("a.py", text))
    tuple_item = index.scopes[1].definitions[0].value
    assert isinstance(tuple_item, Item)
    assert isinstance(tuple_item.value, Item)
    assert text[slice(*tuple_item.value.span)] == "(a, b)"
