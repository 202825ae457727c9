"""What the tests before a loader say of the device that its batches go to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.device_tests import DeviceTests

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
import sys
import torch
from torch.utils.data import DataLoader

def make(dataset):
    return DataLoader(dataset, 8)

def train(dataset, device, large, use_cuda=None):
    {setup}
    if {test}:
        pass
    else:
        loader = make(dataset)
    for images in loader:
        images.to(device)
"""


def _excluded(program: AnalysisContext) -> set[str]:
    (loaders,) = program[Loaders].by_call().values()
    tests = program[DeviceTests]
    return {kind for kind in ("cuda", "mps") if tests.exclude(kind, loaders[0].call)}


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("device.type == 'cuda'", {"cuda"}),
        ("device == 'mps'", {"mps"}),
        ("torch.cuda.is_available()", {"cuda"}),
        ("torch.backends.mps.is_available()", {"mps"}),
        ("'cuda' in str(device)", {"cuda"}),
        ("device.type == 'cuda' or large", {"cuda"}),
        ("not torch.backends.mps.is_available()", {"cuda"}),
        ("device.type != 'mps'", {"cuda"}),
        ("'cpu' not in str(device)", {"cuda", "mps"}),
        ("device.type not in ['cpu']", set()),
        ("device.type == 'cuda' and large", set()),
        ("device == 'cuda:0'", set()),
        ("device.type == 'cpu'", set()),
        ("device.type > 'cuda'", set()),
        ("large", set()),
    ],
)
def test_what_a_test_that_fails_excludes(
    context: MakeProgram, test: str, expected: set[str]
) -> None:
    assert _excluded(context(PROGRAM.format(setup="", test=test))) == expected


def test_a_name_that_holds_the_answer(context: MakeProgram) -> None:
    setup = "use_cuda = torch.cuda.is_available()"
    assert _excluded(context(PROGRAM.format(setup=setup, test="use_cuda"))) == {"cuda"}


def test_one_way_that_is_open_is_enough(context: MakeProgram) -> None:
    program = PROGRAM.format(setup="loader = make(dataset)", test="torch.cuda.is_available()")
    assert _excluded(context(program)) == set()


def test_each_call_is_looked_at_once(context: MakeProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    program = context(PROGRAM.format(setup="", test="torch.cuda.is_available()"))
    assert _excluded(program) == {"cuda"}
    monkeypatch.setattr("dlint.model.transfers.device_tests.tests_of_call", None)
    assert _excluded(program) == {"cuda"}
