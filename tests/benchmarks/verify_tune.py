"""Whether `dlint verify --tune` finds the best settings, which a search of all of them knows.

    python tests/benchmarks/verify_tune.py OUT [--only WORDS]

Each program of `TUNABLE` in `tests/verify/live.py` is tuned with the usual budget. Then it runs by
itself, without dlint, once with every setting of the search and with what was recommended, or with
its own settings where nothing was. Each line of OUT is one program. Started again, what OUT lacks
is done.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(_ROOT))

from tests.benchmarks.verify_errors import ended_by, load_average  # noqa: E402
from tests.benchmarks.verify_truth import timed  # noqa: E402
from tests.verify.live import TUNABLE, Tunable  # noqa: E402

_WORKERS = (0, 1, 2, 3, 4, 5, 6, 8)
_PREFETCH = (2, 4)


def main() -> None:
    """Tune them, and search all settings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="", help="part of a name")
    given = parser.parse_args()
    done = given.out.read_text("utf-8").splitlines() if given.out.exists() else []
    names = {json.loads(line)["program"] for line in done}
    for name, tunable in TUNABLE.items():
        if name not in names and given.only in name:
            line = {"program": name, **_line(tunable)}
            with given.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)


def _line(tunable: Tunable) -> dict[str, Any]:
    tuned = _tuned(tunable)
    recommended = tuned.get("recommended")
    chosen = {**tunable.present, **(recommended or {})}
    searched = {json.dumps(s): _by_hand(tunable, s) for s in _settings()}
    best = min(searched, key=searched.__getitem__)
    seconds = min(_by_hand(tunable, chosen), searched.get(json.dumps(chosen), float("inf")))
    return {
        **tuned,
        "chosen": chosen,
        "chosen_seconds": round(seconds, 5),
        "best": json.loads(best),
        "best_seconds": round(searched[best], 5),
        "present_seconds": round(_by_hand(tunable, tunable.present), 5),
        "beyond_best": round(seconds / searched[best] - 1, 4),
        "searched": {key: round(value, 5) for key, value in searched.items()},
    }


def _settings() -> Iterator[dict[str, object]]:
    yield {"num_workers": 0}
    for workers in _WORKERS[1:]:
        for prefetch in _PREFETCH:
            yield {
                "num_workers": workers,
                "prefetch_factor": prefetch,
                "persistent_workers": True,
            }


def _by_hand(tunable: Tunable, settings: dict[str, object]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return timed(tunable, tunable.text(settings), Path(folder))


def _tuned(tunable: Tunable) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "train.py").write_text(tunable.text(tunable.present))
        (folder / "pyproject.toml").write_text('[project]\nname = "programs"\n')
        result = folder / "result.json"
        command = [sys.executable, "-m", "dlint", "verify", "train.py", "--tune", "--no-save", "-q"]
        command += ["--output-format", "json", "--output-file", str(result)]
        begun = time.time()
        failed = ended_by(command, folder, 900)
        found = json.loads(result.read_text()) if result.exists() else None
    seconds = {"seconds": round(time.time() - begun), "load": load_average()}
    return {**seconds, **(failed if found is None else _told(found))}


def _told(document: dict[str, Any]) -> dict[str, Any]:
    keys = ("verdict", "why", "pairs", "speedup", "low", "high")
    fixes = [{key: fix[key] for key in keys} for fix in document["fixes"]]
    tune = document["tune"] or {}
    return {"recommended": tune.get("recommended"), "why": tune.get("why"), "fixes": fixes}


if __name__ == "__main__":
    main()
