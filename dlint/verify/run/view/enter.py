"""Starts a command inside a view: in namespaces of its own, under what covers the disk.

    python -m dlint.verify.run.view.enter SPEC COMMAND ...

`SPEC` is JSON: `kind` and what that needs. The process becomes the command.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dlint.verify.run.view import kernel
from dlint.verify.run.view.cover import Cover
from dlint.verify.run.view.mounts import OF_PROGRAMS, below, inside, mounted

FAILED = 86
"""The exit code where the view could not be made."""


def main(arguments: Sequence[str]) -> int:
    """Make the view and become the command. Returns only where that fails."""
    spec, *command = arguments
    given: dict[str, Any] = json.loads(spec)
    try:
        said = _KINDS[given["kind"]](given)
        os.chdir(given["cwd"])
    except OSError as error:
        sys.stderr.write(f"dlint: the view of the disk: {error.filename}: {error.strerror}\n")
        return FAILED
    if given.get("say"):
        sys.stdout.write(json.dumps(said))
        sys.stdout.flush()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return 127


def _overlay(given: dict[str, Any]) -> dict[str, Any]:
    """Lay overlays over all that holds files, and show again what must be as it is."""
    own = own_folders(given.get("named", ()))
    plain = _leave_namespaces()
    mounts = mounted()
    places = [] if plain else [(path, os.open(path, os.O_PATH)) for path in own]
    shown = {path: os.open(path, os.O_PATH) for path in _as_they_are(given["scratch"])}
    if given["memory"]:
        kernel.mount("dlint", given["upper"], "tmpfs")
    cover = Cover(mounts, given["upper"], given["layers"])
    cover.all()
    cover.own([(path, place) for path, place in places if not inside(path, mounts)])
    for path, number in shown.items():
        with suppress(OSError):
            kernel.mount(f"/proc/self/fd/{number}", path, flags=kernel.BIND)
        os.close(number)
    kernel.mount("", "/", flags=kernel.REMOUNT | kernel.BIND | kernel.READ_ONLY)
    return {"over": cover.over, "partly": cover.partly, "refused": cover.refused}


def _landlock(given: dict[str, Any]) -> dict[str, Any]:
    """Refuse to write anywhere but where nothing can be lost."""
    kernel.allow_writing_below([given["scratch"], *OF_PROGRAMS])
    return {}


_KINDS = {"overlay": _overlay, "landlock": _landlock}


def own_folders(named: Sequence[str]) -> list[str]:
    """For each folder the topmost one above it that is the user's own without a foreign one in
    between; outer ones first."""
    found = set()
    for name in named:
        path = Path(name)
        while path.parent != path and path.parent.stat().st_uid == os.getuid():
            path = path.parent
        found.add(str(path))
    return sorted(found)


def _leave_namespaces() -> bool:
    """A mount namespace; with a user namespace around it, where that needs one. Returns whether it
    does not."""
    plain = True
    user, group = os.getuid(), os.getgid()
    try:
        kernel.unshare(kernel.NEW_MOUNTS)
    except PermissionError:
        plain = False
        kernel.unshare(kernel.NEW_USER | kernel.NEW_MOUNTS)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    kernel.mount("", "/", flags=kernel.RECURSIVE | kernel.PRIVATE)
    return plain


def _as_they_are(scratch: str) -> list[str]:
    """The scratch folder, sockets by which programs are reached, and pipes of CUDA's daemon."""
    pipes = os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps")
    paths = {scratch, *(path for path in (pipes, *_sockets()) if os.path.exists(path))}  # noqa: PTH110
    return sorted(path for path in paths if not any(below(path, top) for top in OF_PROGRAMS))


def _sockets() -> list[str]:
    lines = Path("/proc/net/unix").read_text("utf-8", "replace").splitlines()[1:]
    words = (line.split(maxsplit=7) for line in lines)
    return [fields[7] for fields in words if len(fields) > 7 and fields[7].startswith("/")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
