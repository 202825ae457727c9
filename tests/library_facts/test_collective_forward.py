"""Which modules of torch have no buffers, asked of torch itself."""

from __future__ import annotations

import inspect

import pytest
import torch

from dlint.library_facts.collective_forward import BUFFERED, PLAIN


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("path", sorted(PLAIN))
def test_a_plain_module_has_no_buffers(path: str) -> None:
    cls = getattr(torch.nn, path.rpartition(".")[2])
    parameters = inspect.signature(cls).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    many = 2 if issubclass(cls, torch.nn.RNNBase) else len(needed)
    assert not list(cls(*[2] * many).buffers())
    assert not BUFFERED.match(path)
