"""What torch pins of a batch: seen by counting calls, since pinning itself needs an accelerator."""

from __future__ import annotations

from collections import UserDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_sequence
from torch.utils.data._utils.pin_memory import pin_memory

X = torch.zeros(2)


@dataclass
class Plain:
    x: torch.Tensor


@dataclass
class Pinning:
    x: torch.Tensor

    def pin_memory(self) -> Pinning:
        self.x = self.x.pin_memory()
        return self


class Pair(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    """The tensors that are asked to pin themselves."""
    found: list[torch.Tensor] = []

    def note(tensor: torch.Tensor, *_: Any) -> torch.Tensor:
        found.append(tensor)
        return tensor

    monkeypatch.setattr(torch.Tensor, "pin_memory", note)
    return found


@pytest.mark.parametrize(
    ("batch", "count"),
    [
        (X, 1),
        ({"x": X, "y": [X]}, 2),
        (UserDict(x=X), 1),
        (Pair(X, X), 2),
        (Pinning(X), 1),
        (Plain(X), 0),
        ({X}, 0),
        (np.zeros(2), 0),
    ],
    ids=["tensor", "dict", "UserDict", "NamedTuple", "method", "dataclass", "set", "array"],
)
def test_what_is_pinned(pinned: list[torch.Tensor], batch: object, count: int) -> None:
    pin_memory(batch)
    assert len(pinned) == count


def test_a_packed_sequence_is_pinned(pinned: list[torch.Tensor]) -> None:
    pin_memory(pack_sequence([X]))
    assert pinned


def test_without_an_accelerator_torch_warns_and_pins_nothing() -> None:
    if torch.accelerator.is_available():
        pytest.skip("an accelerator is there")
    loader = torch.utils.data.DataLoader([1, 2], pin_memory=True)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="no accelerator is found"):
        batch = next(iter(loader))
    assert not batch.is_pinned()
