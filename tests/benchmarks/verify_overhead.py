"""What the probe costs in each step of a training loop.

    python tests/benchmarks/verify_overhead.py --repeats 5
    python tests/benchmarks/verify_overhead.py --doctor   # what `dlint doctor` adds in its window

One loop is run with the probe and without it, in processes of their own that take turns. Its steps
are short and all alike. Each process gives the mean of its fastest stretch of some steps; of all
processes of a side the least counts, so that other load on the machine does not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dlint.verify

_PROBE = Path(dlint.verify.__file__).parent / "probe"
_STRETCH = 50
_SCRIPT = f"""
import time

import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Rows(Dataset):
    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        return index


weight = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
moments = []
for index in DataLoader(Rows(), batch_size=None):
    loss = weight.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    moments.append(time.perf_counter())
    if len(moments) == STEPS:
        break
spans = [b - a for a, b in zip(moments, moments[{_STRETCH}:])]
print(min(spans) / {_STRETCH})
"""


def overhead(repeats: int, steps: int, doctor: bool = False) -> tuple[float, float]:
    """Seconds of a step without the probe, and what it adds."""
    plain, probed = [], []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.py"
        script.write_text(_SCRIPT.replace("STEPS", str(steps)))
        for _ in range(repeats):
            plain.append(_step(script, {}))
            probed.append(_step(script, _probe(Path(folder), doctor)))
    return min(plain), min(probed) - min(plain)


def _probe(folder: Path, doctor: bool) -> dict[str, str]:
    """The environment in which Python loads the probe; its window does not end."""
    config = {
        "out": str(folder),
        "launched": time.time(),
        "warmup": 10,
        "steps": 10**9,
        "seconds": None,
        "look": False,
        "doctor": {"seconds": 60.0, "steps": {"warmup": 10, "window": 10**9}} if doctor else None,
    }
    path = folder / "probe.json"
    path.write_text(json.dumps(config))
    return {"DLINT_PROBE": str(path), "PYTHONPATH": str(_PROBE)}


def _step(script: Path, environment: dict[str, str]) -> float:
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--doctor", action="store_true")
    given = parser.parse_args()
    step, added = overhead(given.repeats, given.steps, given.doctor)
    print(f"a step of {step * 1e6:.1f} us; the probe adds {added * 1e6:.2f} us")


if __name__ == "__main__":
    main()
