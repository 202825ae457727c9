"""Calls of the Linux kernel that Python has no name for."""

from __future__ import annotations

import ctypes
import errno
import os
import platform

NEW_MOUNTS = 0x00020000
NEW_USER = 0x10000000
READ_ONLY = 1
REMOUNT = 32
BIND = 4096
RECURSIVE = 16384
PRIVATE = 1 << 18

_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_BENEATH = 1
_MAKES_AND_REMOVES = 0b1_1111_1111_0010
"""Write to a file; remove, make every kind of entry."""
_REFERS, _TRUNCATES = 1 << 13, 1 << 14
_FILE_RIGHTS = 0b10 | _TRUNCATES


def unshare(flags: int) -> None:
    """Leave namespaces. Raises OSError."""
    if platform.system() != "Linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), "unshare")
    _checked(_libc().unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount something. Raises OSError, with the target's name."""
    words = [os.fsencode(word) for word in (source, target, kind)]
    _checked(_libc().mount(*words, ctypes.c_ulong(flags), os.fsencode(options)), target)


def landlock_version() -> int:
    """What the kernel knows of Landlock; 0 for nothing."""
    if platform.system() != "Linux" or platform.machine() not in {"x86_64", "aarch64"}:
        return 0
    return max(0, int(_libc().syscall(_RULESET, None, 0, 1)))


def allow_writing_below(folders: list[str]) -> None:
    """From now on this process, and what it starts, writes to no other files. Raises OSError."""
    version = landlock_version()
    if version == 0:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), "landlock")
    handled = _MAKES_AND_REMOVES | (_REFERS * (version >= 2)) | (_TRUNCATES * (version >= 3))
    size = ctypes.c_uint64(handled)
    rules = _libc().syscall(_RULESET, ctypes.byref(size), ctypes.c_size_t(8), 0)
    _checked(rules, "landlock_create_ruleset")
    for folder in folders:
        _allow(rules, folder, handled)
    _checked(_libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")
    _checked(_libc().syscall(_RESTRICT, rules, 0), "landlock_restrict_self")
    os.close(rules)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _allow(rules: int, path: str, handled: int) -> None:
    """What is not there need not be allowed."""
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    rights = handled if os.path.isdir(path) else handled & _FILE_RIGHTS  # noqa: PTH112
    rule = _Beneath(rights, parent)
    result = _libc().syscall(_ADD_RULE, rules, _BENEATH, ctypes.byref(rule), 0)
    _checked(result, path)
    os.close(parent)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, name: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
