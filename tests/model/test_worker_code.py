from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.workers.worker_code import WorkerCode
from dlint.semantics.values.values import AllocationSite, External, Literal

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import os
from functools import partial
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms
from torchvision.datasets import ImageFolder

def decode(x):
    return finish(x)

def finish(x):
    return x

def elsewhere(x):
    return x

class Scale:
    def __call__(self, x):
        return finish(x)

class Rows(Dataset):
    def __init__(self, transform=None):
        self.transform = transform
        self.prepare()
    def prepare(self):
        pass
    @property
    def file(self):
        return 1
    def read(self, index):
        return {read}
    def __getitem__(self, index):
        return self.read(index)
    def collate(self, batch):
        return batch

def collate(batch, width=1):
    return batch

def init(number):
    return None

def make(args):
    return {make}
"""
ROWS = ["Rows.__getitem__", "Rows.read"]


@pytest.mark.parametrize(
    ("read", "make", "expected"),
    [
        ("1", "DataLoader(Rows(), num_workers=2)", ROWS),
        ("decode(1)", "DataLoader(Rows())", [*ROWS, "decode", "finish"]),
        ("[decode(x) for x in index]", "DataLoader(Rows())", [*ROWS, "decode", "finish"]),
        ("list(map(decode, index))", "DataLoader(Rows())", [*ROWS, "decode", "finish"]),
        ("self.file", "DataLoader(Rows())", [*ROWS, "Rows.file"]),
        ("self.transform(1)", "DataLoader(Rows(decode))", [*ROWS, "decode", "finish"]),
        (
            "self.transform(1)",
            "DataLoader(Rows(partial(decode, x=1)))",
            [*ROWS, "decode", "finish"],
        ),
        (
            "self.transform(1)",
            "DataLoader(Rows(partial(partial(Scale()), 1)))",
            [*ROWS, "Scale.__call__", "finish"],
        ),
        ("self.transform(1)", "DataLoader(Rows(Scale()))", [*ROWS, "Scale.__call__", "finish"]),
        (
            "self.transform(1)",
            "DataLoader(Rows(transforms.Compose([Scale(), decode])))",
            [*ROWS, "Scale.__call__", "decode", "finish"],
        ),
        ("1", "DataLoader(Rows(), collate_fn=collate)", [*ROWS, "collate"]),
        ("1", "DataLoader(Rows(), collate_fn=partial(collate, width=2))", [*ROWS, "collate"]),
        ("1", "DataLoader(Rows(), collate_fn=Rows().collate)", [*ROWS, "Rows.collate"]),
        ("1", "DataLoader(Rows(), worker_init_fn=init)", [*ROWS, "init"]),
        (
            "1",
            "DataLoader(ImageFolder('x', transform=transforms.Compose([Scale()])))",
            ["Scale.__call__", "finish"],
        ),
        ("1", "DataLoader(ImageFolder('x', Scale()))", ["Scale.__call__", "finish"]),
    ],
)
def test_functions_that_run_in_workers(
    context: MakeProgram, read: str, make: str, expected: list[str]
) -> None:
    found = context(TEXT.format(read=read, make=make))[WorkerCode].functions
    assert sorted(scope.qualified_name for scope in found) == sorted(expected)


STEPS = """
from torch.utils.data import DataLoader, Dataset

class Step:
    def __call__(self, x):
        return self.apply(x)
    def apply(self, x):
        raise NotImplementedError

class Shift(Step):
    def apply(self, x):
        return super().apply(self.by(x))
    def by(self, x):
        return x

class Far(Shift):
    def by(self, x):
        return x

class Never(Step):
    def apply(self, x):
        return x

class Rows(Dataset):
    def __init__(self, *steps):
        self.steps = steps
    def __getitem__(self, index):
        for step in self.steps:
            index = step(index)
        return index

DataLoader(Rows({made}), num_workers=2)
"""
STEP = ["Rows.__getitem__", "Shift.apply", "Step.__call__", "Step.apply"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("Shift()", [*STEP, "Shift.by"]),
        ("Far()", [*STEP, "Far.by"]),
        ("Never()", ["Rows.__getitem__", "Step.__call__", "Never.apply"]),
    ],
)
def test_methods_are_those_of_the_object_that_is_called(
    context: MakeProgram, made: str, expected: list[str]
) -> None:
    found = context(STEPS.format(made=made))[WorkerCode].functions
    assert sorted(scope.qualified_name for scope in found) == sorted(expected)


@pytest.mark.parametrize(
    ("given", "count", "may_work"),
    [
        ("num_workers=2", 2, True),
        ("num_workers=0", None, False),
        ("", None, False),
        ("num_workers=args.workers", None, True),
        ("num_workers=0 if args.debug else 4", 4, True),
        ("num_workers=os.cpu_count()", "os.cpu_count", True),
    ],
)
def test_whether_loaders_have_workers(
    context: MakeProgram, given: str, count: int | str | None, may_work: bool
) -> None:
    made = context(TEXT.format(read="1", make=f"DataLoader(Rows(), {given})"))
    (entry,) = made[WorkerCode].entries
    assert entry.may_work is may_work
    found = entry.working
    value = None if found is None else found[1].value
    if isinstance(value, AllocationSite) and isinstance(value.origin, External):
        assert value.origin.path == count
    else:
        assert value == (None if count is None else Literal.of(count))
