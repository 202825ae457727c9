"""What stands under a key of what a function returns."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.returned_items import returned_items
from dlint.ir import expressions as ex

MakeContext = Callable[[str], AnalysisContext]

TEXT = """
def other(x):
    return 1, x

def ask(rows, flag):
{body}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return 1, 2", [1]),
        ("return {0: 1}", [1]),
        ("return [1, *rows]", []),
        ("found = (1, 2)\nreturn list(found)", [1]),
        ("return other(2)", [1]),
        ("return other(2) if flag else (3, 4)", [1, 3]),
        ("return other(2) if flag else rows()", []),
        ("found = list(rows)\nfound[0] = 1\nreturn tuple(found)", [1]),
        ("found = rows()\nfound[0] = 1\nfound[0] = 2\nreturn found", [2]),
        ("found = [1]\nfound[1] = 2\nreturn found", [1]),
        ("found = [1]\nfound[flag] = 2\nreturn found", []),
        ("found = [1]\nif flag:\n    found[0] = 2\nreturn found", []),
        ("found = [1]\nif flag:\n    return found\nfound[0] = 2\nreturn found", []),
        ("found = [1]\nfound.append(2)\nreturn found", []),
        ("found = [1]\nchange(found)\nreturn found", []),
        ("found = [1]\nfor same in [found]:\n    same[0] = 2\nreturn found", []),
        ("found = [1]\nsame = found if flag else []\nsame[0] = 2\nreturn found", []),
        ("found = [1]\nreturn list(found, key=1)", []),
        ("found = [1]\nfound.insert(0, 2)\nreturn found", []),
        ("found = [1]\nsame = found\nsame[0] = 2\nreturn found", [2]),
        ("yield 1, 2\nreturn 1, 2", []),
    ],
)
def test_first_items(context: MakeContext, body: str, found: list[int]) -> None:
    analysed = context(TEXT.format(body=indent(body, " " * 4)))
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (function,) = [scope for scope in scopes if scope.name == "ask"]
    items = [item for item, _ in returned_items(analysed, function, 0)]
    assert {item.value for item in items if isinstance(item, ex.Constant)} == set(found)
    assert len(items) == len(found)
