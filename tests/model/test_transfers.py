"""Which loader a finding about a copy points at."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlint.analyses.context import AnalysisContext
from dlint.findings.diagnostic import Severity
from dlint.model.loading.loaders import Loaders
from dlint.rules.loader import missing_pin_memory, zero_workers
from dlint.rules.transfer import missing_non_blocking

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

FACTORY = """
from torch.utils.data import DataLoader

def make(dataset, split, sampler=None):
    if sampler is not None and split in ["train"]:
        loader = DataLoader(dataset, batch_sampler=sampler, pin_memory=True)
    else:
        loader = DataLoader(dataset, 8, pin_memory=True)
    return loader

def evaluate(model, dataset):
    for images in make(dataset, "val"):
        model(images.cuda())
"""


def test_the_pinned_loader_is_one_that_the_call_makes(context: MakeProgram) -> None:
    found = list(missing_non_blocking.check(context(FACTORY)))
    assert [FACTORY[r.place.start :].split(")")[0] for f in found for r in f.related] == [
        "DataLoader(dataset, 8, pin_memory=True"
    ]


SEVERAL = """
from torch.utils.data import DataLoader

def make(dataset, split):
    return DataLoader(dataset[split], 8)

def evaluate(model, dataset):
    for images in make(dataset, "test"):
        model(images.cuda())

def train(model, dataset):
    for images in make(dataset, "train"):
        model(images.cuda()).backward()
    for images in make(dataset, "val"):
        model(images.cuda())
"""


def test_loaders_of_one_call_are_in_the_order_of_their_contexts(context: MakeProgram) -> None:
    orders = set()
    for _ in range(8):
        (group,) = context(SEVERAL)[Loaders].by_call().values()
        orders.add(tuple(loader.context_place.start for loader in group))
    assert len(orders) == 1
    assert next(iter(orders)) == tuple(sorted(next(iter(orders))))


def test_a_call_is_as_severe_as_the_worst_of_its_loaders(context: MakeProgram) -> None:
    (finding,) = zero_workers.check(context(SEVERAL))
    assert finding.severity is Severity.WARNING
    (pinning,) = missing_pin_memory.check(context(SEVERAL))
    assert pinning.severity is Severity.INFO


KEPT = """
import time
import torch
from torch.utils.data import DataLoader

def run(model, ds):
    for data in DataLoader(ds, 64, num_workers=4, pin_memory=True):
        tensors = []
        moved = data.to("cuda")
        {between}
        torch.cuda.synchronize()
        begin = time.perf_counter()
        model(*tensors)
        print(time.perf_counter() - begin)
"""


def test_copies_that_are_only_kept_before_the_time_is_taken_are_waited_for(
    context: MakeProgram,
) -> None:
    assert not list(
        missing_non_blocking.check(context(KEPT.format(between="tensors.append(moved)")))
    )
    assert list(missing_non_blocking.check(context(KEPT.format(between="model(moved)"))))
