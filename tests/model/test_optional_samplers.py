"""Samplers of the project that a loader has only where an option asks for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.samplers.optional_samplers import samplers_by_option

MakeContext = Callable[[str], AnalysisContext]

TEXT = """
import argparse
import random
from torch.utils.data import DataLoader, DistributedSampler, Sampler, WeightedRandomSampler

class Some(Sampler):
    def __init__(self, people):
        self.people = people
    def __iter__(self):
        return iter(random.sample(range(len(self.people)), 8))

class Mine(Sampler):
    def __init__(self, people, rank):
        self.people = people
        self.rank = rank
    def __iter__(self):
        return iter(random.sample(range(len(self.people)), 8))

parser = argparse.ArgumentParser()
parser.add_argument("--sampler", default="none")
parser.add_argument("--some", action="store_true")
parser.add_argument("--asked", required=True)
args = parser.parse_args()

def load(people, others, rank):
    {}
    return DataLoader(people, 8, sampler=sampler)
"""


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("sampler = None", 0),
        ("sampler = Some(people)", 0),
        ("sampler = Some(people) if args.some else None", 1),
        ("sampler = None if args.some else Some(people)", 0),
        ("sampler = Some(people) if args.sampler == 'some' else None", 1),
        ("sampler = Some(people) if args.sampler == 'none' else None", 0),
        ("sampler = Some(people) if args.asked else None", 0),
        ("sampler = Some(others) if args.some else None", 0),
        ("sampler = Mine(people, rank) if args.some else None", 0),
        ("sampler = DistributedSampler(people) if args.some else None", 0),
        ("sampler = WeightedRandomSampler(people.w, 8) if args.some else None", 0),
        ("sampler = others.sampler if args.some else None", 0),
    ],
)
def test_samplers_that_are_left_out_by_default(
    context: MakeContext, lines: str, count: int
) -> None:
    analysed = context(TEXT.format(lines))
    (group,) = analysed[Loaders].by_call().values()
    assert [len(samplers_by_option(loader)) for loader in group] == [count]
