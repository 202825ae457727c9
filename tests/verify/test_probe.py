"""What the probe records of programs of every style, and how it ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from dlint.verify.run.runner import Run, RunConfig
from tests.verify.conftest import Batch

Launch = Callable[..., Run]

GUARDED = """
import argparse
from common import *

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--method")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--persistent", action="store_true")
    given = parser.parse_args()
    model, optimizer = make()
    extra = dict(multiprocessing_context=given.method, persistent_workers=given.persistent)
    loader = DataLoader(Rows(), 32, shuffle=True, num_workers=given.workers,
                        **(extra if given.workers else {}))
    valid = DataLoader(Rows(64), 32)
    try:
        for epoch in range(100):
            for x, y in loader:
                step(model, optimizer, x, y)
            with torch.no_grad():
                for x, y in valid:
                    model(x)
    finally:
        print("cleaned up", flush=True)
        open("finally.txt", "w").close()

if __name__ == "__main__":
    main()
"""

METHODS = ("fork", "spawn", "forkserver")
STYLES = {
    "a plain loop, started by -m": """
from common import *
model, optimizer = make()
for epoch in range(100):
    for x, y in DataLoader(Rows(), 32):
        step(model, optimizer, x, y)
""",
    "next of iter": """
from common import *
model, optimizer = make()
loader = DataLoader(Rows(), 32)
while True:
    step(model, optimizer, *next(iter(loader)))
""",
    "no optimizer, and an except that swallows all": """
from common import *
model, _ = make()
while True:
    try:
        for x, y in DataLoader(Rows(), 32):
            torch.nn.functional.cross_entropy(model(x), y).backward()
    except:
        pass
""",
    "a background thread": """
import queue, threading
from common import *
model, optimizer = make()
ready = queue.Queue(2)
def fill():
    while True:
        for batch in DataLoader(Rows(), 32):
            ready.put(batch)
threading.Thread(target=fill, daemon=True).start()
while True:
    step(model, optimizer, *ready.get())
""",
    "zip of two loaders": """
from common import *
model, optimizer = make()
while True:
    for (x, y), _ in zip(DataLoader(Rows(), 32), DataLoader(Rows(), 32)):
        step(model, optimizer, x, y)
""",
    "an infinite loader of its own class": """
from common import *
class Again:
    def __init__(self, batches):
        self.batches = batches
    def __iter__(self):
        while True:
            yield from iter(self.batches)
class Endless(DataLoader):
    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        object.__setattr__(self, "batch_sampler", Again(self.batch_sampler))
        self.iterator = super().__iter__()
    def __len__(self):
        return 10
    def __iter__(self):
        for _ in range(len(self)):
            yield next(self.iterator)
model, optimizer = make()
loader = Endless(Rows(), 32)
while True:
    for x, y in loader:
        step(model, optimizer, x, y)
""",
}


CAPPED = RunConfig(0, 9, epoch_cap=3, memory=True)
FAILING = "from common import *\nDataLoader(Rows(), shuffle=True, sampler=[1])\n"
SLOW_DATASET = STYLES["a plain loop, started by -m"].replace(
    "model, optimizer",
    "class Slow(Rows):\n    def __init__(self):\n        super().__init__()\n"
    "        time.sleep(0.2)\nSlow()\nmodel, optimizer",
    1,
)
LEAVING = """
from common import *
import os
model, optimizer = make()
for x, y in DataLoader(Rows(), 32):
    step(model, optimizer, x, y)
