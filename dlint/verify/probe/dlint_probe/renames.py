"""Folders renamed where an overlay, mounted without the rights of an administrator, cannot."""

# ruff: noqa: PTH106, PTH112, PTH114
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import errno
import functools
import os
from typing import Any


def install() -> None:
    """Let `os.rename` and `os.replace` copy a folder that is on another layer, as `mv` does."""
    os.rename = _Rename(os.rename)
    os.replace = _Rename(os.replace)


class _Rename:
    """An object, since a function would be a method where older pathlibs keep it."""

    def __init__(self, original: Any) -> None:
        self._original = original
        functools.update_wrapper(self, original)

    def __call__(self, src: Any, dst: Any, **named: Any) -> None:
        try:
            self._original(src, dst, **named)
        except OSError as error:
            folder = os.path.isdir(src) and not os.path.islink(src)
            if error.errno != errno.EXDEV or named or not folder:
                raise
            _copy(src, dst)


def _copy(src: Any, dst: Any) -> None:
    import shutil

    if os.path.isdir(dst):
        os.rmdir(dst)
    shutil.copytree(src, dst, symlinks=True)
    shutil.rmtree(src)
