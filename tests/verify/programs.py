"""A program for each rule that can be verified on a CPU, and a control whose fix is worth nothing.

`tests/benchmarks/verify_programs.py` runs them; the suite checks that each is found and tried.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

TRAINING = Path(__file__).parent.parent.parent / "docs" / "examples" / "training"
_HEAD = """\
import os
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.utils.data import (
    DataLoader, Dataset, DistributedSampler, IterableDataset, TensorDataset, WeightedRandomSampler,
)


class Rows(Dataset):
    def __init__(self, count=4000, size=64):
        self.count, self.size = count, size

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((self.size,), index / self.count), index % 2


class Slowly:
    def __init__(self, batches, seconds=0.03):
        self.batches, self.seconds = batches, seconds

    def __iter__(self):
        for batch in self.batches:
            time.sleep(self.seconds)
            yield batch


def train(loader, width=64, epochs=1000, device="cpu", before=lambda epoch: None):
    model = torch.nn.Linear(width, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        before(epoch)
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


"""
_FILES = """\
class Files(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        time.sleep({delay})
        return torch.load(self.paths[index]), index % 2


def main():
    torch.set_num_threads(1)
    folder = Path(tempfile.mkdtemp())
    for number in range(20):
        torch.save(torch.rand(64), folder / f"{{number}}.pt")
    paths = [folder / f"{{number % 20}}.pt" for number in range(4000)]
    loader = DataLoader(Files(paths), batch_size={batch}, shuffle=True)
    {more}
    train(loader)


if __name__ == "__main__":
    main()
"""
_EPOCHS = """\
def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    train(DataLoader(Rows({count}), batch_size=16, shuffle=True, num_workers=2))


if __name__ == "__main__":
    main()
"""
_PREFETCH = """\
def main():
    torch.set_num_threads(1)
    loader = DataLoader(
        Rows(20000, {size}), batch_size=16, num_workers=2, prefetch_factor=32
    )
    train(Slowly(loader), {size})


if __name__ == "__main__":
    main()
"""
_STREAM = """\
class Numbers(IterableDataset):
    def __iter__(self):
        for number in range(320):
            {item}


def main():
    torch.set_num_threads(1)
    train(DataLoader(Numbers(), batch_size=16, num_workers=2))


if __name__ == "__main__":
    main()
"""
_MEMORY = """\
def main(values, labels):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rows = TensorDataset(values, labels)
    model = torch.nn.Linear({width}, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(rows, batch_size=4, shuffle=True, num_workers={workers})
    for epoch in range(50):
        for x, y in loader:
            {work}
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main(torch.arange(640000.0).reshape(-1, {width}) / 640000, torch.arange(640000 // {width}) % 2)
"""
_ORDER = """\
def main():
    torch.set_num_threads(1)
    place = Path(tempfile.mkdtemp()) / "store"
    dist.init_process_group("gloo", init_method=f"file://{{place}}", rank=0, world_size=1)
    rows = Rows({count})
    loader = DataLoader(rows, batch_size=8, sampler=DistributedSampler(rows))
    train(loader, epochs={epochs})


if __name__ == "__main__":
    main()
"""
_CRASH = """\
def main():
    torch.set_num_threads(1)
    rows = Rows()
    sampler = WeightedRandomSampler([1.0] * len(rows), len(rows))
    if {condition}:
        loader = DataLoader(rows, batch_size=8, shuffle=True, sampler=sampler)
    else:
        loader = DataLoader(rows, batch_size=8, sampler=sampler)
    train(loader)


if __name__ == "__main__":
    main()
"""
_STRATEGY = """\
def main():
    torch.set_num_threads(1)
    loader = DataLoader(Rows(160), batch_size=8, num_workers=1, persistent_workers=True)
    model = torch.nn.Linear(64, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(1000):
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        torch.multiprocessing.set_sharing_strategy("{strategy}")


if __name__ == "__main__":
    main()
"""
_EAGER = """\
def read(path):
    time.sleep({delay})
    return torch.load(path)


class Files(Dataset):
    def __init__(self, paths):
        self.images = [read(path) for path in paths]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], index % 2


def slowly(x):
    time.sleep(0.05)
    return x


def main():
    torch.set_num_threads(1)
    time.sleep({model})  # a model is read
    folder = Path(tempfile.mkdtemp())
    torch.save(torch.rand(64), folder / "x.pt")
    paths = [folder / "x.pt" for _ in range({count})]
    loader = DataLoader(Files(paths), batch_size=4, num_workers=1, persistent_workers=True)
    model = torch.nn.Linear(64, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(1000):
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(slowly(x)), y).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
"""
_DEVICE = """\
def main():
    torch.set_num_threads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(64, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Rows(), batch_size=8{more})
    for epoch in range(1000):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
"""


class Example(NamedTuple):
    """A program, and the verdicts that are right for the fix of a rule."""

    rule: str
    text: str
    verdicts: frozenset[str]
    launcher: str = ""


def _made(rule: str, text: str, *verdicts: str, **facts: object) -> Example:
    return Example(rule, _HEAD + text.format(**facts), frozenset(verdicts))


_NOTHING = ("no-effect", "inconclusive")
"""Verdicts of a fix that is worth nothing, on a machine that may be noisy."""
_WASTED = (*_NOTHING, "slower")

_SLOW = "loader = Slowly(loader)"

EXAMPLES = {
    "workers that pay": _made("zero-workers", _FILES, "confirmed", delay=0.004, batch=8, more=""),
    "workers for little work": _made(
        "zero-workers", _FILES, *_WASTED, delay=0, batch=1, more=_SLOW
    ),
    "workers kept over short epochs": _made(
        "missing-persistent-workers", _EPOCHS, "confirmed", count=160
    ),
    "workers kept over long epochs": _made(
        "missing-persistent-workers", _EPOCHS, *_NOTHING, count=200_000
    ),
    "a queue of large batches": _made("oversized-prefetch", _PREFETCH, "mends-fault", size=98304),
    "a queue of small batches": _made("oversized-prefetch", _PREFETCH, *_NOTHING, size=4),
    "a stream that comes twice": _made(
        "iterable-without-worker-sharding",
        _STREAM,
        "mends-fault",
        item="yield torch.full((64,), number / 320), number % 2",
    ),
    "a stream of readings, each of which comes once": _made(
        "iterable-without-worker-sharding",
        _STREAM,
        *_NOTHING,
        item="yield torch.full((64,), time.time_ns() % 10_000_000 / 1e7), number % 2",
    ),
    "workers for a table": _made(
        "workers-for-in-memory-data", _MEMORY, "confirmed", width=16, workers=2, work="pass"
    ),
    "workers for a table, beside much work": _made(
        "workers-for-in-memory-data",
        _MEMORY,
        *_NOTHING,
        width=16,
        workers=1,
        work="time.sleep(0.1)",
    ),
    "the same order in every epoch": _made(
        "missing-set-epoch", _ORDER, "mends-fault", count=160, epochs=1000
    ),
    "a single epoch, whose order cannot come again": _made(
        "missing-set-epoch",
        _ORDER,
        "no-effect",
        count=4000,
        epochs="int(os.environ.get('EPOCHS', 1))",
    ),
    "two ranks with the same order in every epoch": Example(
        "missing-set-epoch",
        (TRAINING / "ranks.py").read_text("utf-8"),
        frozenset({"mends-fault"}),
        "torchrun --standalone --nproc-per-node 2",
    ),
    "two masters of the order": _made(
        "shuffle-with-sampler", _CRASH, "mends-crash", condition="len(rows)"
    ),
    "two masters in a branch that is not taken": _made(
        "shuffle-with-sampler", _CRASH, *_NOTHING, condition="not len(rows)"
    ),
    "a strategy that comes late": _made(
        "late-sharing-strategy", _STRATEGY, "mends-fault", strategy="file_system"
    ),
    "a strategy that is in force anyway": _made(
        "late-sharing-strategy", _STRATEGY, *_NOTHING, strategy="file_descriptor"
    ),
    "files read before the first step": _made(
        "eager-load-in-init", _EAGER, "confirmed", delay=0.01, count=800, model=0
    ),
    "files that are read at once": _made(
        "eager-load-in-init", _EAGER, *_WASTED, delay=0, count=40, model=3
    ),
    "pageable memory, and no GPU": _made("missing-pin-memory", _DEVICE, "needs-gpu", more=""),
    "copies that are waited for, and no GPU": _made(
        "missing-non-blocking", _DEVICE, "needs-gpu", more=", pin_memory=True"
    ),
}
