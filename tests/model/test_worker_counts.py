"""What is known of the number of workers, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.workers.worker_counts import WorkerCount

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import argparse, os
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--none", type=int, default=0)
parser.add_argument("--size", type=int, default=16)
parser.add_argument("--single", type=int, default=1)
args = parser.parse_args()

def make(dataset, own):
    zero = 0
    counts = [os.cpu_count(), 8]
    grown = [os.cpu_count(), 8]
    grown.append(0)
    return DataLoader(dataset{given})
"""


def _count(context: MakeContext, given: str) -> WorkerCount:
    ((loader,),) = context(TEXT.format(given=given))[Loaders].by_call().values()
    return loader.workers


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", False),
        (", num_workers=0", True),
        (", num_workers=zero", True),
        (", num_workers=args.none", False),
        (", num_workers=False", False),
        (", num_workers=4", False),
        (", num_workers=0 if own else 4", False),
    ],
)
def test_a_zero_that_is_written(context: MakeContext, given: str, expected: bool) -> None:
    assert _count(context, given).is_written_zero is expected


@pytest.mark.parametrize(
    ("given", "name", "is_constant"),
    [
        ("", None, True),
        (", num_workers=4", None, True),
        (", num_workers=zero", "zero", True),
        (", num_workers=args.none", "args.none", False),
        (", num_workers=own + 1", None, False),
    ],
)
def test_how_it_is_written(
    context: MakeContext, given: str, name: str | None, is_constant: bool
) -> None:
    count = _count(context, given)
    assert (count.name, count.is_constant) == (name, is_constant)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("os.cpu_count()", True),
        ("os.cpu_count() - 2", True),
        ("os.cpu_count() or 1", True),
        ("max(1, (os.cpu_count() or 2) - 1)", True),
        ("int(os.cpu_count())", True),
        ("os.cpu_count() if os.cpu_count() else 4", True),
        ("1 if os.cpu_count() is None else os.cpu_count()", True),
        ("os.cpu_count() if own else 4", False),
        ("os.cpu_count() - 60 or 4", False),
        ("own or os.cpu_count()", False),
        ("max(own, os.cpu_count())", False),
        ("max(1, os.cpu_count() // 4)", False),
        ("min(8, os.cpu_count())", False),
        ("len(os.sched_getaffinity(0)) or 1", False),
        ("len(os.sched_getaffinity(0))", False),
        ("4", False),
    ],
)
def test_a_worker_for_each_cpu(context: MakeContext, given: str, expected: bool) -> None:
    assert _count(context, f", num_workers={given}").is_each_cpu is expected


HELPER = """
import os
from torch.utils.data import DataLoader

def counted(cap=None, share=1):
    count = os.cpu_count() or 1
    if share > 1:
        return count // share
    return count if cap is None else min(count, cap)

def make(dataset, own=None):
    return DataLoader(dataset, num_workers={given})

make([])
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("counted()", True),
        ("counted(None)", True),
        ("counted(share=1)", True),
        ("counted(4)", False),
        ("counted(cap=own)", False),
        ("counted(share=2)", False),
        ("counted(share=dataset.ranks)", False),
        ("counted(**dataset.options)", False),
    ],
)
def test_a_function_of_which_a_call_leaves_parameters_out(
    context: MakeContext, given: str, expected: bool
) -> None:
    ((loader,),) = context(HELPER.format(given=given))[Loaders].by_call().values()
    assert loader.workers.is_each_cpu is expected


MOST = "default of option `--size`"


@pytest.mark.parametrize(
    ("given", "expected", "assumed"),
    [
        ("min(8, os.cpu_count())", True, None),
        ("min([os.cpu_count(), 8])", True, None),
        ("min(counts)", True, None),
        ("min(grown)", False, None),
        ("min([os.cpu_count(), args.size if args.size > 1 else 0, 8])", True, MOST),
        ("min([os.cpu_count(), args.single if args.single > 1 else 0, 8])", False, None),
        ("min([os.cpu_count(), own if own > 1 else 0, 8])", False, None),
        ("min([os.cpu_count(), args.size])", True, MOST),
        ("min([os.cpu_count(), args.none])", False, None),
        ("min(os.cpu_count() // max(own, 1), 8)", True, None),
        ("min(os.cpu_count() // own, 8)", False, None),
        ("os.cpu_count() - args.size", False, None),
    ],
)
def test_a_share_of_the_cpus(
    context: MakeContext, given: str, expected: bool, assumed: str | None
) -> None:
    count = _count(context, f", num_workers={given}")
    assert count.is_known is expected
    if expected:
        assert count.present is not None
        assert count.present.assumed == assumed


SCALED = """
import os
from torch.utils.data import DataLoader

