"""Keyed comprehensions: what a dict comprehension makes under a key."""

from __future__ import annotations

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.keyed_comprehensions import KeyedComprehensions
from dlint.ir import expressions as ex
from tests.analyses.control.programs import MakeProgram

_OBJECT = """
class C:
    def __init__(self):
        self.d = {k: make(k) for k in table}

    def run(self):
        ask(self.d['a'])

C().run()
"""


def _item(analysed: AnalysisContext) -> ex.Expression | None:
    """What makes the item that `ask(…)` is given."""
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    (read,) = [argument.value for argument in call.arguments]
    assert isinstance(read, ex.Subscript)
    found = analysed[KeyedComprehensions].item(read, analysed.solver.root(call.scope))
    return None if found is None else found[0]


def _given(context: MakeProgram, text: str) -> list[ex.Expression] | None:
    """What `make` is given for the item that `ask(…)` is given."""
    made = _item(context(f"from x import make, table\n{text}\n"))
    assert made is None or isinstance(made, ex.Call)
    return None if made is None else [a.value for a in made.arguments]


@pytest.mark.parametrize(
    "text",
    [
        "d = {k: make(k) for k in table}\nask(d['a'])",
        "d = {k: make(k) for k, way in table.items()}\nask(d['a'])",
        "def f():\n    return {k: make(k) for k in ('a', 'b')}\nask(f()['a'])",
        _OBJECT,
    ],
)
def test_the_key_stands_for_its_name(context: MakeProgram, text: str) -> None:
    (given,) = _given(context, text) or ()
    assert isinstance(given, ex.Constant)
    assert given.value == "a"


def test_a_dict_of_what_is_zipped_is_read_at_the_place_of_the_key(context: MakeProgram) -> None:
    analysed = context("from x import rows\nd = dict(zip(('b', 'a'), rows))\nask(d['a'])\n")
    part = _item(analysed)
    assert isinstance(part, ex.Subscript)
    assert isinstance(part.index, ex.Constant)
    assert part.index.value == 1


def test_values_of_items_are_read_by_the_key(context: MakeProgram) -> None:
    (given,) = _given(context, "d = {k: make(v) for k, v in table.items()}\nask(d['a'])") or ()
    assert isinstance(given, ex.Subscript)
    assert isinstance(given.index, ex.Constant)
    assert given.index.value == "a"


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ("k, v in zip(('b', 'a'), table)", 1),
        ("v, k in zip(table, ['a', 'b'])", 0),
        ("k, v, w in zip(('b', 'c', 'a'), table, table)", 2),
        ("k, v in zip(names, table)", 0),
    ],
)
def test_what_is_zipped_with_names_is_read_at_the_place_of_the_key(
    context: MakeProgram, pairs: str, expected: int
) -> None:
    text = f"names = 'a', 'b'\nd = {{k: make(v, k) for {pairs}}}\nask(d['a'])"
    given, key = _given(context, text) or ()
    assert isinstance(given, ex.Subscript)
    assert isinstance(given.value, ex.Reference)
    assert isinstance(given.index, ex.Constant)
    assert (given.value.name, given.index.value) == ("table", expected)
    assert isinstance(key, ex.Constant)
    assert key.value == "a"


@pytest.mark.parametrize(
    "text",
    [
        "d = {k: make(v) for k, v in zip(table, ('a', 'b'))}\nask(d['a'])",
        "d = {k: make(v) for k, v in zip(('b', 'c'), table)}\nask(d['a'])",
        "d = {k: make(v) for k, v in zip(('a', table), table)}\nask(d['a'])",
        "d = {k: make(v) for k, v in zip(*table)}\nask(d['a'])",
        "from x import zip\nd = {k: make(v) for k, v in zip(('a', 'b'), table)}\nask(d['a'])",
        "d = {k: make(k) for k in table if k}\nask(d['a'])",
        "d = {k + 'x': make(k) for k in table}\nask(d['ax'])",
        "d = {k: make(k) for k in table}\nd['a'] = make('b')\nask(d['a'])",
        "d = {k: make(k) for k in table}\nd.update(table)\nask(d['a'])",
        "d = {k: make(k) for k in table}\ndef f(k):\n    ask(d[k])",
        "d = [make(k) for k in table]\nask(d[0])",
    ],
)
def test_what_is_not_certain_is_given_up_on(context: MakeProgram, text: str) -> None:
    assert _given(context, text) is None


_LOOPS = """
from x import a, b, c, make, table, name

def made():
    return {{k: make(k) for k in table}}

def run():
    d = {made}
    {then}
    {loop}
"""


@pytest.mark.parametrize("loop", ["for k, v in d.items(): ask(v)", "for v in d.values(): ask(v)"])
@pytest.mark.parametrize(
    ("made", "then", "expected"),
    [
        ("made()", "pass", ["make(k)"]),
        ("{k: make(k) for k in table if k}", "pass", ["make(k)"]),
        ("{'a': a, 'b': make(b)}", "pass", ["a", "make(b)"]),
        ("{**a, 'b': b}", "pass", []),
        ("{k for k in table}", "pass", []),
        ("made()", "d['a'] = c", []),
        ("made()", "d.update(c)", []),
        ("table", "pass", []),
    ],
)
def test_what_a_loop_over_values_brings(
    context: MakeProgram, made: str, then: str, loop: str, expected: list[str]
) -> None:
    assert _each(context, made, then, loop) == expected


def test_a_key_that_is_not_known_takes_one_of_the_values(context: MakeProgram) -> None:
    assert _each(context, "{'a': a, 'b': b}", "pass", "ask(d[name])") == ["a", "b"]
    assert not _each(context, "{'a': a, 'b': b}", "pass", "for k, v in d.items(): ask(k)")
    assert not _each(context, "{'a': a, 'b': b}", "pass", "for k in d: ask(k)")


def _each(context: MakeProgram, made: str, then: str, loop: str) -> list[str]:
    """The texts of what `ask(…)` may be given, as a value of a dict."""
    text = _LOOPS.format(made=made, then=then, loop=loop)
    analysed = context(text)
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    given, root = ex.unnamed(call.arguments[0].value), analysed.solver.root(call.scope)
    found = analysed[KeyedComprehensions].each_value(given, root)
    return [text[slice(*value.span)] for value, _ in found]
