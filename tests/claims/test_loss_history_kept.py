"""What loss-history-kept claims, seen under torch."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
import torch
from torch import nn

STEPS = 100


def _nodes(value: torch.Tensor) -> int:
    """How many nodes of the autograd graph a tensor keeps alive."""
    seen, todo = set(), [value.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [inner for inner, _ in node.next_functions]
    return len(seen)


def _total(model: nn.Module, steps: int, *, detach: bool) -> torch.Tensor:
    total = torch.zeros(())
    for _ in range(steps):
        loss = model(torch.ones(2, 4)).sum()
        loss.backward()
        total = total + (loss.detach() if detach else loss)
    return total


@pytest.fixture
def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(20)])


def test_graph_grows_with_every_step(model: nn.Module) -> None:
    few, many = (_nodes(_total(model, n, detach=False)) for n in (5, 10))
    assert many - few > 5 * 20
    assert _nodes(_total(model, 10, detach=True)) == 0


def test_detaching_changes_no_value(model: nn.Module) -> None:
    assert torch.equal(_total(model, 5, detach=True), _total(model, 5, detach=False))


def test_second_gradient_is_refused(model: nn.Module) -> None:
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        _total(model, 2, detach=False).backward()


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
def test_memory_grows_with_every_step(model: nn.Module) -> None:
    _total(model, STEPS, detach=True)
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)  # what tests before have freed is given back, or the graph fits into that
    before = _private()
    kept = _total(model, STEPS, detach=False)
    grown = _private() - before
    assert kept.grad_fn is not None
    assert grown > 10 * STEPS


def _private() -> int:
    """Memory of this process alone, in KiB."""
    lines = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty"))
