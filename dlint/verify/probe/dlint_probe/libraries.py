"""Functions of libraries that write, or start programs, without asking Python."""

# (pathlib would be imported into every process of the program)
from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .shadow import Shadow

_WRITERS = (
    ("torch", ("save", "serialization.save"), 1, "f"),
    ("torch.jit", ("save",), 1, "f"),
    ("safetensors", ("serialize_file",), 1, "filename"),
    ("cv2", ("imwrite",), 0, "filename"),
)
"""Modules, functions, and the position and name of the path that they write to."""


def leading(shadow: Shadow) -> dict[str, Callable[[ModuleType], None]]:
    """What is to be done after the import of each such module; where that is over, it is done."""
    found: dict[str, Callable[[ModuleType], None]] = {
        "sqlite3": functools.partial(_sqlite, shadow),
        "subprocess": functools.partial(_subprocess, shadow),
    }
    for module, names, position, keyword in _WRITERS:
        found[module] = functools.partial(_writer, shadow, names, position, keyword)
    for name in [name for name in found if name in sys.modules]:
        found.pop(name)(sys.modules[name])
    return found


def _writer(
    shadow: Shadow, names: tuple[str, ...], position: int, keyword: str, module: Any
) -> None:
    original = getattr(module, names[0], None)
    if original is None:
        return

    @functools.wraps(original)
    def write(*args: Any, **named: Any) -> Any:
        given = list(args)
        if len(given) > position:
            given[position] = _led(shadow, given[position])
        elif keyword in named:
            named[keyword] = _led(shadow, named[keyword])
        return original(*given, **named)

    for name in names:
        *inner, last = name.split(".")
        setattr(functools.reduce(getattr, inner, module), last, write)


def _led(shadow: Shadow, path: Any) -> Any:
    if isinstance(path, (str, os.PathLike)):
        return shadow.to_write(shadow.path(path), keep=False)
    return path


def _subprocess(shadow: Shadow, module: Any) -> None:
    """A program may start in a folder that only the second tree has."""
    original = module.Popen.__init__

    @functools.wraps(original)
    def init(self: Any, *args: Any, **named: Any) -> None:
        if named.get("cwd") is not None:
            named["cwd"] = shadow.place(shadow.path(named["cwd"]))
        original(self, *args, **named)

    module.Popen.__init__ = init


def _sqlite(shadow: Shadow, module: Any) -> None:
    """A database is opened to be written, even by who only reads it."""
    original = module.connect

    @functools.wraps(original)
    def connect(database: Any, *args: Any, **named: Any) -> Any:
        text = os.fsdecode(database)
        if text in ("", ":memory:") or named.get("uri"):
            return original(database, *args, **named)
        means = shadow.path(text)
        try:
            return original(shadow.to_write(means, keep=True), *args, **named)
        except OSError:
            from urllib.parse import quote

            return original(f"file:{quote(means)}?mode=ro", *args, **{**named, "uri": True})

    module.connect = module.dbapi2.connect = connect
