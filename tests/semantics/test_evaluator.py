"""What expressions hold on which path."""

from __future__ import annotations

import pytest

from dlint.semantics.values.conditional_value import ConditionalValues, ordered, rank
from dlint.semantics.values.conditions import compatible
from tests.semantics.asked import evaluated, evaluator_for, found, questions, shown

VALUES = {
    "and, both known": ("1 and 2", {"2"}),
    "and, the first false": ("0 and 2", {"0"}),
    "or, the first true": ("1 or 2", {"1"}),
    "or, the first false": ("'' or 2", {"2"}),
    "and, the first unknown": ("u and 2", {"False", "2"}),
    "or, the first unknown": ("u or 2", {"True", "2"}),
    "or, an object": ("object() or 2", {"True", "2"}),
    "not": ("not 0", {"True"}),
    "not of something": ("not u", {"True", "False"}),
    "minus": ("-3", {"-3"}),
    "plus": ("+3", {"3"}),
    "bits": ("~3", {"?"}),
    "minus of a text": ("-'a'", {"?"}),
    "a sum": ("1 + 2", {"3"}),
    "a quotient": ("1 / 4", {"0.25"}),
    "by zero": ("1 / 0", {"?"}),
    "a power": ("2 ** 3", {"8"}),
    "too large": ("2 ** 64 + 1", {"?"}),
    "bits of numbers": ("1 | 2", {"?"}),
    "texts": ("'a' + 'b'", {"?"}),
    "of something": ("u + 1", {"?"}),
    "nothing in parts": ("int(0 / u)", {"0"}),
    "nothing in whole parts": ("0 // u", {"0"}),
    "something in parts": ("1 // u", {"?"}),
    "no number of times": ("0 * u", {"?"}),
    "equal": ("1 == 1", {"True"}),
    "ordered": ("2 <= 1", {"False"}),
    "not comparable": ("1 < 'a'", {"True", "False"}),
    "is None": ("None is None", {"True"}),
    "an object is not None": ("[] is not None", {"True"}),
    "a class is None": ("int_class is None", {"False"}),
    "what a library makes is no None": ("torch.Generator() is None", {"False"}),
    "what a library returns may be": ("torch.get() is None", {"True", "False"}),
    "something is None": ("u is None", {"True", "False"}),
    "a device is no text": ("torch.device('cuda') == 'cuda'", {"False"}),
    "a text is no device": ("'cpu' != torch.device(u)", {"True"}),
    "a device may be another": ("torch.device('cuda') == torch.device(u)", {"True", "False"}),
    "a conversion": ("int('7')", {"7"}),
    "a conversion that fails": ("int('x')", {"?"}),
    "a conversion of something": ("int(u)", {"?"}),
    "a conversion of two": ("int('7', 8)", {"'7'"}),
    "a truth": ("bool(3)", {"True"}),
    "a text of a number": ("str(3)", {"'3'"}),
    "a choice": ("1 if u else 2", {"1", "2"}),
    "a choice that is known": ("1 if 3 > 2 else 2", {"1"}),
    "a count of CPUs or": ("os.cpu_count() or 1", {"os.cpu_count()"}),
    "a count of CPUs that is": ("os.cpu_count() is None", {"False"}),
    "a part of the CPUs or": ("u.cpu_count() or 1", {"1", "True"}),
    "a member of a long list": ("5 in (1, 2, 3, 4, 5, 6, 7, 8, 9)", {"True", "False"}),
    "a key": ("'a' in {'a': 1}", {"True"}),
    "no key": ("'b' in {'a': 1}", {"False"}),
    "not a key": ("'b' not in {'a': 1}", {"True"}),
    "perhaps a key": ("'b' in {u: 1}", {"True", "False"}),
    "a key of something": ("'b' in u", {"True", "False"}),
    "a number in a dict": ("1 in {'a': 1}", {"True", "False"}),
}


@pytest.mark.parametrize(("asked", "expected"), VALUES.values(), ids=VALUES)
def test_operators(asked: str, expected: set[str]) -> None:
    text = f"import os, torch\nclass int_class: ...\ndef f(u):\n    reveal({asked})"
    assert evaluated(text) == [expected]


