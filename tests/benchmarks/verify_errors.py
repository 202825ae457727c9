"""How often `dlint verify` calls a program different from itself, and what it finds.

    python tests/benchmarks/verify_errors.py live OUT --count 20 --budget 60
    python tests/benchmarks/verify_errors.py power OUT --count 5 --budget 60
    python tests/benchmarks/verify_errors.py summary OUT...
    python tests/benchmarks/verify_errors.py record OUT --runs 60
    python tests/benchmarks/verify_errors.py trace OUT --seconds 150

`live` verifies scripts against themselves, `power` against versions whose samples cost less: with
the command, each within a time limit. Started again, both go on with what OUT lacks; `summary`
counts their verdicts. `record` runs one script many times. `trace` runs it once, for long, and cuts
its steps into windows of half a second: they stand for runs, but lack what differs from process to
process. Each line of OUT is one verification or series. verify_replay.py applies the decision rule
to such series.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dlint.verify.measure.windows import step_times
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run.runner import RunConfig, Runner, Variant

_ROOT = Path(__file__).parent.parent.parent
_SCRIPT = """
import time

import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Rows(Dataset):
    def __len__(self):
        return {length}

    def __getitem__(self, index):
        {work}
        return torch.full((64,), float(index)), index % 3


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(64, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Rows(), 16, shuffle=True, num_workers={workers})
    for epoch in range(1000):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
"""
_SLEEP = "time.sleep(0.001)"
_BESIDE = 0.00011
"""Seconds of a sample beside its sleep, with its share of the step."""
_SORT = "torch.rand(6000).sort()"
SCRIPTS = {
    "sleep, no workers": {"work": _SLEEP, "workers": 0, "length": 100_000},
    "sleep, one worker, short epochs": {"work": _SLEEP, "workers": 1, "length": 800},
    "compute, no workers": {"work": _SORT, "workers": 0, "length": 100_000},
    "compute, one worker": {"work": _SORT, "workers": 1, "length": 100_000},
}


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=[*_COMMANDS, "summary"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=150.0)
    parser.add_argument("--design", choices=("duet", "pairs"), default="duet")
    given = parser.parse_args()
    if given.command == "summary":
        _summary(given)
        return
    lines = _COMMANDS[given.command](given)
    with given.files[0].open("a", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
            file.flush()
            print({k: v for k, v in line.items() if k != "values"}, flush=True)


def _live(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    done = _done(given)
    for number in range(given.count):
        name = list(SCRIPTS)[number % len(SCRIPTS)]
        if done[name]:
            done[name] -= 1
            continue
        yield _verified(name, _text(name), None, given)


def _power(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A cost of each sample whose removal is worth 1.25x and 2x of the whole step, in turn."""
    done = _done(given)
    for number in range(2 * given.count):
        speedup = (1.25, 2.0)[number % 2]
        name = f"cost worth {speedup}x"
        if done[name]:
            done[name] -= 1
            continue
        more = (speedup - 1) * (0.001 + _BESIDE)
        before = _text("sleep, no workers", f"time.sleep({0.001 + more})")
        yield _verified(name, before, _text("sleep, no workers"), given)


def _done(given: argparse.Namespace) -> Counter[str]:
    """What an earlier start of the same command wrote, by name."""
    if not given.files[0].exists():
        return Counter()
    lines = map(json.loads, given.files[0].read_text("utf-8").splitlines())
    mine = (x for x in lines if x.get("design") == given.design and "verdict" in x)
    return Counter(line["script"] for line in mine)


def _text(name: str, work: str | None = None) -> str:
    facts = dict(SCRIPTS[name])
    if work is not None:
        facts["work"] = work
    return _SCRIPT.format(**facts)


