"""Which protection this machine allows: tried, not guessed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dlint
from dlint.verify.run.view import KINDS
from dlint.verify.run.view.removal import remove

_PACKAGES = str(Path(dlint.__file__).resolve().parent.parent)
_START = (
    "import sys; sys.path.insert(0, {packages!r}); "
    "from dlint.verify.run.view.enter import main; sys.exit(main(sys.argv[1:]))"
)
_WRITE = "import sys; open(sys.argv[1], 'w').close()"
_PATIENCE = 60.0


class View(NamedTuple):
    """How runs are kept from the user's files."""

    kind: str
    scratch: Path
    """Where runs may write: it is thrown away at the end."""
    memory: bool = False
    """Whether changes are held in memory, since no file system here can hold them."""
    partly: tuple[str, ...] = ()
    """Folders in which only small files can be written to."""
    refused: tuple[str, ...] = ()
    """Those in which nothing can."""
    named: tuple[str, ...] = ()
    """Folders that the script is likely to write to."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing that a run does reaches a file of the user's."""
        return self.kind != "redirect"

    @property
    def keeps_layers(self) -> bool:
        """Whether changes are there after a run, and can be laid below another."""
        return self.kind == "overlay" and not self.memory

    def command(
        self, words: Sequence[str], folder: Path, cwd: Path, layers: Sequence[Path] = ()
    ) -> list[str]:
        """The command that runs another one inside of a view whose changes are in `folder`."""
        if self.kind == "redirect":
            return list(words)
        return _entered(self._spec(folder, cwd, layers), words)

    def redirection(self, folder: Path) -> dict[str, str] | None:
        """What the probe needs to lead writing elsewhere, where the kernel only refuses it."""
        if self.kind == "overlay":
            return None
        return {"changes": str(changes(folder)), "scratch": str(self.scratch)}

    def _spec(self, folder: Path, cwd: Path, layers: Sequence[Path]) -> dict[str, Any]:
        upper = changes(folder)
        upper.mkdir(exist_ok=True)
        return {
            "kind": self.kind,
            "cwd": str(cwd),
            "scratch": str(self.scratch),
            "upper": str(upper),
            "layers": [str(layer) for layer in layers],
            "memory": self.memory,
            "named": self.named,
        }


def changes(folder: Path) -> Path:
    """Where the changes of a run are, below its folder."""
    return folder / "view"


def choose(
    scratch: Path, cwd: Path, kinds: Sequence[str] = KINDS, named: Sequence[Path] = ()
) -> View:
    """The best view that this machine allows; one that only leads Python's own writing elsewhere
    can always be had."""
    likely = tuple(sorted({str(path) for path in (cwd, Path.home(), *named) if path.is_dir()}))
    for kind in kinds:
        for memory in (False, True) if kind == "overlay" else (False,):
            view = _tried(View(kind, scratch, memory, named=likely), cwd)
            if view is not None:
                return view
    return View("redirect", scratch)


def _tried(view: View, cwd: Path) -> View | None:
    """A view after a trial: a file written in the working directory must not be there later."""
    if view.kind == "redirect":
        return view
    folder = Path(tempfile.mkdtemp(dir=view.scratch))
    mark = cwd / f".{folder.name}"
    words = [sys.executable, "-I", "-S", "-c", _WRITE, str(mark)]
    try:
        done = subprocess.run(
            _entered({**view._spec(folder, cwd, ()), "say": True}, words),
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )
        written = mark.exists()
        return None if written else _understood(view, done.stdout, done.returncode)
    except (OSError, subprocess.TimeoutExpired):
        return None
    finally:
        mark.unlink(missing_ok=True)
        remove(folder)


def _understood(view: View, said: str, code: int) -> View | None:
    """What became of the trial. Where writing is only refused, it had to fail."""
    if not said or (view.kind == "overlay") is not (code == 0):
        return None
    found = json.loads(said)
    return view._replace(
        partly=tuple(found.get("partly", ())), refused=tuple(found.get("refused", ()))
    )


def _entered(spec: dict[str, Any], words: Sequence[str]) -> list[str]:
    start = _START.format(packages=_PACKAGES)
    return [sys.executable, "-I", "-S", "-c", start, json.dumps(spec), *words]


def named_folders(cwd: Path, project: Path, arguments: Sequence[str]) -> list[Path]:
    """The folders that a script is likely to write to: its own, and those that it is told of."""
    found = {cwd, project}
    for word in arguments:
        path = Path(cwd, os.path.expanduser(word.rpartition("=")[2]))  # noqa: PTH111
        if os.sep in word and path.exists():
            found.add(path if path.is_dir() else path.parent)
    return sorted(path.resolve() for path in found)
