"""Programs in processes of their own, in which torch is imported at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import pytest

_SERVER = """
import gc, json, os, runpy, signal, sys
import torch, torch.distributed, torch.utils.data

gc.freeze()  # what forks share is not collected by each


def asked():
    for line in sys.stdin:
        pids = []
        for program in json.loads(line):
            pid = os.fork()
            if not pid:
                return program
            pids.append(pid)
        ends = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        print(json.dumps(ends), flush=True)


program = asked()
if program is not None:
    signal.alarm(120)
    for number, path in enumerate((os.devnull, program["path"] + ".out", program["path"] + ".err")):
        flags = os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY
        os.dup2(os.open(path, flags, 0o600), number)
    sys.argv = [program["path"], *program["given"]]
    sys.path[0] = program["folder"]
    runpy.run_path(program["path"], run_name="__main__")
"""


class Ended(NamedTuple):
    """What came of a program."""

    code: int
    out: str
    err: str


class Interpreter:
    """An interpreter that imports torch once, and whose forks each run a program."""

    def __init__(self, folder: Path, command: Sequence[str] = (sys.executable, "-c")) -> None:
        """`command` is given a text to run, and `folder` holds the programs."""
        self._folder, self._count = folder, 0
        self._process = subprocess.Popen(
            [*command, _SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def run(self, text: str, *given: str) -> Ended:
        """Run a program."""
        return self.together(text, [given])[0]

    def together(self, text: str, each: Sequence[Sequence[str]]) -> list[Ended]:
        """Run a program several times at once, each with its own arguments."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        programs = [self._written(text, given) for given in each]
        self._process.stdin.write(json.dumps(programs) + "\n")
        self._process.stdin.flush()
        codes = json.loads(self._process.stdout.readline())
        paths = [str(program["path"]) for program in programs]
        return [
            Ended(code, Path(f"{path}.out").read_text(), Path(f"{path}.err").read_text())
            for code, path in zip(codes, paths, strict=True)
        ]

    def _written(self, text: str, given: Sequence[str]) -> dict[str, object]:
        self._count += 1
        path = self._folder / f"program{self._count}.py"
        path.write_text(text)
        return {"path": str(path), "given": [*given], "folder": str(Path(__file__).parent)}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


@pytest.fixture(scope="session")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interpreter]:
    """Runs programs as a fresh interpreter would that has imported torch."""
    pytest.importorskip("torch")
    with Interpreter(tmp_path_factory.mktemp("programs")) as made:
        yield made


Run = Callable[..., Ended]


@pytest.fixture
def fresh(interpreter: Interpreter) -> Run:
    """Runs one program."""
    return interpreter.run