def _verified(
    name: str, text: str, changed: str | None, given: argparse.Namespace
) -> dict[str, Any]:
    """One verification by the command. What takes far longer than its budget is interrupted."""
    with tempfile.TemporaryDirectory() as folder:
        script, result = Path(folder).resolve() / "train.py", Path(folder) / "result.json"
        script.write_text(text)
        (script.parent / "pyproject.toml").write_text('[project]\nname = "programs"\n')
        command = [sys.executable, "-m", "dlint", "verify", script.name, "--no-save", "--quiet"]
        command += ["--budget", f"{given.budget:.0f}s", "--design", given.design]
        command += ["--output-format", "json", "--output-file", str(result)]
        if changed is None:
            command.append("--self-test")
        else:
            patch = script.with_name("cheaper.patch")
            patch.write_text(difference(text, changed))
            command += ["--fix-file", patch.name]
        begun = time.time()
        ended = ended_by(command, script.parent, 3 * given.budget + 240)
        found = json.loads(result.read_text()) if result.exists() else None
    seconds = round(time.time() - begun)
    facts = {"design": given.design, "script": name, "seconds": seconds, "load": load_average()}
    return {**facts, **(ended if found is None else _line(found))}


def ended_by(command: Sequence[str], folder: Path, limit: float) -> dict[str, Any]:
    """Run a command. Returns what there is to say where it gives no result."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        _, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    return {"verdict": "none", "why": errors[-300:], "exit_code": process.returncode}


def difference(before: str, after: str) -> str:
    lines = (text.splitlines(keepends=True) for text in (before, after))
    return "".join(difflib.unified_diff(*lines, "a/train.py", "b/train.py"))


def load_average() -> float | None:
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _line(document: dict[str, Any]) -> dict[str, Any]:
    (fix,) = document["fixes"]
    samples = fix["samples"] or {"runs": [], "log_ratios": []}
    of_itself = fix["rule"] == "itself" and fix["details"].get("design") == "pairs"
    return {
        **{key: fix[key] for key in ("verdict", "why", "pairs")},
        "speedup": fix["speedup"] and round(fix["speedup"], 4),
        "interval": fix["low"] and [round(fix["low"], 4), round(fix["high"], 4)],
        "spread": fix["spread"] and round(fix["spread"], 4),
        "used": fix["details"].get("design"),
        "ratios": [round(ratio, 5) for ratio in samples["log_ratios"]],
        "values": [run["value"] for run in samples["runs"]] if of_itself else [],
    }


def _summary(given: argparse.Namespace) -> None:
    """How often each verdict was given, by design and script."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    for path in given.files:
        for line in map(json.loads, path.read_text("utf-8").splitlines()):
            if "verdict" in line:
                key = line["design"], line["script"]
                rows.setdefault(key, Counter())[line["verdict"]] += 1
    for (design, script), counts in sorted(rows.items()):
        told = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
        print(f"{design}: {script}: {told}")


def _record(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name in SCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder).resolve() / "train.py"
            script.write_text(_text(name))
            with Runner(TargetScript(script), script.parent, {}, 120.0, script.parent) as runner:
                variant = Variant("x", {str(script): script.read_bytes()})
                runs = (runner.run(variant, RunConfig(10, 80)) for _ in range(given.runs))
                values = [run.step_seconds for run in runs if run.step_seconds is not None]
        yield {"script": name, "values": values}


def _trace(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name in SCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder).resolve() / "train.py"
            script.write_text(_text(name))
            setting = RunConfig(10, 10**9, seconds=given.seconds, limit=given.seconds + 60)
            with Runner(TargetScript(script), script.parent, {}, 120.0, script.parent) as runner:
                run = runner.run(Variant("x", {str(script): script.read_bytes()}), setting)
        steps = step_times(run)
        size = max(8, round(0.5 / statistics.median(steps)))
        chunks = [steps[at : at + size] for at in range(0, len(steps) - size, size)]
        yield {"script": name, "values": [round(statistics.fmean(c), 7) for c in chunks]}


_COMMANDS: dict[str, Callable[[argparse.Namespace], Iterator[dict[str, Any]]]] = {
    "live": _live,
    "record": _record,
    "trace": _trace,
    "power": _power,
}


if __name__ == "__main__":
    main()
