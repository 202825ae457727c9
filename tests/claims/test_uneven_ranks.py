"""uneven-ranks, eval-on-one-rank: what one rank does without the others waits for them."""

from __future__ import annotations

from pathlib import Path

from tests.claims.conftest import Interpreter

PROGRAM = """
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

path, rank = sys.argv[1], int(sys.argv[2])
dist.init_process_group("gloo", f"file://{path}", rank=rank, world_size=2)
ones = torch.ones(4, 2)


def shared(model):
    group = dist.new_group(timeout=timedelta(seconds=10))
    return DistributedDataParallel(model, process_group=group)


def alone(name, work):
    # Rank 0 works, and the other takes no part until it has said how that came out.
    done = Path(path + name)
    while rank and not done.exists():
        time.sleep(0.05)
    if rank:
        return
    try:
        work()
    except RuntimeError as error:
        out = str(error).lower()
        print(name, "waits" if "timed out" in out or "timeout" in out else repr(error))
    else:
        print(name, "ends")
    done.touch()


def train(model, batches):
    for _ in range(batches):
        model(ones).sum().backward()


def evaluate(model):
    with torch.no_grad():
        model(ones)


model = shared(torch.nn.Linear(2, 1))
with Join([model]):
    train(model, 3 - rank)
alone("joined", lambda: None)

for name, last in (("plain", torch.nn.ReLU()), ("buffers", torch.nn.BatchNorm1d(2))):
    model = shared(torch.nn.Sequential(torch.nn.Linear(2, 2), last))
    train(model, 1)
    model.eval()
    alone(name + ".module", lambda: evaluate(model.module))
    alone(name, lambda: evaluate(model))

model = shared(torch.nn.Linear(2, 1))
train(model, 2)
alone("a third batch", lambda: train(model, 1))
"""


def test_what_a_rank_does_alone(interpreter: Interpreter, tmp_path: Path) -> None:
    group = str(tmp_path / "group")
    first, _ = interpreter.together(PROGRAM, [(group, "0"), (group, "1")])
    assert first.out.splitlines() == [
        "joined ends",
        "plain.module ends",
        "plain ends",
        "buffers.module ends",
        "buffers waits",
        "a third batch waits",
    ]
