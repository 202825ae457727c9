"""Programs that are examined, each once for all tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from dlint.doctor.diagnosis import Diagnosis
from dlint.doctor.examination import examine
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.report.watching import NullObserver
from dlint.verify.run.runner import Runner
from tests.doctor.programs import PROGRAMS, STEPS, written
from tests.verify.conftest import all_warm, warm
from tests.warm import PYTHON, Warm

__all__ = ["all_warm", "warm"]


def examined(folder: Path, name: str) -> Diagnosis:
    """What is said of one of the programs."""
    program = PROGRAMS[name]
    folder.mkdir()
    (folder / "train.py").write_text(written(program), "utf-8")
    path, python = folder / "train.py", sys.executable if program.launcher else PYTHON
    script = TargetScript(path, launcher=program.launcher, given="train.py", python=python)
    with Runner(script, folder, cwd=folder, startup_limit=120) as runner:
        steps = STEPS if program.steps is None else program.steps
        with _shared_memory(program.shared_memory):
            return examine(runner, 12.0, NullObserver(), steps)


def _shared_memory(free: int | None) -> AbstractContextManager[Any]:
    """A machine that has so many bytes of it left; None for this one as it is."""
    if free is None:
        return nullcontext()
    return patch("dlint.doctor.machine._free_shared", return_value=free)


class Examined:
    """Examines programs when they are asked for, and with each the one behind it."""

    def __init__(self, base: Path) -> None:
        self._base, self._pool = base, ThreadPoolExecutor(2)
        self._found: dict[str, Future[Diagnosis]] = {}

    def __getitem__(self, name: str) -> Diagnosis:
        names = list(PROGRAMS)
        place = names.index(name)
        for number, other in enumerate(names[place : place + 2], place):
            if other not in self._found:
                folder = self._base / f"{number}"
                self._found[other] = self._pool.submit(examined, folder, other)
        return self._found[name].result()

    def end(self) -> None:
        """Wait for what has begun."""
        self._pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="session")
def diagnoses(tmp_path_factory: pytest.TempPathFactory, warm: Warm) -> Iterator[Examined]:
    """What is said of each program, by its name."""
    found = Examined(tmp_path_factory.mktemp("doctor"))
    yield found
    found.end()
