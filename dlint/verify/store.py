"""Results kept in the project, to be shown beside findings later."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from dlint.verify.reports.json import data
from dlint.verify.results import Outcome

_FOLDER = Path(".dlint") / "verify"
_MACHINE = ("system", "cpu", "gpu", "affinity", "torch", "python", "ranks")


def save(outcome: Outcome, root: Path) -> None:
    """Keep each result in a file of its own, named by script, fix and environment.

    A project that cannot be written to keeps nothing.
    """
    everything = data(outcome)
    machine = {key: outcome.environment.get(key) for key in _MACHINE}
    with suppress(OSError):
        folder = root / _FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")
        for fix in everything["fixes"]:
            kept = {**everything, "fixes": [fix], "not_tried": []}
            name = _address(outcome, fix, machine)
            (folder / f"{name}.json").write_text(json.dumps(kept), "utf-8")


def _address(outcome: Outcome, fix: dict[str, Any], machine: dict[str, Any]) -> str:
    """A name made of what the result holds for: the texts, not their time."""
    texts = []
    for path in sorted({place["filename"] for place in fix["places"]}):
        with suppress(OSError):
            texts.append(hashlib.sha256(Path(path).read_bytes()).hexdigest())
    key = [outcome.command[1:], fix["rules"], fix["mode"], fix["places"], texts, machine]
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:20]
