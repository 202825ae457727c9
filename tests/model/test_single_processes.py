"""Programs that ask a launcher for one device run no ranks, however they say so."""

from __future__ import annotations

import pytest

from dlint.rules.loader import workers_beyond_cpus
from tests.conftest import MakeProgram

TEXT = """
import os
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

class Fabric:
    def __init__(self, devices, num_nodes=1):
        self.devices = devices

    def setup(self, model):
        return DistributedDataParallel(model)

def train(dataset, model, options):
    model = Fabric({asked}).setup(model)
    for batch in DataLoader(dataset, num_workers=os.cpu_count()):
        model(batch).backward()
"""


@pytest.mark.parametrize(
    ("asked", "is_alone"),
    [
        ("devices=1", True),
        ("1", True),
        ("2", False),
        ("1, 4", False),
        ("1, num_nodes=4", False),
        ("1, **options", False),
        ("*options", False),
    ],
)
def test_one_device_is_one_process(asked: str, is_alone: bool, context: MakeProgram) -> None:
    assert bool(list(workers_beyond_cpus.check(context(TEXT.format(asked=asked))))) != is_alone
