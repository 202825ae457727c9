"""What lies on the paths of calls."""

from __future__ import annotations

import math

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.control.call_paths import (
    chains_to,
    entered_by,
    leading_to,
    most_loops_around,
    most_runs,
    on_every_path,
    only_activation,
    only_way_to,
    origins_of,
)
from dlint.analyses.control.failures import is_out_of_reach
from dlint.ir import expressions as ex
from tests.analyses.control.programs import MakeProgram, call_of, scope_named

TEXT = """
import torch

def leaf(n):
    return deep(n)

def deep(n):
    return n

def left(n):
    mark()
    leaf(n)

def right(n):
    {right}
    leaf(n)

def again(n):
    left(n)
    again(n - 1)

def main():
    left(1)
    right(2)

main()
"""


def _names(scopes: object) -> list[str]:
    assert hasattr(scopes, "__iter__")
    return [scope.name for scope in scopes]


def _marks(before: ex.Call) -> tuple[ex.Call, ...]:
    return tuple(c for c in before.scope.calls if c.name == "mark" and c.span < before.span)


def _program(context: MakeProgram, right: str = "mark()") -> AnalysisContext:
    return context(TEXT.format(right=right))


def test_what_a_call_enters_the_nearest_first(context: MakeProgram) -> None:
    analysed = _program(context)
    calls = [call_of(scope_named(analysed, "<module>"), "main")]
    assert _names(entered_by(analysed, calls)) == ["main", "left", "right", "leaf", "deep"]
    assert _names(entered_by(analysed, calls, deep=2)) == ["main", "left", "right"]
    none = entered_by(analysed, calls, inner=lambda scope: ())
    assert _names(none) == ["main"]
    assert _names(entered_by(analysed, calls, lambda context, call: ())) == []


def test_what_leads_to_a_function(context: MakeProgram) -> None:
    analysed = _program(context)
    leaf = scope_named(analysed, "leaf")
    found = [call.scope.name for call in leading_to(analysed, leaf)]
    assert found == ["left", "right", "again", "main", "main", "<module>"]
    assert [c.scope.name for c in leading_to(analysed, leaf, deep=1)] == ["left", "right"]


def test_where_paths_begin(context: MakeProgram) -> None:
    analysed = _program(context)
    assert _names(origins_of(analysed, scope_named(analysed, "right"))) == ["<module>"]
    assert _names(origins_of(analysed, scope_named(analysed, "right"), deep=1)) == ["main"]
    module = scope_named(analysed, "<module>")
    assert _names(origins_of(analysed, module)) == ["<module>"]


def test_chains_go_on_where_asked(context: MakeProgram) -> None:
    analysed = _program(context)
    leaf = scope_named(analysed, "leaf")
    chains = [[c.scope.name for c in chain] for chain in chains_to(analysed, leaf, lambda c: True)]
    assert ["left"] in chains
    assert ["left", "main", "<module>"] in chains
    assert all(len(set(chain)) == len(chain) for chain in chains)
    short = chains_to(analysed, leaf, lambda call: False)
    assert [[c.scope.name for c in chain] for chain in short] == [["left"], ["right"]]


def test_what_every_path_has(context: MakeProgram) -> None:
    analysed = _program(context)
    deep = scope_named(analysed, "deep")
    found = on_every_path(analysed, deep, _marks)
    assert [call.scope.name for call in found] == ["left", "right"]
    analysed = _program(context, "pass")
    assert on_every_path(analysed, scope_named(analysed, "deep"), _marks) == ()
    analysed = _program(context)
    assert on_every_path(analysed, scope_named(analysed, "main"), _marks) == ()


def test_recursion_adds_no_path(context: MakeProgram) -> None:
    analysed = _program(context)
    again = scope_named(analysed, "again")
    assert on_every_path(analysed, again, lambda call: (call,)) == ()


@pytest.mark.parametrize(
    ("call", "out"),
    [
        ("make(name)(1, 2, flag=True)", True),
        ("make(name)(1, flag=True)", False),
        ("make(name)(1, 2)", False),
        ("make(name)(1, wrong=2)", True),
        ("make(name)(*name, flag=True)", False),
        ("partial(one, 1, 2)", False),
    ],
)
def test_calls_that_a_function_does_not_take(context: MakeProgram, call: str, out: bool) -> None:
    text = f"""
    from functools import partial
    from torch.utils.data import DataLoader
    def one(path, flag, epoch=0):
        return DataLoader(path)
    def two(path, names, flag=False, **more):
        pass
    def make(name):
        if name:
            return one
        return two
    def run(name):
        for x in {call}:
            print(x.cuda())
    run(input())
    """
    analysed = context(text)
    assert is_out_of_reach(analysed, scope_named(analysed, "one")) is out


