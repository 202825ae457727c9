"""Runs at the start of every Python process of a measured run.

It first runs the sitecustomize that it hides, if there is one, and then loads the probe.
"""

# ruff: noqa: PTH100, PTH120
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_hidden() -> None:
    rest = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    spec = PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


def _load_probe() -> None:
    """The program must not see our folder on its path; children get it from PYTHONPATH."""
    from dlint_probe import boot  # type: ignore[import-not-found]

    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    boot.start(os.environ.get("DLINT_PROBE", ""))


try:
    _run_hidden()
finally:
    if os.environ.get("DLINT_PROBE") or os.environ.get("PYTHON_DLINT_PROBE"):
        _load_probe()