DICTS = {
    "a display": ("{'a': 1}['a']", {"1"}),
    "no such key": ("{'a': 1}['b']", {"?"}),
    "a computed key": ("{'a': 1, u: 2}['a']", {"1", "?"}),
    "the last one wins": ("{'a': 1, 'a': 2}['a']", {"2"}),
    "an unpacked dict": ("{'a': 1, **{'a': 2}}['a']", {"2"}),
    "under an unpacked dict": ("{**{'a': 1}, 'a': 2}['a']", {"2"}),
    "a made dict": ("dict({'a': 1}, b=2)['a']", {"1"}),
    "a made dict, by keyword": ("dict({'a': 1}, a=2)['a']", {"2"}),
    "a keyword beside what is unpacked": ("dict(a=2, **u)['a']", {"2"}),
    "one of two": ("({'a': 1} if u else {'a': 2})['a']", {"1", "2"}),
    "one over another": ("({'a': 1} | {'b': 2})['a']", {"1"}),
    "one instead of another": ("(u or {'a': 1})['a']", {"?"}),
    "get": ("{'a': 1}.get('a', 5)", {"1"}),
    "get, not there": ("{'a': 1}.get('b', 5)", {"5"}),
    "get, not there, no default": ("{'a': 1}.get('b')", {"None"}),
    "pop": ("{'a': 1}.pop('a')", {"1"}),
    "pop with a default": ("{'a': 1}.pop('b', 5)", {"5"}),
    "get of something": ("u.get('a', 5)", {"?", "~5"}),
    "get by a computed key": ("{'a': 1}.get(u, 5)", {"1"}),
}


@pytest.mark.parametrize(("asked", "expected"), DICTS.values(), ids=DICTS)
def test_items_of_dicts(asked: str, expected: set[str]) -> None:
    assert evaluated(f"def f(u):\n    reveal({asked})") == [expected]


UNPACKED = {
    "a part that is computed": ("a, b = u, 1 + 2\n    reveal(b)", {"3"}),
    "the first one": ("a, b = 1 + 2, u\n    reveal(a)", {"3"}),
    "a default": ("a, b = u, d\n    reveal(b)", {"~5"}),
    "an attribute": ("o.a, o.b = u, 1 + 2\n    reveal(o.b)", {"?"}),
    "exchanged": ("a, b = 1 + 2, 3 + 4\n    a, b = b, a\n    reveal(a)", {"7"}),
    "behind a starred part": ("a, b, c = *u, 1 + 2, 4\n    reveal(b)", {"?", "4"}),
    "not there": ("a, b = (1 + 2,)\n    reveal(b)", {"?"}),
    "of something": ("a, b = u\n    reveal(b)", {"?"}),
    "in nested displays": ("a, (b, c) = u, (1, 1 + 2)\n    reveal(c)", {"3"}),
    "exchanged in a loop": (
        "a, b = 1 + 2, 3 + 4\n    for x in u:\n        a, b = b, a\n    reveal(a)",
        {"3", "7", "?"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), UNPACKED.values(), ids=UNPACKED)
def test_what_an_assignment_unpacks(text: str, expected: set[str]) -> None:
    assert evaluated(f"def f(u, o, d=5):\n    {text}") == [expected]


WRITES = {
    "an item": ("d['a'] = 2", {"2"}),
    "another item": ("d['b'] = 2", {"1"}),
    "a computed item": ("d[u] = 2", {"1", "?"}),
    "under a test": ("if u:\n    d['a'] = 2", {"1", "2"}),
    "under a known test": ("if 1 > 2:\n    d['a'] = 2", {"1"}),
    "under two tests": ("if u:\n    if v:\n        d['a'] = 2", {"1", "2"}),
    "update": ("d.update({'a': 2})", {"2"}),
    "update by keyword": ("d.update(a=2)", {"2"}),
    "update with something": ("d.update(u)", {"?"}),
    "setdefault": ("d.setdefault('a', 2)", {"1"}),
    "deleted": ("del d['a']", {"?"}),
    "another one deleted": ("del d['b']", {"1"}),
    "one deleted": ("del d[u]", {"1", "?"}),
    "popped": ("d.pop('a')", {"?"}),
    "by a function": ("change(d)", {"?"}),
    "by a function, by keyword": ("change(given=d)", {"?"}),
    "by a function that updates": ("merge(d)", {"1", "?"}),
    "by a function that only reads": ("read(d)", {"1"}),
    "by a method": ("Tool().change(d)", {"?"}),
    "by a function in *args": ("change(*d)", {"1"}),
    "afterwards": ("pass\nx = 1", {"1"}),
}


@pytest.mark.parametrize(("text", "expected"), WRITES.values(), ids=WRITES)
def test_what_is_written_to_a_dict(text: str, expected: set[str]) -> None:
    body = "\n".join(f"    {line}" for line in text.splitlines())
    program = f"""
def change(given): given['a'] = 2
def merge(given): given.update(x)
def read(given): print(given['a'])
class Tool:
    def change(self, given): given['a'] = 2
def f(u, v):
    d = {{'a': 1}}
{body}
    reveal(d['a'])
    d['a'] = 9
"""
    assert evaluated(program) == [expected]


PASSED = {
    "**kwargs": ("def f(**k):\n    reveal(k['a'])\nf(a=1)", {"1"}),
    "**kwargs of two calls": ("def f(**k):\n    reveal(k['a'])\nf(a=1)\nf(a=2)", {"1", "2"}),
    "**kwargs without it": ("def f(**k):\n    reveal(k['a'])\nf(b=1)", {"?"}),
    "**kwargs of a dict": ("def f(**k):\n    reveal(k['a'])\nf(**{'a': 1})", {"1"}),
    "a parameter's own name": ("def f(a, **k):\n    reveal(k.get('a', 3))\nf(**{'a': 1})", {"3"}),
    "handed on": (
        "def f(**k):\n    g(**k)\ndef g(a=0, **more):\n    reveal(a)\nf(a=1)",
        {"1"},
    ),
    "a dict that is passed": ("def f(d):\n    reveal(d['a'])\nf({'a': 1})", {"1"}),
    "a default dict": ("def f(d={'a': 1}):\n    reveal(d['a'])\nf()", {"1"}),
    "a dict that may be passed": ("def f(d={'a': 1}):\n    reveal(d['a'])\nf(**x)", {"?"}),
    "nobody calls": ("def f(d):\n    reveal(d['a'])", {"?"}),
    "a returned dict": ("def f():\n    return {'a': 1}\nreveal(f()['a'])", {"1"}),
    "a returned dict, written": (
        "def f():\n    d = {'a': 1}\n    d['a'] = 2\n    return d\nreveal(f()['a'])",
        {"2"},
    ),
    "one of two returned": (
        "def f(u):\n    if u:\n        return {'a': 1}\n    return {'a': 2}\nreveal(f(x)['a'])",
        {"1", "2"},
    ),
    "a global dict": ("D = {'a': 1}\ndef f():\n    reveal(D['a'])", {"1"}),
    "a global dict, written": ("D = {'a': 1}\nD['a'] = 2\ndef f():\n    reveal(D['a'])", {"2"}),
    "a namespace": (
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('--a', default=1)\n"
            "reveal(vars(p.parse_args())['a'])"
        ),
        {"~1"},
    ),
    "a namespace as a dict": (
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('--a', default=1)\n"
            "def g(args):\n    f(**args.__dict__)\ndef f(a):\n    reveal(a)\ng(p.parse_args())"
        ),
        {"~1"},
    ),
    "an item of *x": ("def f(a, b):\n    reveal(b)\nf(*[1, 2])", {"2"}),
    "an item behind *x": ("def f(a, b=7):\n    reveal(b)\nf(*[1])", {"~7"}),
    "an item of some *x": ("def f(a, b):\n    reveal(b)\nf(*x)", {"?"}),
    "a default": ("def f(a=3):\n    reveal(a)\nf()", {"~3"}),
    "a return of two": (
        "def f(u):\n    if u:\n        return 1\n    return 2\nreveal(f(x))",
        {"1", "2"},
    ),
    "no return": ("def f(): ...\nreveal(f())", {"?"}),
}


