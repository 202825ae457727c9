"""The user's Python, which may be older than dlint's own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

from dlint.workspace.errors import UsageError

OLDEST = (3, 9)
OLDEST_TORCH = (2, 2)
_PATIENCE = 60.0
_ASK = """
import json, sys
found = {"python": sys.version_info[:2], "torch": None}
try:
    from importlib.metadata import version
    found["torch"] = version("torch")
except Exception:
    pass
print(json.dumps(found))
"""


def checked_interpreter(given: str) -> str:
    """The path of an interpreter, or of an environment's folder, that can run a script to be
    measured. Raises UsageError."""
    path = Path(given)
    name = str(path / "bin" / "python") if path.is_dir() else given
    found = shutil.which(name)
    if found is None:
        raise UsageError(f"`--python {given}`: there is no such interpreter")
    facts = _asked(found, given)
    if tuple(facts["python"]) < OLDEST:
        version = ".".join(map(str, facts["python"]))
        raise UsageError(f"`--python {given}`: it is Python {version}, and 3.9 is needed")
    torch = str(facts["torch"] or "")
    numbers = tuple(int(number) for number in re.findall(r"\d+", torch)[:2])
    if numbers and numbers < OLDEST_TORCH:
        raise UsageError(f"`--python {given}`: it has torch {torch}, and 2.2 is needed")
    if not numbers:
        raise UsageError(f"`--python {given}`: it has no torch")
    return str(Path(found).absolute())


def _asked(path: str, given: str) -> dict[str, tuple[int, int]]:
    try:
        done = subprocess.run(
            [path, "-c", _ASK], capture_output=True, text=True, check=True, timeout=_PATIENCE
        )
        facts: dict[str, tuple[int, int]] = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        raise UsageError(f"`--python {given}`: it is no Python that runs") from None
    return facts
