"""What is made and never read: names, and items of dicts by their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loops.unread_names import Mentions

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


@pytest.mark.parametrize(
    ("body", "is_unread"),
    [
        ("x = make()", True),
        ("x = make()\nuse(x)", False),
        ("x, y = make(), 1\nuse(y)", True),
        ("table = {'a': 1, 'b': make()}\nuse(table['a'])", True),
        ("table = {'a': 1, 'b': make()}\nuse(table['b'])", False),
        ("table = {'a': 1, 'b': make()}\nuse(table[key])", False),
        ("table = {'a': 1, 'b': make()}\nuse(table)", False),
        ("table = {'a': 1, key: make()}\nuse(table['a'])", False),
        ("a = b = {'b': make()}", False),
        ("key.table = {'a': 1, 'b': make()}\nuse(key.table['a'])", True),
        ("key.table = {'a': 1, 'b': make()}\nuse(key.table['b'])", False),
        ("key.table = {'a': 1, 'b': make()}\nuse(key.table[key])", False),
        ("key.table = {'a': 1, 'b': make()}\nuse(key.table)", False),
        ("key.table = {'a': 1, 'b': make()}\nuse(getattr(key, 'table'))", False),
        ("key['table'] = {'a': 1, 'b': make()}", False),
        ("return make()", False),
    ],
)
def test_unread(context: MakeProgram, body: str, is_unread: bool) -> None:
    head = "from torch.utils.data import DataLoader\ndef main(make, use, key):\n"
    analysed = context(head + indent(body, "    ") + "\n    return DataLoader([])\n")
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "make"]
    assert analysed[Mentions].is_unread(call) is is_unread
