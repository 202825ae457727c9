"""Who calls a function, where many functions have one name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dlint.ir.module import Scope
from dlint.semantics.assembly import solver_of
from dlint.semantics.calls.callers import Callers
from dlint.semantics.values.solver import Solver
from tests.semantics.asked import denoted, project_of, shown

RECIPE = """\
from lib import Model, shared
def run(x):
    reveal(x)
def main():
    run({number})
    Model().fit({number})
    shared({number})
"""
LIBRARY = "def shared(x): ...\nclass Model:\n    def fit(self, x): ...\n"


def _recipes(count: int) -> dict[str, str]:
    return {f"r{n}.py": RECIPE.format(number=n) for n in range(count)} | {"lib.py": LIBRARY}


def _watchers(count: int) -> int:
    """How much stands watch once the callers of all functions of some recipes are known."""
    solver = solver_of(project_of(_recipes(count)))
    for path in sorted(solver.project.files):
        solver.project.load(path)
    for scope in list(_functions(solver)):
        solver[Callers].listen(scope, lambda _: None)
        solver.settle()
    return sum(len(node.watchers) for node in solver._nodes.values())


def _functions(solver: Solver) -> Iterator[Scope]:
    for facts in solver.project.loaded:
        yield from (scope for scope in facts.module.scopes if scope.kind == "function")


def test_each_call_is_watched_once_however_many_functions_have_its_name() -> None:
    few, many = _watchers(5), _watchers(20)
    assert few > 0
    assert many <= 4 * few


def test_functions_of_one_name_keep_their_own_callers() -> None:
    assert denoted(_recipes(3)) == [{"0"}, {"1"}, {"2"}]


def test_a_constructor_is_compared_with_calls_of_its_own_subclasses_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[object] = []
    upward = Callers._upward
    monkeypatch.setattr(
        Callers, "_upward", lambda *given: (compared.append(given), upward(*given))[-1]
    )
    pairs = (
        f"class A{n}:\n    def __init__(self, x):\n        reveal(x)\n"
        f"class B{n}(A{n}):\n    def __init__(self):\n        super().__init__({n})\n"
        for n in range(9)
    )
    texts = {f"m{n}.py": text for n, text in enumerate(pairs)}
    assert denoted(texts) == [{str(n)} for n in range(9)]
    assert len(compared) == 9


def test_heirs_that_are_loaded_later_take_the_constructor_over() -> None:
    base = "class Base:\n    def __init__(self, x=0):\n        reveal(x)\n"
    texts = {
        "base.py": base,
        "heir.py": "from base import Base\nclass Heir(Base): ...\n",
        "main.py": "from heir import Heir\nHeir(1)\n",
    }
    project = project_of(texts, loaded=["base.py"])
    solver = solver_of(project)
    [reveal] = project.loaded[0].calls["reveal"]
    found = solver.values(reveal.arguments[0].value, solver.root(reveal.scope))
    assert set(map(shown, found)) == {"1"}


@pytest.mark.parametrize(
    "call",
    ["Factory.build(3, 4)", "Factory.build(3, size=4)", "make = Factory.build\nmake(3, 4)"],
)
def test_a_function_of_a_class_is_entered_through_the_class_as_it_is_called(call: str) -> None:
    made = "class Factory:\n    def build(cfg, size):\n        reveal(size)\n"
    assert denoted(f"{made}{call}\n") == [{"4"}]


def test_a_method_may_be_given_its_object_by_hand() -> None:
    made = "class Base:\n    def fit(self, size):\n        reveal(size)\n"
    heir = "class Heir(Base):\n    def fit(self, size):\n        Base.fit(self, 4)\n"
    assert "4" in denoted(f"{made}{heir}Heir().fit(5)\n")[0]
