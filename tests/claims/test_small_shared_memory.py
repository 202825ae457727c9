"""What workers do to `/dev/shm`, and what becomes of them where it is small."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.claims.conftest import Ended, Interpreter

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset

class Pictures(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.zeros({shape})

if __name__ == "__main__":
    torch.multiprocessing.set_sharing_strategy("{strategy}")
    for batch in DataLoader(Pictures(), batch_size=4, num_workers=2):
        pass
    print("trained")
"""
MOUNT = 'mount -t tmpfs -o size=4m tmpfs /dev/shm && exec "$0" -c "$1"'
SMALL, LARGE = "(1000,)", "(500_000,)"


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interpreter]:
    """Runs programs that have 4 MB of `/dev/shm`."""
    command = ["unshare", "-rm", "sh", "-c", MOUNT, sys.executable]
    if shutil.which("unshare") is None:
        pytest.skip("needs `unshare`")
    if subprocess.run([*command, "pass"], capture_output=True).returncode != 0:
        pytest.skip("must be allowed to mount")
    with Interpreter(tmp_path_factory.mktemp("inside"), command) as interpreter:
        yield interpreter


def _run(interpreter: Interpreter, shape: str, strategy: str) -> Ended:
    return interpreter.run(PROGRAM.format(shape=shape, strategy=strategy))


@pytest.mark.parametrize("strategy", ["file_descriptor", "file_system"])
def test_batches_that_do_not_fit_end_the_program(
    inside: Interpreter, interpreter: Interpreter, strategy: str
) -> None:
    assert "trained" in _run(inside, SMALL, strategy).out
    failed = _run(inside, LARGE, strategy)
    assert failed.code != 0
    assert "bus error" in failed.err.lower() or "No space left on device" in failed.err
    assert "trained" in _run(interpreter, LARGE, strategy).out
