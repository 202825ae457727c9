"""stream-library-setup: one order for all epochs, and shards that no rank owns.

Runs where the libraries are installed.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from torch.utils.data import DataLoader


def _numbers(shards: list[int]) -> Iterator[dict[str, int]]:
    for shard in shards:
        yield from ({"x": 8 * shard + number} for number in range(8))


def _order(loader: DataLoader) -> list[int]:
    return [int(x) for batch in loader for x in batch["x"]]


def test_without_set_epoch_each_epoch_has_one_order() -> None:
    datasets = pytest.importorskip("datasets")
    stream = datasets.IterableDataset.from_generator(_numbers, gen_kwargs={"shards": [0, 1, 2]})
    stream = stream.shuffle(seed=0, buffer_size=16).with_format("torch")
    loader = DataLoader(stream, batch_size=4)
    assert _order(loader) == _order(loader)
    first = _order(loader)
    stream.set_epoch(1)
    assert _order(loader) != first


def test_without_nodesplitter_several_ranks_raise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wds = pytest.importorskip("webdataset")
    with tarfile.open(tmp_path / "0.tar", "w") as tar:
        info = tarfile.TarInfo("0.txt")
        info.size = 1
        tar.addfile(info, io.BytesIO(b"0"))
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ValueError, match="nodesplitter"):
        list(wds.WebDataset(str(tmp_path / "0.tar"), shardshuffle=False))
