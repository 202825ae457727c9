"""The program that a command starts, from the arguments that name it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run.interpreter import checked_interpreter
from dlint.workspace.errors import UsageError

_NOT_PYTHON = {
    ".ipynb": ": write its cells to one, such as with `jupyter nbconvert --to script`",
    ".sh": ": give the one that it starts, with its arguments behind `--`",
}
"""Files that are checked but cannot be run, and what to do instead."""


def check_writable(path: Path) -> None:
    """Raise UsageError before anything runs: what was measured would be lost."""
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"cannot write {path}: it may not be written")


def program_of(namespace: argparse.Namespace) -> TargetScript:
    """The program that the arguments name. Raises UsageError where they name none."""
    if (namespace.script is None) == (namespace.module is None):
        raise UsageError("give a script, or a module with `-m`; its arguments come behind `--`")
    arguments = tuple(namespace.arguments)
    python = sys.executable if namespace.python is None else checked_interpreter(namespace.python)
    if namespace.module is not None:
        return TargetScript(
            _module_file(namespace.module),
            namespace.module,
            arguments,
            namespace.launcher,
            python=python,
        )
    script = Path(namespace.script)
    if not script.is_file():
        raise UsageError(f"there is no script {script}")
    if script.suffix in _NOT_PYTHON:
        raise UsageError(f"{script} is no Python script{_NOT_PYTHON[script.suffix]}")
    launcher, given = namespace.launcher, namespace.script
    return TargetScript(script.resolve(), None, arguments, launcher, given, python)


def _module_file(name: str) -> Path:
    """The file of a module below the working directory, without importing its packages."""
    path = Path.cwd().joinpath(*name.split("."))
    for candidate in (path.with_suffix(".py"), path / "__main__.py"):
        if candidate.is_file():
            return candidate.resolve()
    from importlib.util import find_spec

    spec = find_spec(name.partition(".")[0])
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        inner = Path(folder).joinpath(*name.split(".")[1:])
        for candidate in (inner.with_suffix(".py"), inner / "__main__.py"):
            if candidate.is_file():
                return candidate.resolve()
    raise UsageError(f"there is no module {name}")