@pytest.mark.parametrize(("text", "expected"), PASSED.values(), ids=PASSED)
def test_what_calls_pass(text: str, expected: set[str]) -> None:
    assert evaluated(text) == [expected]


FIELDS = {
    "one write": ("self.size = 1", {"1"}),
    "two writes": ("self.size = 1\n        self.size = 2", {"1", "2"}),
    "a test": ("self.size = 1 if u else 2", {"1", "2"}),
    "a parameter": ("self.size = given", {"8"}),
    "an item": ("self.size = {'a': 1}['a']", {"1"}),
    "a function": ("self.size = lambda: 1", {"function <lambda>"}),
}


@pytest.mark.parametrize(("text", "expected"), FIELDS.values(), ids=FIELDS)
def test_attributes_of_objects(text: str, expected: set[str]) -> None:
    program = f"""
class A:
    def __init__(self, given, u):
        {text}
a = A(8, x)
reveal(a.size)
"""
    assert evaluated(program) == [expected]


def test_what_others_write_makes_an_attribute_any_of_these() -> None:
    text = "class A:\n    def __init__(self):\n        self.size = 1\na = A()\na.size = 2\n"
    assert evaluated(f"{text}reveal(a.size)") == [{"1", "2"}]


def test_a_dataclass_that_a_settings_file_fills_is_left_to_the_solver() -> None:
    text = """
        from dataclasses import dataclass
        @dataclass
        class Config:
            size: int = 3
        def f(given):
            c = Config(**given)
            reveal(c.size)
    """
    assert evaluated(text) == [{"3", "?"}]


