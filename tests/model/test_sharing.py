from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.findings.diagnostic import Severity
from dlint.rules.process.late_sharing_strategy import check

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import sys, torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset
"""


def _found(analysed: AnalysisContext) -> list[Severity]:
    return [finding.severity for finding in check(analysed)]


LATE = """
def late():
    mp.set_sharing_strategy("file_system")

def main(ds):
    for x in DataLoader(ds, num_workers=2):
        pass
    late()
"""
CASES = {
    "every caller has iterated": (LATE, [Severity.ERROR]),
    "one of two callers is early": (
        LATE
        + """
def other():
    late()
""",
        [],
    ),
    "the caller repeats both": (
        """
def epoch(loader):
    for x in loader:
        pass
    mp.set_sharing_strategy("file_system")

def main(ds):
    loader = DataLoader(ds, num_workers=2)
    for _ in range(3):
        epoch(loader)
""",
        [Severity.WARNING],
    ),
    "set in time, and once more": (
        """
def main(ds):
    mp.set_sharing_strategy("file_system")
    for x in DataLoader(ds, num_workers=2):
        pass
    mp.set_sharing_strategy("file_system")
""",
        [],
    ),
    "set at import, and once more": (
        """
mp.set_sharing_strategy("file_system")

def main(ds):
    for x in DataLoader(ds, num_workers=2):
        pass
    mp.set_sharing_strategy("file_system")
""",
        [],
    ),
    "no workers by default": (
        """
def main(ds):
    for x in DataLoader(ds):
        pass
    mp.set_sharing_strategy("file_system")
""",
        [],
    ),
    "another loader starts later": (
        """
def main(a, b):
    for x in DataLoader(a, num_workers=2, persistent_workers=True):
        pass
    mp.set_sharing_strategy("file_system")
    for x in DataLoader(b, num_workers=2):
        pass
""",
        [Severity.WARNING],
    ),
    "launched, or called directly": (
        """
def run(rank, ds):
    mp.set_sharing_strategy("file_system")
    for x in DataLoader(ds, num_workers=2):
        pass

def main(ds, many):
    if many:
        mp.spawn(run, args=(ds,))
    else:
        run(0, ds)
""",
        [Severity.WARNING],
    ),
    "set in the parent of launched processes": (
        """
def run(rank, ds):
    for x in DataLoader(ds, num_workers=2):
        pass

def main(ds):
    mp.set_sharing_strategy("file_system")
    mp.spawn(run, args=(ds,))
""",
        [Severity.ERROR],
    ),
    "called at import": (
        """
def prepare():
    mp.set_sharing_strategy("file_system")

prepare()

def main(ds):
    for x in DataLoader(ds, num_workers=2, multiprocessing_context="spawn"):
        pass
""",
        [],
    ),
    "the dataset runs it in the worker": (
        """
class Rows(Dataset):
    def __getitem__(self, index):
        mp.set_sharing_strategy("file_system")
        return index

def main():
    for x in DataLoader(Rows(), num_workers=2, multiprocessing_context="spawn"):
        pass
""",
        [],
    ),
    "macOS has no file descriptors to share": (
        """
if sys.platform == "darwin":
    mp.set_sharing_strategy("file_descriptor")
""",
        [Severity.ERROR],
    ),
    "Linux has": (
        """
if sys.platform == "linux":
    mp.set_sharing_strategy("file_descriptor")
""",
        [],
    ),
    "a name that is not known": ("mp.set_sharing_strategy(f'file_{sys.argv[1]}')", []),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_order_and_reach(context: MakeProgram, text: str, expected: list[Severity]) -> None:
    assert _found(context(HEAD + text)) == expected


def test_a_statement_that_does_more_gets_no_fix(context: MakeProgram) -> None:
    (finding,) = check(
        context(
            HEAD + "def main(ds):\n    for x in DataLoader(ds, num_workers=2):\n        pass\n"
            "    done = mp.set_sharing_strategy('file_system')\n"
        )
    )
    assert finding.fix is None


@pytest.mark.parametrize(("imported", "fixed"), [("    import data\n", False), ("", True)])
def test_spawned_workers_do_not_import_what_is_imported_inside_functions(
    context: MakeProgram, imported: str, fixed: bool
) -> None:
    data = HEAD + (
        "def run(ds):\n    mp.set_sharing_strategy('file_system')\n"
        "    for x in DataLoader(ds, num_workers=2, multiprocessing_context='spawn'):\n"
        "        pass\n"
    )
    top = "" if imported else "import data"
    other = f"import torch\n{top}\ndef main():\n{imported}    data.run([])\n"
    (finding,) = check(context({"data.py": data, "main.py": other}))
    assert (finding.fix is not None) is fixed


@pytest.mark.parametrize(("imports", "expected"), [("import data", 0), ("", 1)])
def test_a_strategy_that_an_imported_module_has_set_holds_already(
    context: MakeProgram, imports: str, expected: int
) -> None:
    data = "import torch\ntorch.multiprocessing.set_sharing_strategy('file_system')\n"
    found = check(context({"data.py": data, "main.py": f"{imports}\n{HEAD}{LATE}"}))
    assert len(list(found)) == expected