def test_what_is_given_by_place_alone_is_not_given_twice(context: MakeProgram) -> None:
    text = """
    from torch.utils.data import DataLoader
    def make(path, /, **more):
        return DataLoader(path)
    def run(name):
        for x in make(1, path=name):
            print(x.cuda())
    run(input())
    """
    analysed = context(text)
    assert not is_out_of_reach(analysed, scope_named(analysed, "make"))


def test_code_behind_a_certain_failure(context: MakeProgram) -> None:
    text = """
    import torch
    def work():
        def inner():
            pass
    def early():
        pass
    if __name__ == "__main__":
        early()
        x = nowhere_bound()
        work()
    """
    analysed = context(text)
    assert is_out_of_reach(analysed, scope_named(analysed, "work"))
    assert is_out_of_reach(analysed, scope_named(analysed, "inner"))
    assert not is_out_of_reach(analysed, scope_named(analysed, "early"))
    star = context(text.replace("import torch", "from torch import *"))
    assert not is_out_of_reach(star, scope_named(star, "work"))
    bound = context(text.replace("x = nowhere_bound()", "x = print()"))
    assert not is_out_of_reach(bound, scope_named(bound, "work"))


def test_functions_that_only_code_which_does_not_run_calls(context: MakeProgram) -> None:
    text = """
    import torch
    def work():
        deep()
    def deep():
        pass
    def shared():
        pass
    def alone():
        alone()
    def main():
        shared()
        return
        work()
        shared()
    main()
    """
    analysed = context(text)
    left = [
        name
        for name in ("work", "deep", "shared", "alone", "main", "<module>")
        if is_out_of_reach(analysed, scope_named(analysed, name))
    ]
    assert left == ["work", "deep"]


def test_a_function_of_the_main_guard_fails_as_it_does(context: MakeProgram) -> None:
    text = """
    import torch
    def work():
        pass
    def main():
        x = nowhere_bound()
        work()
    if __name__ == "__main__":
        main()
    """
    analysed = context(text)
    assert is_out_of_reach(analysed, scope_named(analysed, "work"))
    assert not is_out_of_reach(analysed, scope_named(analysed, "main"))
    other = context(f"{text}    main2 = main\n    def other():\n        main()\n")
    assert not is_out_of_reach(other, scope_named(other, "work"))


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ("work()", 1),
        ("work()\nwork()", 2),
        ("for x in xs:\n    work()", math.inf),
        ("y = [work() for x in xs]", math.inf),
        ("y = map(work, xs)", math.inf),
        ("def other(f):\n    work()", math.inf),
        ("def other():\n    work()\nother()", 1),
    ],
)
def test_how_often_a_function_runs(context: MakeProgram, body: str, runs: float) -> None:
    analysed = context(f"import torch\nxs = [1, 2]\ndef work(x=1):\n    pass\n{body}\n")
    assert most_runs(analysed, scope_named(analysed, "work")) == runs


@pytest.mark.parametrize(
    ("body", "loops"),
    [
        ("leaf(1)", 0),
        ("for _ in range(3):\n    leaf(1)", 1),
        ("for _ in range(3):\n    while True:\n        leaf(1)", 2),
        ("[leaf(i) for i in range(3)]", 1),
        ("def f():\n    for _ in range(3):\n        leaf(1)\nfor _ in range(2):\n    f()", 2),
        ("leaf(1)\nfor _ in range(3):\n    pass", 0),
    ],
)
def test_loops_that_lead_to_a_function(context: MakeProgram, body: str, loops: int) -> None:
    analysed = context(f"def leaf(n):\n    return n\n\n{body}\n")
    assert most_loops_around(analysed, scope_named(analysed, "leaf")) == loops


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        ("main()", ["leaf", "inner", "main"]),
        ("main()\nmain()", ["leaf", "inner"]),
        ("main()\ninner(2)", ["leaf"]),
    ],
)
def test_the_only_way_to_a_call(context: MakeProgram, calls: str, names: list[str]) -> None:
    functions = "def leaf(n):\n    mark(n)\ndef inner(n):\n    leaf(n)\ndef main():\n    inner(1)\n"
    analysed = context(f"def mark(n):\n    pass\n{functions}{calls}\n")
    frame = only_activation(analysed, scope_named(analysed, "mark"))
    assert frame is not None
    assert [found.scope.name for found in only_way_to(analysed, frame)] == names
