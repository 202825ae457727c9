"""Whether the ceiling of `dlint doctor` is what the loop takes when its batches lie in memory.

    python tests/benchmarks/doctor_ceiling.py OUT [--only WORDS]

Each program of `CEILINGS` in `tests/verify/live.py` is looked at by the command. Without dlint it
then runs by itself, twice as it is and twice with eight batches that it takes again and again. Each
line of OUT is one program: a step by hand and by the doctor, both as it is and with batches from
memory, and how long the command took. Started again, what OUT lacks is done.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(_ROOT))

from tests.benchmarks.verify_errors import ended_by, load_average  # noqa: E402
from tests.benchmarks.verify_truth import timed  # noqa: E402
from tests.verify.live import CEILINGS, Tunable  # noqa: E402


def main() -> None:
    """Look at them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="", help="part of a name")
    given = parser.parse_args()
    done = given.out.read_text("utf-8").splitlines() if given.out.exists() else []
    names = {json.loads(line)["program"] for line in done}
    for name, program in CEILINGS.items():
        if name not in names and given.only in name:
            line = {"program": name, **_looked_at(program), **_by_hand(program)}
            with given.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)


def _by_hand(program: Tunable) -> dict[str, float]:
    texts = {"now_by_hand": program.text(program.present), "free_by_hand": program.replayed()}
    found = {}
    for name, text in texts.items():
        with tempfile.TemporaryDirectory() as folder:
            twice = [timed(program, text, Path(folder)) for _ in range(2)]
        found[name] = round(statistics.fmean(twice), 5)
    return found


def _looked_at(program: Tunable) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "train.py").write_text(program.text(program.present))
        (folder / "pyproject.toml").write_text('[project]\nname = "programs"\n')
        result = folder / "result.json"
        command = [sys.executable, "-m", "dlint", "doctor", "train.py", "--quiet"]
        command += ["--output-format", "json", "--output-file", str(result)]
        begun = time.time()
        failed = ended_by(command, folder, 300)
        found = json.loads(result.read_text()) if result.exists() else None
    seconds = {"seconds": round(time.time() - begun), "load": load_average()}
    return {**seconds, **(failed if found is None else _told(found))}


def _told(document: dict[str, Any]) -> dict[str, Any]:
    found = document["ceiling"]
    return {"now": found["now"], "free": found["free_step"], "replayed": found["replayed"]}


if __name__ == "__main__":
    main()
