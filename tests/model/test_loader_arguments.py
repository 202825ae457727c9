"""What torch refuses of the arguments of a loader, and what is set on it too late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import dlint
from dlint.analyses.context import AnalysisContext
from dlint.model.loading.exclusive_arguments import (
    excluded_by_batch_sampler,
    excluded_by_iterable,
    excluded_without_batches,
    is_idle,
    needing_workers,
)
from dlint.model.loading.late_attributes import late_attributes
from dlint.model.loading.loader import Loader
from dlint.model.loading.loader_generators import gpu_generator, shuffled_by_cpu
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.refused_values import refused_values

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset

class Rows(IterableDataset):
    def __iter__(self):
        yield 1

def make(dataset, own):
    batches = BatchSampler(range(9), 3, False)
    {before}
    return DataLoader({given})
"""


def _loader(context: MakeContext, given: str, before: str = "pass") -> Loader:
    ((loader,),) = context(TEXT.format(given=given, before=before))[Loaders].by_call().values()
    return loader


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ("batch_size=0", [("batch_size", 0, "ValueError")]),
        ("batch_size=2.5", [("batch_size", 2.5, "ValueError")]),
        ("num_workers=-1", [("num_workers", -1, "ValueError")]),
        ("num_workers=None", [("num_workers", None, "TypeError")]),
        ("timeout=-1", [("timeout", -1, "ValueError")]),
        ("prefetch_factor=0, num_workers=2", [("prefetch_factor", 0, "AssertionError at the")]),
        ("batch_size=own", []),
        ("batch_size=8, num_workers=2, timeout=3", []),
    ],
)
def test_values_that_are_refused(
    context: MakeContext, given: str, refused: list[tuple[str, object, str]]
) -> None:
    found = list(refused_values(_loader(context, f"dataset, {given}")))
    assert [(one.name, one.value) for one in found] == [(name, value) for name, value, _ in refused]
    for one, (_, _, error) in zip(found, refused, strict=True):
        assert one.error.startswith(error)


OPTIONS = """
import argparse
from torch.utils.data import DataLoader

def main(dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=0)
    args = parser.parse_args()
    return DataLoader(dataset, batch_size=args.batch_size)
"""


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("all.sh", "bash run.sh python other.py --batch-size 64\n", 0),
        ("Makefile", "train:\n\t$(PYTHON) train.py --batch-size 64\n", 0),
        ("README.md", "Run `train.py --batch-size 64`.", 0),
        ("README.md", "Run `train.py`.", 1),
        ("all.sh", "python other.py --batches 64\n", 1),
    ],
)
def test_a_default_that_a_command_replaces_is_not_refused(
    tmp_path: Path, name: str, text: str, told: int
) -> None:
    (tmp_path / "train.py").write_text(OPTIONS)
    (tmp_path / name).write_text(text)
    settings = dlint.Settings(select=("invalid-loader-arguments",))
    found = dlint.check([tmp_path], settings).findings
    assert [one.severity for one in found] == ["info"] * told


@pytest.mark.parametrize(
    ("given", "by_batches", "without", "by_rows", "workers"),
    [
        ("dataset, batch_sampler=batches, shuffle=True", {"shuffle"}, set(), set(), set()),
        ("dataset, batch_sampler=batches, batch_size=1", set(), set(), set(), set()),
        ("dataset, batch_sampler=own, shuffle=True", set(), set(), set(), set()),
        ("dataset, batch_size=None, drop_last=True", set(), {"drop_last"}, set(), set()),
        ("Rows(), shuffle=True", set(), set(), {"shuffle"}, set()),
        ("list(Rows()), shuffle=True", set(), set(), set(), set()),
        ("dataset, timeout=3", set(), set(), set(), {"timeout"}),
        ("dataset, timeout=3, num_workers=2", set(), set(), set(), set()),
        ("dataset, persistent_workers=own", set(), set(), set(), set()),
        (
            "dataset, multiprocessing_context='fork'",
            set(),
            set(),
            set(),
            {"multiprocessing_context"},
        ),
    ],
)
def test_arguments_that_exclude_each_other(
    context: MakeContext,
    given: str,
    by_batches: set[str],
    without: set[str],
    by_rows: set[str],
    workers: set[str],
) -> None:
    loader = _loader(context, given)
    assert set(excluded_by_batch_sampler(loader)) == by_batches
    assert set(excluded_without_batches(loader)) == without
    assert set(excluded_by_iterable(loader)) == by_rows
    assert set(needing_workers(loader)) == workers


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("worker_init_fn=own", True),
        ("worker_init_fn=own, num_workers=2", False),
        ("worker_init_fn=None", False),
        ("batch_size=2", False),
    ],
)
def test_what_does_nothing_without_workers(
    context: MakeContext, given: str, expected: bool
) -> None:
    assert is_idle(_loader(context, f"dataset, {given}"), "worker_init_fn") is expected


@pytest.mark.parametrize(
    ("given", "before", "of_gpu", "by_cpu"),
    [
        ("generator=torch.Generator(device='cuda')", "pass", True, False),
        ("generator=torch.Generator()", "pass", False, False),
        ("generator=own", "pass", False, False),
        ("shuffle=True", "torch.set_default_device('cuda')", False, True),
        ("shuffle=False", "torch.set_default_device('cuda')", False, False),
    ],
)
def test_the_device_of_a_generator(
    context: MakeContext, given: str, before: str, of_gpu: bool, by_cpu: bool
) -> None:
    loader = _loader(context, f"dataset, {given}", before)
    assert (gpu_generator(loader) is not None) is of_gpu
    assert (shuffled_by_cpu(loader) is not None) is by_cpu


def test_attributes_that_come_too_late(context: MakeContext) -> None:
    made = context(
        "from torch.utils.data import DataLoader\n"
        "def f(data, other):\n    loader = DataLoader(data)\n    loader.batch_size = 4\n"
        "    loader.shuffle = True\n    loader.mine = 1\n    other.batch_size = 2\n"
        "    for x in loader:\n        print(x)\n"
    )
    assert [late.name for late in late_attributes(made)] == ["batch_size", "shuffle"]


TRIED = """
from torch.utils.data import DataLoader
def f(data, other):
    loader = DataLoader(data)
    try:
        {tried}
    except {caught}:
        {handled}
"""
SET = "loader.batch_size = 4"


@pytest.mark.parametrize("caught", ["ValueError", "ValueError as error", "(TypeError, ValueError)"])
def test_an_attribute_whose_error_is_waited_for(context: MakeContext, caught: str) -> None:
    made = context(TRIED.format(tried=SET, caught=caught, handled="return"))
    assert not list(late_attributes(made))


@pytest.mark.parametrize(
    ("tried", "caught", "handled"),
    [
        (SET, "Exception", "return"),
        (SET, "KeyError", "raise ValueError"),
        (SET, "KeyError", "other = ValueError(1)"),
        ("other.run()", "ValueError", SET),
        ("loader.shuffle = True", "ValueError", "return"),
    ],
)
def test_an_attribute_whose_error_is_not(
    context: MakeContext, tried: str, caught: str, handled: str
) -> None:
    made = context(TRIED.format(tried=tried, caught=caught, handled=handled))
    assert len(list(late_attributes(made))) == 1
