from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses import repetition
from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.ir.module import Loop, Scope


def _loop(context: AnalysisContext) -> tuple[Loop, Scope]:
    for facts in context.modules:
        for scope in facts.module.scopes:
            for statement in scope.body.statements:
                if isinstance(statement, Loop):
                    return statement, scope
    raise AssertionError("no loop")


@pytest.mark.parametrize(
    ("before", "iterable", "few"),
    [
        ("", '("train", "val")', True),
        ("names = ['a', 'b']", "names", True),
        ("names = ['a', 'b']", "enumerate(names)", True),
        ("", "range(4)", True),
        ("", "range(1, n)", False),
        ("", "range(1000)", False),
        ("", "glob(root)", False),
        ("names = [*more, 'a']", "names", False),
        ("names = ['a'] if n else ['b', 'c']", "names", True),
        ("", str(list(range(40))), False),
    ],
)
def test_few_is_what_the_code_spells_out(
    context: Callable[[str], AnalysisContext], before: str, iterable: str, few: bool
) -> None:
    analysed = context(
        f"import torch\ndef f(n, root, more):\n    {before or 'pass'}\n"
        f"    for x in {iterable}:\n        pass\n"
    )
    loop, scope = _loop(analysed)
    assert loop.iterable is not None
    assert repetition.is_few(loop.iterable, scope) is few


@pytest.mark.parametrize(
    ("target", "iterable", "counts"),
    [
        ("i", "range(len(y))", True),
        ("i", "tqdm(range(len(y)))", True),
        ("i, x", "enumerate(y)", True),
        ("i", "y", False),
        ("x, i", "enumerate(y)", False),
    ],
)
def test_counting_indexes(
    context: Callable[[str], AnalysisContext], target: str, iterable: str, counts: bool
) -> None:
    for head in (f"for {target} in {iterable}:", f"z = {iterable}\n    for {target} in z:"):
        loop, _ = _loop(context(f"import torch\ndef f(y):\n    {head}\n        y[i]\n"))
        name = next(d for d in loop.definitions if d.name == "i")
        assert repetition.counts(ex.Reference(name.span, "i", name)) is counts
