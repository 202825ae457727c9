"""Which parts of a sample are Python lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.samples.list_fields import FieldName, Key, field, is_list

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask([1, 2])", True),
        ("ask((1, 2))", False),
        ("ask([[1, 2], [3, 4]][i])", True),
        ("ask([1, 2][i])", False),
        ("ask([f(x) for x in xs][:3])", True),
        ("ask(torch.zeros(3, 4).tolist()[i])", True),
        ("ask(torch.zeros(3).tolist()[i])", False),
        ("ask(x.tolist())", False),
        ("ask(sorted(xs))", True),
        ("ask([1] if flag else torch.zeros(1))", False),
    ],
)
def test_lists(context: MakeProgram, text: str, found: bool) -> None:
    analysed = context(f"import torch\n{text}\n")
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    value = call.arguments[0].value
    assert is_list(analysed, value, analysed.solver.root(call.scope)) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask(list(d.values())[i])", True),
        ("for v in d.values():\n    ask(v)", True),
        ("for k, v in d.items():\n    ask(v)", True),
        ("for k, v in d.items():\n    ask(k)", False),
        ("for v in d.values():\n    ask(v[0])", False),
        ("d['a'] = x\nfor v in d.values():\n    ask(v)", False),
        ("d.update(x)\nfor v in d.values():\n    ask(v)", False),
        ("x(d)\nfor v in d.values():\n    ask(v)", False),
        ("print(d)\nfor v in d.values():\n    ask(v)", True),
    ],
)
def test_values_of_a_default_dict(context: MakeProgram, text: str, found: bool) -> None:
    made = "from collections import defaultdict\nd = defaultdict(list)\nd[k].append(1)\n"
    test_lists(context, made + text, found)
    test_lists(context, made.replace("list", "set") + text, False)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask([0.0] * n)", True),
        ("ask(n * [0.0])", True),
        ("ask([1] + [2])", True),
        ("ask([1] + x)", False),
        ("ask(2 * 3)", False),
    ],
)
def test_sums_and_multiples(context: MakeProgram, text: str, found: bool) -> None:
    test_lists(context, text, found)


PAIR = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    x: list\n    y: int\n"


@pytest.mark.parametrize(
    ("result", "key", "found"),
    [
        ("Pair([1], 2)", FieldName("x"), "[1]"),
        ("Pair(y=2, x=[1])", FieldName("x"), "[1]"),
        ("Pair(y=2, x=[1])", 1, "2"),
        ("Pair([1], 2)", FieldName("z"), None),
        ("Pair([1], 2)", "x", None),
        ("Pair(*both)", FieldName("x"), None),
        ("Other([1], 2)", FieldName("x"), None),
        ("{'x': [1]}", "x", "[1]"),
        ("{'x': [1]}", FieldName("x"), None),
    ],
)
def test_fields(context: MakeProgram, result: str, key: Key, found: str | None) -> None:
    other = "class Other:\n    x: list\n    y: int\n"
    text = f"{PAIR}{other}def sample(both):\n    return {result}\n"
    analysed = context(text)
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    part = field(analysed, next(s for s in scopes if s.name == "sample"), key)
    assert (None if part is None else text[slice(*part[0].span)]) == found