def make(dataset, cpus):
    return DataLoader(dataset, num_workers={given})

{calls}
"""


@pytest.mark.parametrize(
    ("given", "calls", "expected"),
    [
        ("cpus // 2", "make([], os.cpu_count())", True),
        ("min(cpus, 8)", "make([], os.cpu_count() or 1)", True),
        ("cpus // 2", "make([], os.cpu_count())\nmake([], os.cpu_count() // 2)", True),
        ("cpus // 2", "make([], os.cpu_count() - 1)", False),
        ("cpus // 2", "make([], os.cpu_count())\nmake([], 1)", False),
        ("cpus // 2", "make([], os.cpu_count())\nmake([], read())", False),
        ("cpus // 2", "", False),
        ("cpus - 1", "make([], os.cpu_count())", False),
    ],
)
def test_a_share_of_cpus_that_a_caller_counts(
    context: MakeContext, given: str, calls: str, expected: bool
) -> None:
    found = context(SCALED.format(given=given, calls=calls))[Loaders].by_call().values()
    workers = [loader.workers for group in found for loader in group]
    assert all(count.is_known is expected for count in workers)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("cpus // 2", True),
        ("min(cpus, 8)", False),
        ("os.cpu_count() // 2", False),
        ("cpus", False),
    ],
)
def test_a_share_of_what_is_handed_in(context: MakeContext, given: str, expected: bool) -> None:
    text = SCALED.format(given=given, calls="")
    ((loader,),) = context(text)[Loaders].by_call().values()
    assert loader.workers.is_scaled is expected


SETTING = """
import settings
from settings import WORKERS
from torch.utils.data import DataLoader

def make(dataset):
    return DataLoader(dataset, num_workers={given})

{more}
"""


@pytest.mark.parametrize(
    ("given", "bound", "more", "expected"),
    [
        ("settings.WORKERS", "WORKERS = min(os.cpu_count(), 10)", "", True),
        ("WORKERS", "WORKERS = min(os.cpu_count(), 10)", "", True),
        ("settings.WORKERS", "WORKERS = min(os.cpu_count(), 10)", "settings.WORKERS = 2", True),
        ("settings.WORKERS", "WORKERS = os.cpu_count() - 1", "", False),
        ("settings.WORKERS", "WORKERS = min(os.cpu_count(), cap())", "", False),
        ("settings.WORKERS", "WORKERS = os.cpu_count() // 2", "settings.WORKERS = read()", False),
        ("settings.OTHERS", "WORKERS = os.cpu_count() // 2", "", False),
        (
            "settings.WORKERS",
            "def less():\n    global WORKERS\n    WORKERS = cap()\nWORKERS = os.cpu_count() // 2",
            "",
            False,
        ),
    ],
)
def test_a_share_of_the_cpus_that_a_module_holds(
    context: MakeContext, given: str, bound: str, more: str, expected: bool
) -> None:
    main = SETTING.format(given=given, more=more)
    program = context({"main.py": main, "settings.py": f"import os\n{bound}\n"})
    ((loader,),) = program[Loaders].by_call().values()
    assert loader.workers.is_known is expected


BATCH = """
import argparse
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int)
parser.add_argument("--other", type=int)
parser.add_argument("--none", type=int, default=0)
args = parser.parse_args()
{code}

def make(dataset, size, config):
    named = args.size
    return DataLoader(dataset, {given})
"""


@pytest.mark.parametrize(
    ("given", "code", "expected"),
    [
        ("args.size, num_workers=args.size", "", True),
        ("args.size, num_workers=named", "", True),
        ("args.size, num_workers=named", "args.size *= 2", False),
        ("batch_size=size, num_workers=size", "", True),
        ("config['size'], num_workers=config['size']", "", True),
        ("config['size'], num_workers=config['workers']", "", False),
        ("args.size, num_workers=args.other", "", False),
        ("args.size, num_workers=args.size // 2", "", False),
        ("args.size, num_workers=args.size - 1", "", False),
        ("num_workers=args.size", "", False),
        ("args.none, num_workers=args.none", "", False),
        ("None, num_workers=None", "", False),
    ],
)
def test_as_many_workers_as_samples_in_a_batch(
    context: MakeContext, given: str, code: str, expected: bool
) -> None:
    ((loader,),) = context(BATCH.format(given=given, code=code))[Loaders].by_call().values()
    count = loader.workers
    assert (count.is_known and count.present is not None) is expected
    assert count.several is None
