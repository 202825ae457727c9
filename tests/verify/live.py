"""Programs whose truth is timed by hand: what each epoch or step takes is written by the program.

`tests/benchmarks/verify_truth.py` runs them without dlint and with it; the suite checks that they
run and that each change is one. They wait where others would read or compute, so that what they
take does not hang on what else the machine does.
"""

from __future__ import annotations

from typing import NamedTuple

_TEXT = '''\
import json
import os
import random
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

LENGTH = {length}
BATCH = 4


def cost(step):
    return {cost}


class Rows(Dataset):
    """The first sample of each batch takes what the batch does."""

    def __init__(self, length):
        self.length, self.read = length, 0

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        step, place = divmod(self.read, BATCH)
        self.read += 1
        if place == 0:
            time.sleep(cost(step))
        return torch.full((64,), float(index)), index % 3


def validate(model):
    time.sleep({validation})


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    time.sleep({start})
    ranks = int(os.environ.get("WORLD_SIZE", "1"))
    if ranks > 1:
        dist.init_process_group("gloo")
    model = torch.nn.Linear(64, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    loader = DataLoader(Rows(LENGTH), BATCH, shuffle=True{settings})
    clock = Clock()
    for epoch in range(1000):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x / LENGTH), y)
            optimizer.zero_grad()
            loss.backward()
            if ranks > 1:
                for parameter in model.parameters():
                    dist.all_reduce(parameter.grad)
            optimizer.step()
            time.sleep({step})
            {work}
            clock.step()
        validate(model)
        clock.epoch()


class Clock:
    """Times by hand: after so many steps or epochs it writes when each ended, and ends."""

    def __init__(self):
        self.steps, self.epochs = [], []
        self.wanted = json.loads(os.environ.get("BY_HAND", "null"))

    def step(self):
        if self.wanted:
            self.steps.append(time.perf_counter())
            self.write("steps")

    def epoch(self):
        if self.wanted:
            self.epochs.append(time.perf_counter())
            self.write("epochs")

    def write(self, kind):
        if len(getattr(self, kind)) > self.wanted.get(kind, 10**9):
            if os.environ.get("RANK", "0") == "0":
                with open(self.wanted["file"], "w") as file:
                    json.dump(getattr(self, kind), file)
            os._exit(0)


if __name__ == "__main__":
    main()
'''
_FACTS = {
    "length": 400_000,
    "cost": "0.01",
    "step": "0.001",
    "work": "pass",
    "start": "0.0",
    "validation": "0.0",
    "settings": "",
}


class Known(NamedTuple):
    """A program and a change of it."""

    before: str
    after: str
    steps: int = 0
    """How many steps are timed by hand, as one; none where epochs are."""
    epochs: int = 0
    launcher: str = ""


_KEPT = """\
batches = []


def kept(loader):
    if not batches:
        batches.extend(batch for batch, _ in zip(loader, range(8)))
    for number in range(len(loader)):
        yield batches[number % 8]


def main():
"""


def program(**facts: object) -> str:
    """A program by its facts: how many samples, what a batch and a step take, and the others."""
    return _TEXT.format(**{**_FACTS, **facts})


def _known(before: dict[str, str], after: dict[str, str], **facts: object) -> Known:
    shared = {key: facts.pop(key) for key in list(facts) if key in _FACTS}
    texts = (program(**shared, **side) for side in (before, after))
    return Known(*texts, **facts)  # type: ignore[arg-type]


def _costs(before: str, after: str, steps: int = 800, **facts: object) -> Known:
    return _known({"cost": before}, {"cost": after}, steps=steps, **facts)


class Tunable(NamedTuple):
    """A program whose loader is tuned."""

    facts: dict[str, object]
    present: dict[str, object]
    """The settings that it has."""
    steps: int = 0
    epochs: int = 0

    def text(self, settings: dict[str, object]) -> str:
        """The program with these settings."""
        given = "".join(f", {name}={value!r}" for name, value in settings.items())
        return program(**self.facts, settings=given)

    def replayed(self) -> str:
        """The program as it is, but that it keeps eight batches and takes them again and again."""
        text = self.text(self.present).replace("in loader:", "in kept(loader):")
        return text.replace("def main():\n", _KEPT)


_TAIL = "min(0.5, {scale} * (1 - random.Random(step).random()) ** -0.5)"
_WORKERS = ", num_workers=2"

KNOWN = {
    "constant, twice as fast": _costs("0.02", "0.01"),
    "constant, a quarter faster": _costs("0.0125", "0.0098"),
    "constant, a tenth faster": _costs("0.0125", "0.0113"),
    "nothing gained": _costs("0.010", "0.0100"),
    "slower": _costs("0.010", "0.014"),
    "a stall in forty steps": _costs("0.4 if step % 40 == 39 else 0.011", "0.011", 600),
    "bursts of a hundred steps": _costs("0.03 if step % 300 < 100 else 0.01", "0.01", 900),
    "a slow step in seven": _costs("0.06 if step % 7 == 0 else 0.01", "0.01", 700),
    "heavy tails": _costs(_TAIL.format(scale=0.01), _TAIL.format(scale=0.005), 1000),
    "drift": _costs("min(0.03, 0.01 + 5e-6 * step)", "min(0.015, 0.005 + 2.5e-6 * step)", 1000),
    "epochs with a validation": _costs(
        "0.032", "0.013", 0, epochs=6, length=200, validation="1.0", step="0.0"
    ),
    "a validation that is faster": _known(
        {"validation": "1.2"}, {"validation": "0.4"}, epochs=6, length=200
    ),
    "workers started anew": _known(
        {"settings": _WORKERS},
        {"settings": _WORKERS + ", persistent_workers=True"},
        epochs=16,
        length=160,
    ),
    "workers": _known({}, {"settings": _WORKERS}, steps=800, cost="0.02", step="0.012"),
    "two ranks": _costs("0.02", "0.012", 600, launcher="torchrun --nproc-per-node 2"),
}

TUNABLE = {
    "one worker, four would do": Tunable(
        {"cost": "0.08", "step": "0.022"}, {"num_workers": 1}, 400
    ),
    "no workers yet": Tunable({"cost": "0.03", "step": "0.02"}, {}, 400),
    "a slow batch in twelve": Tunable(
        {"cost": "0.32 if step % 12 == 5 else 0.024", "step": "0.03"}, {"num_workers": 2}, 480
    ),
    "the best already": Tunable(
        {"cost": "0.02", "step": "0.03"}, {"num_workers": 2, "persistent_workers": True}, 400
    ),
    "workers anew for forty steps": Tunable(
        {"cost": "0.03", "step": "0.02", "length": 160}, {"num_workers": 2}, epochs=8
    ),
}

_SORT = "torch.rand(20000).sort()"
CEILINGS = {
    "reading, no workers": Tunable({"cost": "0.03", "step": "0.02"}, {}, 300),
    "reading, one worker": Tunable({"cost": "0.06", "step": "0.025"}, {"num_workers": 1}, 300),
    "reading, workers enough": Tunable({"cost": "0.02", "step": "0.03"}, {"num_workers": 2}, 300),
    "work on the processor": Tunable({"cost": "0.02", "work": _SORT}, {}, 300),
    "a start of ten seconds": Tunable({"cost": "0.03", "step": "0.02", "start": "10.0"}, {}, 300),
    "workers anew for forty steps": Tunable(
        {"cost": "0.02", "step": "0.02", "length": 160}, {"num_workers": 2}, 300
    ),
}
