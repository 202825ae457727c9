"""How much of a MONAI bundle is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from dlint.frontends import monai

BUNDLE = """
a0: &a0 [x, x, x, x]
a1: &a1 [*a0, *a0, *a0, *a0]
a2: &a2 [*a1, *a1, *a1, *a1]
a3: &a3 [*a2, *a2, *a2, *a2]
a4: &a4 [*a3, *a3, *a3, *a3]
transform: *a4
"""


DEVICE = "last: {_target_: ToDeviced, device: cuda}"


class Counted(list[Any]):
    """The parts of a node; every walk over them is counted."""

    walks = 0

    def __iter__(self) -> Iterator[Any]:
        Counted.walks += 1
        return super().__iter__()


def _composed(text: str) -> yaml.MappingNode:
    root = yaml.compose(text, yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    return root


def _walks(text: str) -> int:
    """How often the parts of the first five lists are gone over."""
    root = _composed(text)
    for _, node in root.value[:5]:
        node.value = Counted(node.value)
    Counted.walks = 0
    monai.needs_no_workers({key.value: node for key, node in root.value}, root)
    return Counted.walks


@pytest.mark.parametrize(
    "dataset", ["{_target_: Dataset, transform: '@transform'}", "{_target_: Dataset}"]
)
def test_each_node_is_looked_at_once(dataset: str) -> None:
    assert _walks(BUNDLE + f"dataset: {dataset}\n") <= 2 * 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dataset: {_target_: Dataset, transform: '@way'}\nway: {steps: ['@last']}", False),
        (
            "dataset: {_target_: Dataset, transform: '@way'}\nway: {steps: ['@last']}\n" + DEVICE,
            True,
        ),
        ("dataset: {_target_: Dataset, transform: '@way'}\nway: ['@way', '@dataset']", False),
        ("dataset: {_target_: Dataset}\nrun: [[{a: [[[['$first(@loader)']]]]}]]", True),
    ],
)
def test_reasons_for_a_loader_without_workers(text: str, expected: bool) -> None:
    root = _composed(text)
    given = {key.value: node for key, node in root.value}
    assert monai.needs_no_workers(given, root) is expected
