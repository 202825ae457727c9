"""Which definition reaches which read."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from dlint.ir import expressions as ir

CASES = {
    "straight": ("x = 1\nx = 2\nuse(x)", "2"),
    "free": ("use(x)", "?x"),
    "if": ("x = 1\nif t: x = 2\nuse(x)", "(2 if ?t else 1)"),
    "else": ("if t: x = 1\nelse: x = 2\nuse(x)", "(1 if ?t else 2)"),
    "elif": (
        "if s: x = 1\nelif t: x = 2\nelse: x = 3\nuse(x)",
        "(1 if ?s else (2 if ?t else 3))",
    ),
    "unbound on one branch": ("if t: x = 1\nuse(x)", "(1 if ?t else ?x)"),
    "same on both": ("x = 1\nif t: y = 2\nuse(x)", "1"),
    "test is lowered before": ("x = 1\nif x: x = 2\nuse(x)", "(2 if 1 else 1)"),
    "then leaves": ("x = 1\nif t:\n  x = 2\n  return\nuse(x)", "1"),
    "else leaves": ("x = 1\nif t: x = 2\nelse: raise E\nuse(x)", "2"),
    "both inner leave": (
        "x = 1\nif t:\n  x = 2\n  if s: return\n  else: raise E\nuse(x)",
        "1",
    ),
    "behind a jump": ("x = 1\nreturn\nx = 2\nuse(x)", "2"),
    "for target": ("for x in xs: use(x)", "each ?xs"),
    "for unpacks": ("for i, (a, *x) in e(d): use(x)", "*#1 of #1 of each ?e(?d)"),
    "rebound in a loop": (
        "x = 1\nfor i in r:\n  use(x)\n  x = 2",
        "{1 | 2}",
    ),
    "grows in a loop": ("x = 1\nfor i in r:\n  x += 1\nuse(x)", "{1 | (^x + 1)}"),
    "free before a loop": ("for i in r: x = 2\nuse(x)", "{?x | 2}"),
    "untouched in a loop": ("x = 1\nfor i in r: use(x)", "1"),
    "break": (
        "x = 1\nfor i in r:\n  x = 2\n  break\nuse(x)",
        "{{1} | 2}",
    ),
    "continue": (
        "x = 1\nwhile t:\n  use(x)\n  if s:\n    x = 2\n    continue\n  x = 3",
        "{1 | 3 | 2}",
    ),
    "loop else": (
        "for i in r:\n  x = 1\n  if t: break\nelse: x = 2\nuse(x)",
        "{2 | 1}",
    ),
    "while tests its own binding": ("while x := f(): use(x)", "?f()"),
    "while true leaves by break": (
        "x = 1\nwhile True:\n  x = 2\n  if t: break\n  x = 3\nuse(x)",
        "2",
    ),
    "while true never ends": (
        "x = 1\nif t:\n  while True: x = 2\nuse(x)",
        "1",
    ),
    "walrus in a loop": (
        "x = 1\nfor i in r:\n  use(x)\n  f(x := 2)",
        "{1 | 2}",
    ),
    "nested loops": (
        "x = 1\nfor i in r:\n  for j in s:\n    x = 2\nuse(x)",
        "{1 | {^x | 2}}",
    ),
    "try": ("try: x = 1\nexcept E: x = 2\nuse(x)", "{1 | 2}"),
    "handler": (
        "x = 1\ntry:\n  x = 2\n  x = 3\nexcept E: use(x)",
        "{1 | 2 | 3}",
    ),
    "handler leaves": ("try: x = 1\nexcept E: raise\nuse(x)", "1"),
    "try else": ("x = 1\ntry: f()\nexcept E: pass\nelse: x = 2\nuse(x)", "{2 | 1}"),
    "finally": ("try: x = 1\nfinally: use(x)", "1"),
    "exception": ("try: f()\nexcept E as x: use(x)", "opaque()"),
    "exception is unbound": ("try: f()\nexcept E as x: pass\nuse(x)", "?x"),
    "with": ("with f() as (a, x): use(x)", "#1 of entered ?f()"),
    "match": (
        "x = 1\nmatch s:\n  case 1: x = 2\n  case 2: x = 3\nuse(x)",
        "{2 | 3 | 1}",
    ),
    "match all": ("x = 1\nmatch s:\n  case 1: x = 2\n  case _: x = 3\nuse(x)", "{2 | 3}"),
    "capture": ("match s:\n  case C(k=[1, *x]): use(x)", "opaque()"),
    "del": ("x = 1\ndel x\nuse(x)", "?x"),
    "del several": ("x = 1\ndel (y, x)\nuse(x)", "?x"),
    "chained": ("x = y = 1\nuse(x)", "1"),
    "unpacked": ("a, *b, x = v\nuse(x)", "#-1 of ?v"),
    "starred": ("a, *x, b = v\nuse(x)", "*#1 of ?v"),
    "annotated": ("x: int = 1\nuse(x)", "1"),
    "annotated only": ("x = 1\nx: int\nuse(x)", "1"),
    "augmented": ("x = 1\nx //= 2\nuse(x)", "(1 // 2)"),
    "walrus": ("f(x := 1)\nuse(x)", "1"),
    "comprehension hides": ("x = 1\n[x for x in xs]\nuse(x)", "1"),
    "comprehension leaks nothing": ("[x for x in xs]\nuse(x)", "?x"),
    "walrus in a comprehension": ("[(x := i) for i in xs]\nuse(x)", "each ?xs"),
    "import": ("import x.y\nuse(x)", "import x:"),
    "import as": ("import a.b as x\nuse(x)", "import a.b:"),
    "import from": ("from ..a import b as x\nuse(x)", "import ..a:b"),
    "lazy import": ("lazy from a import x\nuse(x)", "import a:x"),
    "def": ("def x(): pass\nuse(x)", "def {0}x"),
    "class": ("class x: pass\nuse(x)", "class {0}x"),
    "global": ("global x\nx = 1\nuse(x)", "?x"),
    "type": ("type x = int\nuse(x)", "?int"),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_in_a_function(module, show, text: str, expected: str) -> None:
    index = module("def outer(use):\n" + indent(text, "    "))
    (argument,) = next(call for call in index.scopes[1].calls if _uses(call)).arguments
    assert show(argument.value) == expected.replace("{0}", "outer.<locals>.")


@pytest.mark.parametrize(
    "binding",
    [
        "x = 1",
        "a, (x, *b) = 1",
        "x: int = 1",
        "x += 1",
        "import x",
        "import x.y",
        "import a as x",
        "from a import x",
        "def x(): pass",
        "class x: pass",
        "type x = a",
        "for x in a: pass",
        "while a: x = 1",
        "with a as (x, b): pass",
        "match a:\n    case [x]: pass",
        "match a:\n    case [*x]: pass",
        "match a:\n    case {**x}: pass",
        "match a:\n    case [1] as x: pass",
        "try: pass\n  except a: x = 1",
        "if (x := a): pass",
        "f([(x := b) for b in a])",
    ],
)
def test_loops_know_all_that_their_body_binds(module, show, binding: str) -> None:
    index = module(f"x = 0\nfor i in r:\n  use(x)\n  {binding}\n")
    (argument,) = next(call for call in index.body.calls if _uses(call)).arguments
    head = argument.value.definition.value
    assert isinstance(head, ir.Join)
    assert len(head.alternatives) == 2


@pytest.mark.parametrize(
    "other",
    [
        "def f(): x = 1",
        "class C: x = 1",
        "lambda: (x := 1)",
        "x: int",
        "x.a = x[0] = 1",
        "[x for x in a]",
    ],
)
def test_loops_know_what_their_body_does_not_bind(module, show, other: str) -> None:
    index = module(f"x = 0\nfor i in r:\n  use(x)\n  {other}\n")
    (argument,) = next(call for call in index.body.calls if _uses(call)).arguments
    assert show(argument.value) == "0"


def _uses(call: ir.Call) -> bool:
    return isinstance(call.function, ir.Reference) and call.function.name == "use"


def test_in_a_module(module, show) -> None:
    index = module("x = 1\nif t:\n    x = 2\nuse(x)")
    assert show(index.body.calls[0].arguments[0].value) == "(2 if ?t else 1)"


def test_meetings_are_no_bindings(module) -> None:
    index = module("x = 1\nif t: x = 2\nfor i in r: x = 3\n[x for x in r]")
    assert [d.name for d in index.body.definitions] == ["x", "x", "i", "x"]


def test_names_of_outer_scopes_are_free(module, show) -> None:
    index = module("x = 1\ndef f():\n    return x\n")
    assert show(index.scopes[1].returns[0]) == "?x"


def test_declared_names_are_bound_and_read_as_free(module) -> None:
    index = module("def f():\n    nonlocal y\n    global x\n    x = y = 1\n    return x")
    function = index.scopes[1]
    assert (function.globals, function.nonlocals) == ({"x"}, {"y"})
    assert len([*function.bindings("x")]) == 1
    assert function.final == {}


def test_final_names_the_end_of_the_body(module, show) -> None:
    index = module("x = 1\nif t: x = 2\ny = 3\ndel y")
    final = {name: show(value) for name, value in index.body.final.items()}
    assert final == {"x": "(2 if ?t else 1)"}


def test_final_joins_the_returns_of_a_body_that_has_no_end(module, show) -> None:
    index = module(
        dedent("""
        def f():
            if t:
                x = 1
                return x
            x = 2
            return x
        """)
    )
    assert show(index.scopes[1].final["x"]) == "{1 | 2}"


def test_class_bodies_see_their_own_names(module, show) -> None:
    index = module("class C:\n    x = 1\n    y = x\n    def f(self): return x\n")
    body, method = index.scopes[1:]
    assert show(body.final["y"]) == "1"
    assert show(method.returns[0]) == "?x"
