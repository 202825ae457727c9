"""negative-stride-sample: torch refuses views that run backwards, and takes copies of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")

from torch.utils.data import default_collate, default_convert  # noqa: E402

IMAGE = np.zeros((4, 5, 3), dtype=np.float32)
VIEWS = [
    IMAGE[:, ::-1],
    IMAGE[..., ::-1],
    np.flip(IMAGE, 0),
    np.fliplr(IMAGE),
    np.flipud(IMAGE),
    np.rot90(IMAGE),
    np.rot90(IMAGE, 2),
    IMAGE[:, ::-1].transpose(2, 0, 1),
    np.expand_dims(IMAGE[:, ::-1], 0),
    np.squeeze(IMAGE[:, ::-1]),
    np.asarray(IMAGE[:, ::-1]),
]
NEW = [
    IMAGE[:, ::-1] / 255,
    IMAGE[:, ::-1].astype(np.float32),
    np.ascontiguousarray(IMAGE[:, ::-1]),
    np.array(IMAGE[:, ::-1]),
    IMAGE[:, ::-1].copy(),
    IMAGE[::-1][0],
    IMAGE[:, ::-1][:, ::-1],
    np.rot90(IMAGE, 4),
    np.stack([IMAGE[::-1]]),
    IMAGE[:, :, [2, 1, 0]],
]
TAKERS: list[Callable[[Any], Any]] = [
    torch.from_numpy,
    torch.as_tensor,
    torch.tensor,
    torch.asarray,
    torch.FloatTensor,
    default_convert,
    lambda array: default_collate([{"image": array}]),
]


@pytest.mark.parametrize("take", TAKERS)
@pytest.mark.parametrize("view", VIEWS)
def test_views_that_run_backwards_are_refused(take: Callable[[Any], Any], view: Any) -> None:
    with pytest.raises(ValueError, match="stride in the given numpy array is negative"):
        take(view)
    take(view.copy())


@pytest.mark.parametrize("array", NEW)
def test_new_arrays_are_taken(array: Any) -> None:
    torch.from_numpy(array)
