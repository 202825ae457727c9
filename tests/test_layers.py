"""The layers of docs/architecture.md hold, and no circle of modules is large."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.layers import circles, import_graph, is_ordered, room

ARCHITECTURE = Path(__file__).parent.parent / "docs" / "architecture.md"
GRAPH = import_graph()
LARGEST_CIRCLE = 3
MOST_ROOMS = 28


def layers() -> list[str]:
    """The rooms as the page lists them, lowest first."""
    line = re.search(r"^```layers\n(.*?)^```", ARCHITECTURE.read_text(), re.M | re.S)
    assert line is not None
    return line.group(1).replace("<", " ").split()


def test_the_page_lists_every_room() -> None:
    rooms = {room(name) for name in GRAPH} - {"", "__main__"}
    assert rooms == set(layers())
    assert len(rooms) <= MOST_ROOMS


def test_no_room_imports_one_above_it() -> None:
    height = {name: number for number, name in enumerate(layers())}
    upwards = {
        f"{name} -> {other}"
        for name, imported in GRAPH.items()
        for other in imported
        if height.get(room(name), 99) < height.get(room(other), -1)
    }
    assert upwards == set()


def test_no_circle_is_larger_than_three_modules() -> None:
    assert [circle for circle in circles(GRAPH) if len(circle) > LARGEST_CIRCLE] == []


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}}, [{"a", "b"}]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}}, ["abc", "de"]),
    ],
)
def test_circles_are_found(graph: dict[str, set[str]], expected: list[object]) -> None:
    frozen = {name: frozenset(imported) for name, imported in graph.items()}
    assert circles(frozen) == [frozenset(one) for one in expected]  # type: ignore[call-overload]
    assert is_ordered(frozen) is not bool(expected)
