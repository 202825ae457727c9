"""The layers of docs/architecture.md hold, and no circle of modules is large."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.layers import PACKAGE, Graph, circles, import_graph, is_ordered, room

ARCHITECTURE = Path(__file__).parent.parent / "docs" / "architecture.md"
LARGEST_CIRCLE = 3
MOST_ROOMS = 28

BELOW_RULES = frozenset({"ir", "semantics", "frontends"})
"""What rules ask the model and the analyses about, and never look into."""
MACHINERY = frozenset({"solver", "evaluator", "project"})
"""What of a context and of its objects is the business of analyses and model."""
FAMILIES = sorted(path.parent.name for path in (PACKAGE / "rules").glob("*/__init__.py"))
READING = "source"
"""The family whose rules are about files and comments, and read them."""


@cache
def graph() -> Graph:
    """What imports what in the package."""
    return import_graph()


def layers() -> list[str]:
    """The rooms as the page lists them, lowest first."""
    line = re.search(r"^```layers\n(.*?)^```", ARCHITECTURE.read_text(), re.M | re.S)
    assert line is not None
    return line.group(1).replace("<", " ").split()


def test_the_page_lists_every_room() -> None:
    rooms = {room(name) for name in graph()} - {"", "__main__"}
    assert rooms == set(layers())
    assert len(rooms) <= MOST_ROOMS


def test_no_room_imports_one_above_it() -> None:
    height = {name: number for number, name in enumerate(layers())}
    upwards = {
        f"{name} -> {other}"
        for name, imported in graph().items()
        for other in imported
        if height.get(room(name), 99) < height.get(room(other), -1)
    }
    assert upwards == set()


def test_no_circle_is_larger_than_three_modules() -> None:
    assert [circle for circle in circles(graph()) if len(circle) > LARGEST_CIRCLE] == []


def _looks_below(name: str) -> bool:
    """Whether a rule imports how programs are written or what they denote, if only for types."""
    return any(room(other) in BELOW_RULES for other in graph()[name])


def test_a_rule_asks_model_and_analyses_only() -> None:
    rules = {name for name in graph() if room(name) == "rules"}
    asking = {name.removeprefix("dlint.rules.") for name in rules if _looks_below(name)}
    assert {name for name in asking if not name.startswith(f"{READING}.")} == set()


def _machinery(path: Path) -> set[str]:
    """What a module takes of the machinery, by the attributes that it reads."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)} & MACHINERY


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != READING])
def test_a_rule_does_not_reach_through_what_it_is_given(family: str) -> None:
    paths = (PACKAGE / "rules" / family).rglob("*.py")
    assert {path.name: used for path in paths if (used := _machinery(path))} == {}


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}}, [{"a", "b"}]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}}, ["abc", "de"]),
    ],
)
def test_circles_are_found(imports: dict[str, set[str]], expected: list[object]) -> None:
    frozen = {name: frozenset(imported) for name, imported in imports.items()}
    assert circles(frozen) == [frozenset(one) for one in expected]  # type: ignore[call-overload]
    assert is_ordered(frozen) is not bool(expected)
