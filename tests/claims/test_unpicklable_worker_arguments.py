"""unpicklable-worker-arguments: spawned workers do not start, forked ones do."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from functools import partial
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader, Dataset  # noqa: E402


class _Items(Dataset):  # type: ignore[misc]
    def __init__(self, held: object = None) -> None:
        self.held = held

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> int:
        return index


def _collate(extra: int, samples: list[int]) -> list[int]:
    return [sample + extra for sample in samples]


def _refused() -> list[dict[str, Any]]:
    class Local(_Items):
        pass

    def nested(samples: list[int]) -> list[int]:
        return samples

    return [
        {"dataset": _Items(), "collate_fn": lambda samples: samples},
        {"dataset": _Items(), "collate_fn": nested},
        {"dataset": _Items(), "worker_init_fn": lambda worker: None},
        {"dataset": _Items(), "collate_fn": partial(_collate, lambda: 1)},
        {"dataset": Local()},
        {"dataset": _Items(lambda x: x)},
        {"dataset": _Items(threading.Lock())},
        {"dataset": _Items(x for x in "ab")},
    ]


@pytest.mark.filterwarnings("ignore:Got pickle error")
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("arguments", _refused())
def test_fresh_workers_do_not_start(method: str, arguments: dict[str, Any]) -> None:
    loader = DataLoader(**arguments, num_workers=1, multiprocessing_context=method)
    with pytest.raises(
        (AttributeError, TypeError, pickle.PicklingError), match=r"(?i)pickle|local"
    ):
        next(iter(loader))


def test_a_forked_worker_inherits_all() -> None:
    loader = DataLoader(
        _Items(threading.Lock()),
        num_workers=1,
        collate_fn=lambda samples: samples,
        multiprocessing_context="fork",
    )
    assert list(loader) == [[0], [1]]


def test_what_is_called_right_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(partial(_collate, 1)))([1]) == [2]


_NOTEBOOK = """
from torch.utils.data import DataLoader, Dataset

class Data(Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, index):
        return index

print(list(DataLoader(Data(), num_workers=1, multiprocessing_context={method!r})))
"""


@pytest.mark.parametrize(("method", "starts"), [("spawn", False), ("fork", True)])
def test_what_no_file_defines_is_not_found_by_fresh_workers(method: str, starts: bool) -> None:
    """The text of `-c` is, like a notebook, a main module that no process can import."""
    done = subprocess.run(
        [sys.executable, "-c", _NOTEBOOK.format(method=method)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) is starts
    assert starts or "Can't get attribute 'Data'" in done.stderr
