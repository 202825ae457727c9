"""costly-collate: an array leaves a worker by value, a tensor by a handle."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from multiprocessing.reduction import ForkingPickler  # noqa: E402

import numpy as np  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402


class _Rows(Dataset):  # type: ignore[misc]
    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> object:
        return np.full(100_000, index, np.float32)


def _tensor(samples: list[object]) -> object:
    return torch.from_numpy(np.stack(samples))


def test_the_message_holds_the_array_but_not_the_tensor() -> None:
    batch = np.stack([_Rows()[i] for i in range(8)])
    assert len(ForkingPickler.dumps(batch)) > batch.nbytes
    assert len(ForkingPickler.dumps(torch.from_numpy(batch))) < 1_000


@pytest.mark.parametrize(("collate", "is_shared"), [(np.stack, False), (_tensor, True)])
def test_what_comes_out_of_a_worker(collate: object, is_shared: bool) -> None:
    loader = DataLoader(
        _Rows(), batch_size=8, num_workers=1, collate_fn=collate, multiprocessing_context="fork"
    )
    batch = next(iter(loader))
    assert torch.is_tensor(batch) is is_shared
    assert not is_shared or batch.is_shared()
    assert float(batch.sum()) == 100_000 * sum(range(8))
