"""What becomes of the user's files when a script that spoils them is verified, and that is ended at
a random moment: nothing.

    python tests/benchmarks/verify_files.py --count 50 --seed 7 --view overlay

The script overwrites, appends, renames, deletes and makes files in its folder, in a linked one, by
absolute paths, in the home, from its workers and from child processes. Verify is ended by Ctrl-C,
twice Ctrl-C, SIGTERM or SIGKILL; then bytes, rights, times and links must be as they were, and no
process may be left that could still write. `--view user` is `overlay` without the rights of an
administrator. Prints one JSON line each, and exits with 1 if anything was changed.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(_ROOT))

from tests.verify import spoiler  # noqa: E402

_WAYS = {
    "Ctrl-C": (signal.SIGINT,),
    "Ctrl-C twice": (signal.SIGINT, signal.SIGINT),
    "SIGTERM": (signal.SIGTERM,),
    "SIGKILL": (signal.SIGKILL,),
}
_PLAIN = ["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"]
_VIEWS: dict[str, tuple[list[str], str, list[str]]] = {
    "overlay": ([], "overlay", ["native"]),
    "user": (_PLAIN, "overlay", ["native"]),
    "landlock": ([], "landlock", ["native"]),
    "redirect": ([], "redirect", []),
}
"""Words before the command, what the view rests on, and what the script does besides: where only
Python's own writing is led elsewhere, no other program may spoil."""
_PATIENCE = 25.0


def main(arguments: Sequence[str]) -> int:
    """End it so many times. Returns 1 if anything was changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--latest", type=float, default=20.0, help="the latest moment, in seconds")
    parser.add_argument("--view", choices=_VIEWS, default="overlay")
    given = parser.parse_args(arguments)
    draw = random.Random(given.seed)
    wrong = trained = 0
    for number in range(given.count):
        found = _end(draw, list(_WAYS)[number % len(_WAYS)], given)
        wrong += bool(found["changed"] or found["left"] or found["code"] is None)
        trained += found["ran"]
        print(json.dumps({"number": number, **found}), flush=True)
    said = {"view": given.view, "ended": given.count, "while it ran": trained, "changed": wrong}
    print(json.dumps(said), flush=True)
    return int(wrong > 0)


def _end(draw: random.Random, way: str, given: argparse.Namespace) -> dict[str, Any]:
    """One verification that is ended, and what it changed."""
    moment = draw.uniform(0.5, given.latest)
    folder = Path(tempfile.mkdtemp()).resolve()
    top, home, temporary = folder / "top", folder / "home", folder / "tmp"
    project, other = spoiler.lay_out(top)
    home.mkdir()
    temporary.mkdir()
    shutil.copy(spoiler.__file__, project / "train.py")
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    os.utime(project, (5, 5))
    before = {**spoiler.tree(top), **spoiler.tree(home)}
    places = {"HOME": str(home), "TMPDIR": str(temporary)}
    code, ran = _verify(project, other, places, moment, _WAYS[way], given.view)
    end = time.monotonic() + _PATIENCE
    while (left := _left(folder)) and time.monotonic() < end:
        time.sleep(0.1)
    changed = spoiler.changed(before, {**spoiler.tree(top), **spoiler.tree(home)})
    shutil.rmtree(folder, ignore_errors=True)
    found = {"way": way, "at": round(moment, 2), "code": code, "ran": ran}
    return {**found, "changed": changed, "left": left}


def _verify(
    project: Path,
    other: Path,
    places: dict[str, str],
    moment: float,
    numbers: Sequence[int],
    view: str,
) -> tuple[int | None, bool]:
    """Returns the exit code, and whether a run had begun."""
    before, kind, ways = _VIEWS[view]
    options = ["--self-test", "--no-save", "--budget", "10m", "--keep-going", "--view", kind]
    words = [sys.executable, "-m", "dlint", "verify", "train.py", *options]
    ours, theirs = pty.openpty()
    os.write(ours, b"y\n")  # where it is asked
    with subprocess.Popen(
        [*before, *words, "--", str(other), "train", *ways],
        cwd=project,
        env={**os.environ, **places, "PYTHONPATH": str(_ROOT), "TERM": "dumb"},
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        time.sleep(moment)
        ran = any(Path(places["TMPDIR"]).glob("dlint-*/dlint-*/*/out/injected"))
        for number in numbers:
            process.send_signal(number)
            time.sleep(0.1)
        try:
            return process.wait(60), ran
        except subprocess.TimeoutExpired:
            process.kill()
            return None, ran
        finally:
            os.close(ours)


def _left(folder: Path) -> list[str]:
    """Processes that name the folder, and live."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and int(path.name) != os.getpid():
            try:
                named = str(folder).encode() in (path / "environ").read_bytes()
                words = (path / "cmdline").read_bytes().replace(b"\0", b" ")
            except OSError:
                continue
            if named and words:
                found.append(words.decode("utf-8", "replace")[:200])
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
