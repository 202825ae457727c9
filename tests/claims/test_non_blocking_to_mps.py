"""non-blocking-to-mps: calls of `torch.cuda` that fail where torch has no CUDA."""

from __future__ import annotations

import pytest

from dlint.library_facts.platforms import RAISING_WITHOUT_CUDA

torch = pytest.importorskip("torch")


@pytest.mark.skipif(torch.cuda.is_available(), reason="a machine with CUDA")
@pytest.mark.parametrize("path", sorted(RAISING_WITHOUT_CUDA))
def test_a_call_fails_without_cuda(path: str) -> None:
    name = path.rpartition(".")[2]
    given = (0,) if name == "set_device" else ()
    with pytest.raises((AssertionError, RuntimeError, AttributeError)):
        getattr(torch.cuda, name)(*given)
