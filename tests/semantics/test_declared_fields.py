"""What fields hold that a class declares by a call: `field(default=4)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.semantics.values.values import UNKNOWN, Literal

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
import dataclasses
from dataclasses import dataclass, field

import attr
import attrs
import pydantic
from torch.utils.data import DataLoader

class Inner:
    def __init__(self):
        self.workers = 4

def number():
    return 4

@dataclass
class Config:
    workers: int = {declared}

def main(dataset):
    config = Config()
    return DataLoader(dataset, num_workers=config.workers{of})
"""


@pytest.mark.parametrize(
    ("declared", "of"),
    [
        ("field(default=4)", ""),
        ("dataclasses.field(default_factory=number)", ""),
        ("field(default_factory=lambda: 4)", ""),
        ("field(default_factory=Inner)", ".workers"),
        ("attr.ib(4)", ""),
        ("attr.ib(factory=number)", ""),
        ("attrs.field(default=4)", ""),
        ("pydantic.Field(4, ge=0)", ""),
        ("pydantic.Field(default_factory=number)", ""),
    ],
)
def test_a_declared_default(context: MakeProgram, declared: str, of: str) -> None:
    (group,) = context(PROGRAM.format(declared=declared, of=of))[Loaders].by_call().values()
    assert [a.value for a in group[0].workers.alternatives] == [Literal.of(4)]


HANDED_ON = """
from dataclasses import dataclass
import draccus
from torch.utils.data import DataLoader

@dataclass
class Config:
    workers: int = 4

def make(dataset, config):
    return DataLoader(dataset, num_workers=config.workers)

@draccus.wrap()
def main(config: Config, dataset):
    return make(dataset, config)
{more}
"""


@pytest.mark.parametrize(
    ("more", "workers"),
    [("", Literal.of(4)), ("def other(config, dataset):\n    make(dataset, config)", UNKNOWN)],
)
def test_a_declared_object_that_is_handed_on(
    context: MakeProgram, more: str, workers: object
) -> None:
    (group,) = context(HANDED_ON.format(more=more))[Loaders].by_call().values()
    assert [a.value for a in group[0].workers.alternatives] == [workers]


@pytest.mark.parametrize(
    "declared",
    ["field()", "field(metadata={'default': 4})", "pydantic.Field(...)", "attrs.field()"],
)
def test_no_default(context: MakeProgram, declared: str) -> None:
    (group,) = context(PROGRAM.format(declared=declared, of=""))[Loaders].by_call().values()
    assert [a.value for a in group[0].workers.alternatives] == [UNKNOWN]