NAMES = {
    "a global": ("N = 1\ndef f():\n    reveal(N)", {"1"}),
    "a global that is bound again": ("N = 1\nN = 2\ndef f():\n    reveal(N)", {"2"}),
    "a global under a test": (
        "if x:\n    N = 1\nelse:\n    N = 2\ndef f():\n    reveal(N)",
        {"1", "2"},
    ),
    "an outer function's": ("def f():\n    n = 1\n    def g():\n        reveal(n)", {"1"}),
    "not a class's": ("n = 1\nclass A:\n    n = 2\n    def f(self):\n        reveal(n)", {"1"}),
    "nonlocal": (
        (
            "def f():\n    n = 1\n    def g():\n        nonlocal n\n"
            "        def h():\n            reveal(n)"
        ),
        {"1"},
    ),
    "a declared global": (
        "n = 1\ndef f():\n    n = 2\n    def g():\n        global n\n        reveal(n)",
        {"1"},
    ),
    "a builtin": ("reveal(print)", {"builtins.print"}),
    "nobody's": ("reveal(nobody)", {"?"}),
}


@pytest.mark.parametrize(("text", "expected"), NAMES.values(), ids=NAMES)
def test_names(text: str, expected: set[str]) -> None:
    assert evaluated(text) == [expected]


def test_names_of_other_modules() -> None:
    files = {
        "main.py": "from one import N, f\nreveal(N)\nreveal(f)",
        "one.py": "N = 1\nN = 2\ndef f(): ...",
    }
    assert evaluated(files) == [{"2"}, {"function f"}]


def _together(values: list[ConditionalValues]) -> set[tuple[str, str]]:
    """The pairs of two answers that may hold at once."""
    left, right = values
    return {
        (shown(a.value), shown(b.value))
        for a in left
        for b in right
        if compatible(a.path_condition, b.path_condition)
    }


TOGETHER = {
    "one name": "a = 1 if u else 2\n    b = 3 if u else 4",
    "not": "a = 1 if u else 2\n    b = 4 if not u else 3",
    "a comparison": "a = 1 if u == 0 else 2\n    b = 4 if u != 0 else 3",
    "an order": "a = 1 if u > 0 else 2\n    b = 4 if u <= 0 else 3",
    "an attribute": "a = 1 if u.x else 2\n    b = 3 if u.x else 4",
    "a call without arguments": "a = 1 if u.x() else 2\n    b = 3 if u.x() else 4",
    "an attribute by its name": 'a = 1 if getattr(u, "x", 0) else 2\n    b = 3 if u.x else 4',
    "its truth": "a = 1 if bool(u) else 2\n    b = 3 if u else 4",
    "another name for it": "v = u.x\n    a = 1 if v else 2\n    b = 3 if u.x else 4",
    "statements": ("if u:\n        a = 1\n    else:\n        a = 2\n    b = 3 if u else 4"),
}


@pytest.mark.parametrize("text", TOGETHER.values(), ids=TOGETHER)
def test_what_one_test_decides_goes_together(text: str) -> None:
    values = found(f"def f(u):\n    {text}\n    reveal(a)\n    reveal(b)")
    assert _together(values) == {("1", "3"), ("2", "4")}


APART = {
    "two names": "a = 1 if u else 2\n    b = 3 if v else 4",
    "two attributes": "a = 1 if u.x else 2\n    b = 3 if u.y else 4",
    "calls with arguments": "a = 1 if u(1) else 2\n    b = 3 if u(1) else 4",
}


@pytest.mark.parametrize("text", APART.values(), ids=APART)
def test_what_two_tests_decide_goes_any_way(text: str) -> None:
    values = found(f"def f(u, v):\n    {text}\n    reveal(a)\n    reveal(b)")
    assert len(_together(values)) == 4


def test_too_many_values_are_unknown() -> None:
    choices = " + ".join(f"({10**i} if u{i} else 0)" for i in range(7))
    names = ", ".join(f"u{i}" for i in range(7))
    assert evaluated(f"def f({names}):\n    reveal({choices})") == [{"?"}]


def test_a_name_that_is_made_of_itself_ends() -> None:
    assert "?" in evaluated("def f(n=1):\n    return f(n + 1)\nreveal(f())")[0]


ORDERED = """
import argparse
class A:
    def m(self): ...
class B(A): ...
def f():
    p = argparse.ArgumentParser()
    q = argparse.ArgumentParser()
    one, two = p.parse_args(), q.parse_args()
    g = lambda: 1
    h = lambda: 2
    d, e = {}, {}
    x = [one, two, g, h, d, e, A().m, B().m, A, B, A(), B(), 1, "1", None, zip(d, e)]
    for value in x:
        reveal(value)
"""


def test_values_have_one_order() -> None:
    evaluator = evaluator_for(ORDERED)
    [call] = questions(evaluator)
    frame = evaluator.solver.root(call.scope)
    values = list(evaluator.solver.values(call.arguments[0].value, frame))
    assert len({rank(value) for value in values}) == len(values) == 16
    assert ordered(values) == ordered(reversed(values))