os._exit(3)
"""
RANKS = """
import torch._dynamo
from common import *
import torch.distributed as dist
from torch.utils.data import DistributedSampler
dist.init_process_group("gloo")
model, optimizer = make()
model = torch.nn.parallel.DistributedDataParallel(model)
rows = Rows()
loader = DataLoader(rows, 16, sampler=DistributedSampler(rows), num_workers=1)
for epoch in range(50):
    for x, y in loader:
        step(model, optimizer, x, y)
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Batch]:
    """The runs of all programs."""
    batch = Batch(tmp_path_factory.mktemp("programs"), STYLES)
    for method in METHODS:
        batch.add(method, GUARDED, "--method", method, setting=RunConfig(2, 10, look=True))
    batch.add("short epochs", GUARDED, "--persistent", setting=CAPPED)
    batch.add("an error", FAILING)
    batch.add("leaves", LEAVING)
    batch.add("a slow dataset", SLOW_DATASET)
    batch.add(
        "ranks",
        RANKS,
        launcher="torchrun --standalone --nproc-per-node 2",
        setting=RunConfig(2, 10, look=True),
    )
    yield batch
    batch.end()


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_styles_of_loops(runs: Batch, style: str) -> None:
    text = STYLES[style]
    run, folder = runs.of(style)
    assert run.code == 0, run.stderr
    assert run.record is not None
    assert run.record.why == "window"
    assert run.record.window is not None
    assert run.record.window.steps == 20
    assert run.step_seconds is not None
    assert run.training is not None
    assert run.training.site is not None
    path, row = run.training.site
    assert path == str((folder / "main.py").resolve())
    made = text.splitlines()[row - 1]
    assert "DataLoader(Rows(), 32)" in made or "super().__init__(" in made


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_start_methods(runs: Batch, method: str) -> None:
    run, folder = runs.of(method)
    assert run.code == 0, run.stderr
    assert run.strategies
    assert set(run.strategies) == {"file_descriptor"}
    loader = run.training
    assert loader is not None
    assert loader.site == (str((folder / "main.py").resolve()), 13)
    assert loader.start_method == method
    assert (loader.workers, loader.length, loader.batches) == (1, 10, 12)
    assert [e.kind for e in loader.epochs] == ["new"] * 2
    assert sorted(i for batch in loader.order[0] for i in batch) == list(range(320))
    assert len(loader.hashes[0]) == 10
    assert len(loader.samples[0]) == 320
    assert not (folder / "finally.txt").exists()


@pytest.mark.slow
def test_kept_workers_and_short_epochs(runs: Batch) -> None:
    run, _ = runs.of("short epochs")
    loader = run.training
    assert loader is not None, run.stderr
    assert [e.kind for e in loader.epochs][:3] == ["new", "reset", "reset"]
    assert [e.batches for e in loader.epochs][:3] == [3, 3, 3]
    assert all(e.tail is not None for e in loader.epochs[:3])


@pytest.mark.slow
def test_the_error_that_ends_a_program(runs: Batch) -> None:
    run, _ = runs.of("an error")
    assert run.code == 1
    assert run.record is not None
    assert run.record.error is not None
    assert run.record.error.type == "ValueError"
    assert "mutually exclusive" in run.record.error.message


@pytest.mark.slow
def test_a_dataset_that_takes_time_to_construct(runs: Batch) -> None:
    run, _ = runs.of("a slow dataset")
    assert run.record is not None
    assert run.record.datasets[0].seconds >= 0.2


@pytest.mark.slow
def test_a_program_that_leaves_at_once(runs: Batch) -> None:
    run, _ = runs.of("leaves")
    assert run.code == 3
    assert run.training is not None
    assert run.training.batches == 10


def test_a_program_that_does_not_begin_to_train(launch: Launch) -> None:
    run = launch({"main.py": "import time\ntime.sleep(60)\n"}, startup_limit=1.0)
    assert run.failed
    assert run.over is not None
    assert "start-up limit" in run.over


@pytest.mark.slow
def test_two_ranks_under_torchrun(runs: Batch) -> None:
    run, folder = runs.of("ranks")
    assert run.code == 0, run.stderr
    assert [record.rank for record in run.records] == [0, 1]
    orders = [record.training.order[0] for record in run.records if record.training]
    first, second = ({i for batch in order for i in batch} for order in orders)
    assert not first & second
    assert not list(folder.glob("*.json"))
