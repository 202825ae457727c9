"""Whether `dlint verify --tune` finds the best settings, which a search of all of them knows.

    python tests/benchmarks/verify_tune.py OUT [--only WORDS]

Each program of `TUNABLE` in `tests/verify/live.py` is tuned with the usual budget. Then it runs by
itself, without dlint, once with every setting of the search and with what was recommended, or with
its own settings where nothing was. Each line of OUT is one program. Started again, what OUT lacks
is done.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(_ROOT))

from tests.benchmarks.by_hand import Line, add_lines, parser, told_by  # noqa: E402
from tests.benchmarks.verify_truth import timed  # noqa: E402
from tests.verify.live import TUNABLE, Tunable  # noqa: E402

_WORKERS = (0, 1, 2, 3, 4, 5, 6, 8)
_PREFETCH = (2, 4)


def main() -> None:
    """Tune them, and search all settings."""
    add_lines(parser(__doc__).parse_args(), TUNABLE, _line)


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


def _tuned(tunable: Tunable) -> Line:
    files = {"train.py": tunable.text(tunable.present)}
    return told_by(["verify", "--tune", "--no-save"], files, 900, _told)


def _told(document: dict[str, Any]) -> dict[str, Any]:
    keys = ("verdict", "why", "pairs", "speedup", "low", "high")
    fixes = [{key: fix[key] for key in keys} for fix in document["fixes"]]
    tune = document["tune"] or {}
    return {"recommended": tune.get("recommended"), "why": tune.get("why"), "fixes": fixes}


if __name__ == "__main__":
    main()
