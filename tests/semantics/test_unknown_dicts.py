"""What `get` gives of a dict that nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.semantics.values.values import UNKNOWN, Literal

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
import yaml
from torch.utils.data import DataLoader

class Registry:
    def get(self, name, default):
        return 2

def main(dataset, path, asked):
    config = yaml.safe_load(open(path))
    registry = Registry()
    return DataLoader(dataset, num_workers={workers})
"""


@pytest.mark.parametrize(
    "workers", ['config.get("workers", 4)', 'int(config["data"].get("workers", 4))']
)
def test_the_default_is_assumed_beside_what_is_unknown(context: MakeProgram, workers: str) -> None:
    (group,) = context(PROGRAM.format(workers=workers))[Loaders].by_call().values()
    found = [(a.value, a.assumed) for a in group[0].workers.alternatives]
    assert found == [(UNKNOWN, None), (Literal.of(4), "default of `get('workers')`")]


@pytest.mark.parametrize(
    ("workers", "value"),
    [
        ('config.get("workers")', UNKNOWN),
        ('config.get("workers", asked)', UNKNOWN),
        ('config.fetch("workers", 4)', UNKNOWN),
        ('registry.get("workers", 4)', Literal.of(2)),
    ],
)
def test_other_lookups(context: MakeProgram, workers: str, value: object) -> None:
    (group,) = context(PROGRAM.format(workers=workers))[Loaders].by_call().values()
    assert [(a.value, a.assumed) for a in group[0].workers.alternatives] == [(value, None)]
