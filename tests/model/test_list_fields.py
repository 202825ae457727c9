"""Which parts of a sample are Python lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.samples.list_fields import is_list

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
