"""The steps of PyTorch's tutorial on loading data, each verified against the step before it.

    python tests/benchmarks/verify_tutorial.py --budget 120

The tutorial times each step once, on a GPU. Here the script is our own: 256 images of 64 x 64, five
milliseconds each. On a CPU pinning has nothing to do, and neither has a prefetcher without a stream
to copy on: `no effect` is the right verdict for both, and the command exits with 1 without it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from dlint.verify.judge.results import Result, Verdict
from dlint.verify.options import Options
from dlint.verify.plan.candidates import from_patch
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.report.watching import NullObserver
from dlint.verify.report.words import LABELS
from dlint.verify.run.guard import Guard
from dlint.verify.run.runner import Runner
from dlint.verify.session import Session
from dlint.workspace.reading import Sources

_SCRIPT = """
import time

import torch
from torch.utils.data import DataLoader, Dataset

WORKERS, PIN, KEEP, PREFETCH, TOGETHER = 0, False, False, False, False
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Images(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.full((3, 64, 64), index / 256), index % 10

    if TOGETHER:

        def __getitems__(self, indices):
            time.sleep(0.005)
            return [(torch.full((3, 64, 64), index / 256), index % 10) for index in indices]


class Prefetcher:
    def __init__(self, loader):
        self.loader = loader
        self.stream = torch.cuda.Stream() if DEVICE.type == "cuda" else None

    def __iter__(self):
        self.batches = iter(self.loader)
        self.load()
        while self.following is not None:
            if self.stream is not None:
                torch.cuda.current_stream().wait_stream(self.stream)
            now = self.following
            self.load()
            yield now

    def load(self):
        batch = next(self.batches, None)
        if batch is not None:
            with torch.cuda.stream(self.stream):
                batch = [part.to(DEVICE, non_blocking=True) for part in batch]
        self.following = batch


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers = [torch.nn.Conv2d(3, 8, 3, 2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(4)]
    model = torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(128, 10)).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(
        Images(), batch_size=16, shuffle=True, num_workers=WORKERS, pin_memory=PIN,
        persistent_workers=KEEP,
    )
    for epoch in range(1000):
        for images, labels in Prefetcher(loader) if PREFETCH else loader:
            images, labels = (x.to(DEVICE, non_blocking=PIN) for x in (images, labels))
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
"""
_PLAIN = "WORKERS, PIN, KEEP, PREFETCH, TOGETHER = 0, False, False, False, False"


class Step(NamedTuple):
    """One step of the tutorial."""

    name: str
    facts: str
    tutorial: str
    """The speedup over the step before, by the output on the tutorial's page."""


STEPS = (
    Step("baseline", "0, False, False, False, False", "1.00x"),
    Step("num_workers=4", "4, False, False, False, False", "3.30x"),
    Step("pin_memory", "4, True, False, False, False", "1.01x"),
    Step("persistent_workers", "4, True, True, False, False", "1.13x"),
    Step("prefetcher", "4, True, True, True, False", "1.00x"),
    Step("__getitems__", "4, True, True, True, True", "3.06x"),
)


def main() -> int:
    """Walk the steps. Returns 1 when fewer than two have no effect on a CPU."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=120.0, help="seconds for each step")
    parser.add_argument("--design", choices=("duet", "pairs"), default="duet")
    given = parser.parse_args()
    print("| step | verdict here | over the step before | interval | pairs | tutorial |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    without = 0
    for before, after in pairwise(STEPS):
        result = _verified(before, after, given)
        without += result.verdict is Verdict.NO_EFFECT
        print(_row(after, result), flush=True)
    return int(without < 2)


def _text(step: Step) -> str:
    return _SCRIPT.replace(_PLAIN, _PLAIN.partition("=")[0] + f"= {step.facts}")


def _verified(before: Step, after: Step, given: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder).resolve() / "train.py"
        script.write_text(_text(before))
        tried = [from_patch(after.name, {str(script): _text(after)})]
        options = Options(budget=given.budget, design=given.design)
        with (
            Guard() as guard,
            Runner(TargetScript(script), script.parent, {}, 120.0, script.parent, guard) as runner,
        ):
            outcome = Session(runner, tried, Sources(), options, NullObserver()).run()
    (result,) = outcome.results
    return result


def _row(step: Step, result: Result) -> str:
    found = result.estimate
    numbers = ("", "", "")
    if found is not None:
        numbers = (f"{found.speedup:.2f}x", f"{found.low:.2f}..{found.high:.2f}", str(found.pairs))
    verdict = LABELS[result.verdict]
    return f"| {step.name} | {verdict} | {' | '.join(numbers)} | {step.tutorial} |"


if __name__ == "__main__":
    sys.exit(main())
