"""Many sequences of edits: `python -m tests.engine.kept --sequences 300 [--repository DIR]`.

Prints each edit after which a run that keeps answers told other things than one that does not.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from dlint.engine.kept import files
from dlint.workspace.kinds import suffixes
from tests.engine.kept.edits import changed_by_keeping, made
from tests.fuzz.choices import Seeded

COARSE = 20_000_000
"""Nanoseconds that the clock of this machine's file systems may be coarse: so that states count."""
_TEXTS = {*suffixes(), ".txt", ".md", ".cfg"}


def main(argv: list[str]) -> int:
    """Make the sequences. Returns 1 where keeping changed what was told."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine.kept", description=__doc__)
    parser.add_argument("--sequences", type=int, default=300)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="seed of the first sequence")
    parser.add_argument("--repository", type=Path)
    namespace = parser.parse_args(argv)
    files._COARSE = COARSE
    faults = 0
    for seed in range(namespace.first, namespace.first + namespace.sequences):
        for fault in _faults(seed, namespace.steps, namespace.repository):
            faults += 1
            print(f"seed {seed}: {fault}", flush=True)
    print(f"{namespace.sequences} sequences of {namespace.steps} steps: {faults} faults")
    return int(faults > 0)


def _faults(seed: int, steps: int, repository: Path | None) -> list[str]:
    choices = Seeded(seed)
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top, "project")
        if repository is None:
            made(folder, choices)
        else:
            for path in repository.rglob("*"):
                if path.suffix in _TEXTS and path.is_file():
                    copy = folder / path.relative_to(repository)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, copy)
        return list(changed_by_keeping(folder, Path(top, "caches"), choices, steps))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
