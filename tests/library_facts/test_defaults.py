"""Arguments and defaults of loaders and samplers are those of the installed torch."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import pytest

from dlint.library_facts.loaders import ARGUMENTS, DEFAULTS
from dlint.library_facts.samplers import DISTRIBUTED_DEFAULTS

data = pytest.importorskip("torch.utils.data")


@pytest.mark.parametrize(
    ("name", "defaults"), [("DataLoader", DEFAULTS), ("DistributedSampler", DISTRIBUTED_DEFAULTS)]
)
def test_defaults(name: str, defaults: Mapping[str, int | bool]) -> None:
    taken = inspect.signature(getattr(data, name).__init__).parameters
    assert {key: bool(value) for key, value in defaults.items()} == {
        key: bool(taken[key].default) for key in defaults
    }


def test_arguments() -> None:
    assert tuple(inspect.signature(data.DataLoader).parameters) == ARGUMENTS
