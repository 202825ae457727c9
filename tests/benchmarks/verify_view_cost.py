"""What a view costs a loop that reads and decodes images (as PNG does), in CPU time.

    python tests/benchmarks/verify_view_cost.py --pairs 12 --view overlay

Each loop is a process of its own, without and with the view in the order ABBA, over the same files
in a warm page cache. A view can only cost where files are opened and read, so that is timed by
itself, thirty times as often, and what is added compared with a whole image. Prints JSON; exits
with 1 where that is more than a hundredth.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(_ROOT))

from dlint.verify.run.view.choice import View, choose  # noqa: E402
from dlint.verify.run.view.removal import remove  # noqa: E402

_LOOP = """
import os, time, zlib
import numpy
names = [os.path.join("images", name) for name in sorted(os.listdir("images"))]
def read(name):
    with open(name, "rb") as file:
        return file.read()
def look(name):
    pixels = numpy.frombuffer(zlib.decompress(read(name)), numpy.uint8).reshape(375, 500, 3)
    numpy.ascontiguousarray(pixels[75:299, 138:362]).astype(numpy.float32) / 255
for function, times in ((read, 30), (look, 1)):
    for name in names:
        read(name)
    begun = time.process_time()
    for _ in range(times):
        for name in names:
            function(name)
    print((time.process_time() - begun) / times / len(names))
"""
_PICTURES = """
import os, zlib
import numpy
os.mkdir("images")
draw = numpy.random.default_rng(0)
for number in range({count}):
    steps = draw.integers(-3, 4, (375, 500, 3)).cumsum(1).astype(numpy.uint8)
    with open(f"images/{{number:05}}.z", "wb") as file:
        file.write(zlib.compress(steps.tobytes(), 1))
"""
_PROBE = _ROOT / "dlint" / "verify" / "probe"


def main(arguments: Sequence[str]) -> int:
    """Measure. Returns 1 where it costs too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--view", default="overlay")
    given = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp()).resolve()
    project, scratch = folder / "project", folder / "scratch"
    project.mkdir()
    scratch.mkdir()
    words = [sys.executable, "-c", _PICTURES.format(count=given.images)]
    subprocess.run(words, cwd=project, check=True)
    view = choose(scratch, project, (given.view,))
    pairs = [_pair(view, project, bool(number % 2)) for number in range(given.pairs)]
    remove(folder)
    added = [after.read - before.read for before, after in pairs]
    whole = statistics.median(before.look for before, _ in pairs)
    cost = statistics.median(added) / whole
    error = statistics.stdev(added) / whole / len(pairs) ** 0.5
    said = {
        "view": view.kind,
        "pairs": given.pairs,
        "microseconds to open and read": round(
            1e6 * statistics.median(b.read for b, _ in pairs), 1
        ),
        "of which the view adds": round(1e6 * statistics.median(added), 1),
        "microseconds an image": round(1e6 * whole, 1),
        "share": f"{cost:.2%} (standard error {error:.2%})",
    }
    print(json.dumps(said))
    return int(cost > 0.01)


class _Seconds(NamedTuple):
    """CPU time an image."""

    read: float
    look: float


def _pair(view: View, project: Path, turned: bool) -> tuple[_Seconds, _Seconds]:
    """Without and with the view."""
    found = {with_it: _loop(view if with_it else None, project) for with_it in (turned, not turned)}
    return found[False], found[True]


def _loop(view: View | None, project: Path) -> _Seconds:
    words, added = [sys.executable, "-c", _LOOP], {}
    if view is not None:
        folder = Path(tempfile.mkdtemp(dir=view.scratch))
        words = view.command(words, folder, project)
        facts = {"out": str(folder), "launched": 0.0, "redirect": view.redirection(folder)}
        (folder / "probe.json").write_text(json.dumps(facts))
        added = {"PYTHONPATH": str(_PROBE), "DLINT_PROBE": str(folder / "probe.json")}
    done = subprocess.run(
        words,
        cwd=project,
        env={**os.environ, **added},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return _Seconds(*map(float, done.stdout.split()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
