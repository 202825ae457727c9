"""A small project with one finding of each severity."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Related, Severity
from dlint.findings.operations import SetArgument
from dlint.findings.places import Place
from dlint.reports.view import View
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

TRAIN = """\
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=64)

for epoch in range(10):
    for batch in loader:
        batch = batch.cuda()
        step(batch)
"""
DATA = "class Data(Dataset):\n    def __init__(self):\n        self.x = read()\n"
TOP = Path("/work dir/project")


class Finder:
    """Places in the texts of a project, by what stands there."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.sources = Sources({str(TOP / n): Source(str(TOP / n), t) for n, t in texts.items()})

    def place(self, name: str, marked: str) -> Place:
        """Where `marked` first stands in a file."""
        path = str(TOP / name)
        start = self.sources.get(path).text.index(marked)
        return Place(path, start, start + len(marked))

    def view(self, unsafe: bool = False, colour: bool = False) -> View:
        """The project as a report sees it."""
        applicable = {Applicability.SAFE, *([Applicability.UNSAFE] if unsafe else [])}
        return View(self.sources, TOP, frozenset(applicable), colour)


@pytest.fixture
def finder() -> Finder:
    """The project's files."""
    return Finder({"train.py": TRAIN, "pkg/data.py": DATA})


@pytest.fixture
def pinning(finder: Finder) -> Diagnostic:
    """A warning with a safe fix and a related place further down."""
    call = finder.place("train.py", "DataLoader(dataset, batch_size=64)")
    return Diagnostic(
        "DLT101",
        "missing-pin-memory",
        Severity.WARNING,
        "batches are copied from pageable memory",
        call,
        (Related(finder.place("train.py", "batch.cuda()"), "copied here"),),
        Fix(Applicability.SAFE, "Pin", (SetArgument(call, "pin_memory", "True"),)),
    )


@pytest.fixture
def blocking(finder: Finder) -> Diagnostic:
    """An error with an unsafe fix."""
    call = finder.place("train.py", "batch.cuda()")
    return Diagnostic(
        "DLT301",
        "missing-non-blocking",
        Severity.ERROR,
        "the copy blocks: 100%, really",
        call,
        (),
        Fix(Applicability.UNSAFE, "Do not block", (SetArgument(call, "non_blocking", "True"),)),
    )


@pytest.fixture
def eager(finder: Finder) -> Diagnostic:
    """An information without a fix, related to a place of another file."""
    return Diagnostic(
        "DLT401",
        "eager-load-in-init",
        Severity.INFO,
        "reads everything at once",
        finder.place("pkg/data.py", "read()"),
        (Related(finder.place("train.py", "loader:"), "iterated here"),),
    )
