"""What is mounted, and which of it holds files that a script could spoil."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

_PSEUDO = (
    *("autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts"),
    *("devtmpfs", "efivarfs", "fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "ramfs"),
    *("rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs"),
)
OF_PROGRAMS = ("/dev", "/proc", "/run", "/sys")
"""Below these, memory holds what running programs share, and no files of the user's."""


def mounted(table: str | None = None) -> dict[str, str]:
    """File systems by where they are mounted, parents first; of several in one place the last."""
    text = Path("/proc/self/mountinfo").read_text("utf-8") if table is None else table
    found: dict[str, str] = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        found[_unescaped(before.split(" ")[4])] = after.split(" ")[0]
    return dict(sorted(found.items(), key=lambda item: PurePosixPath(item[0]).parts))


def holds_files(path: str, kind: str) -> bool:
    """Whether a file system holds files that are somebody's."""
    if kind in _PSEUDO:
        return False
    return kind != "tmpfs" or not any(below(path, top) for top in OF_PROGRAMS)


def below(path: str, top: str) -> bool:
    """Whether a path is `top`, or lies below it."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def inside(path: str, mounts: Mapping[str, str]) -> list[str]:
    """Where something is mounted below a folder, itself not counted."""
    return [other for other in mounts if other != path and below(other, path)]


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
