"""handle-opened-in-init: forked workers share one file offset, spawned ones cannot be given it."""

from __future__ import annotations

import sqlite3
import zipfile
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import IO

import pytest
from torch.utils.data import DataLoader, Dataset

_COUNT = 40


class Opened(Dataset[int]):
    """Keeps the file that the main process has opened."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def __len__(self) -> int:
        return _COUNT

    def __getitem__(self, index: int) -> int:
        return self.file.read(1)[0]


class OpenedInWorker(Dataset[int]):
    """Opens it at the first sample."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.own: IO[bytes] | None = None

    def __len__(self) -> int:
        return _COUNT

    def __getitem__(self, index: int) -> int:
        if self.own is None:
            self.own = self.path.open("rb", buffering=0)
        self.own.seek(index)
        return self.own.read(1)[0]


def _samples(dataset: Dataset[int]) -> list[int]:
    loader = DataLoader(dataset, batch_size=1, num_workers=2, multiprocessing_context="fork")
    return [int(batch) for batch in loader]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "data"
    file.write_bytes(bytes(range(2 * _COUNT)))
    return file


def test_forked_workers_move_one_file_offset(path: Path) -> None:
    """Each byte goes to one worker only: what one reads, the other cannot."""
    with path.open("rb", buffering=0) as file:
        assert sorted(_samples(Opened(file))) == list(range(_COUNT))


def test_workers_that_open_their_own_file_read_what_they_ask_for(path: Path) -> None:
    assert _samples(OpenedInWorker(path)) == list(range(_COUNT))
    ForkingPickler.dumps(OpenedInWorker(path))


@pytest.mark.parametrize("kind", ["file", "zip", "sqlite"])
def test_handles_cannot_be_pickled_for_spawned_workers(path: Path, kind: str) -> None:
    archive = path.with_suffix(".zip")
    zipfile.ZipFile(archive, "w").close()
    handles = {
        "file": lambda: path.open("rb"),
        "zip": lambda: zipfile.ZipFile(archive),
        "sqlite": lambda: sqlite3.connect(":memory:"),
    }
    with handles[kind]() as handle, pytest.raises(TypeError, match="cannot pickle"):
        ForkingPickler.dumps(handle)
