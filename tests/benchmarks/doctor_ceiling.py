"""Whether the ceiling of `dlint doctor` is what the loop takes when its batches lie in memory.

    python tests/benchmarks/doctor_ceiling.py OUT [--only WORDS]

Each program of `CEILINGS` in `tests/verify/live.py` is looked at by the command. Without dlint it
then runs by itself, twice as it is and twice with eight batches that it takes again and again. Each
line of OUT is one program: a step by hand and by the doctor, both as it is and with batches from
memory, and how long the command took. Started again, what OUT lacks is done.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(_ROOT))

from tests.benchmarks.by_hand import Line, add_lines, parser, told_by  # noqa: E402
from tests.benchmarks.verify_truth import timed  # noqa: E402
from tests.verify.live import CEILINGS, Tunable  # noqa: E402


def main() -> None:
    """Look at them all."""
    given = parser(__doc__).parse_args()
    add_lines(given, CEILINGS, lambda program: {**_looked_at(program), **_by_hand(program)})


def _by_hand(program: Tunable) -> dict[str, float]:
    texts = {"now_by_hand": program.text(program.present), "free_by_hand": program.replayed()}
    found = {}
    for name, text in texts.items():
        with tempfile.TemporaryDirectory() as folder:
            twice = [timed(program, text, Path(folder)) for _ in range(2)]
        found[name] = round(statistics.fmean(twice), 5)
    return found


def _looked_at(program: Tunable) -> Line:
    return told_by(["doctor"], {"train.py": program.text(program.present)}, 300, _told)


def _told(document: dict[str, Any]) -> dict[str, Any]:
    found = document["ceiling"]
    return {"now": found["now"], "free": found["free_step"], "replayed": found["replayed"]}


if __name__ == "__main__":
    main()
