from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.library_facts.start_methods import StartMethod
from dlint.model.loading.loaders import Loaders
from dlint.model.workers import starting as workers

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]
FORK, FORKSERVER, SPAWN = StartMethod.FORK, StartMethod.FORKSERVER, StartMethod.SPAWN

MAIN = """
import multiprocessing, sys, torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader

def train(ds):
    for x in DataLoader(ds, num_workers=2{argument}):
        print(x)

{start}
"""


def _methods(analysed: AnalysisContext) -> frozenset[StartMethod]:
    ((loader,),) = analysed[Loaders].by_call().values()
    return workers.start_methods_of(analysed, loader)


@pytest.mark.parametrize(
    ("argument", "start", "expected"),
    [
        ("", "", {FORK}),
        (", multiprocessing_context='spawn'", "", {SPAWN}),
        (", multiprocessing_context=None", "", {FORK}),
        (", multiprocessing_context=mp.get_context('forkserver')", "", {FORKSERVER}),
        (", multiprocessing_context=choose()", "", {FORK, FORKSERVER, SPAWN}),
        ("", "mp.set_start_method('spawn')", {SPAWN}),
        ("", "if __name__ == '__main__':\n    mp.set_start_method('spawn', force=True)", {SPAWN}),
        ("", "if sys.platform == 'darwin':\n    mp.set_start_method('spawn')", {FORK, SPAWN}),
        ("", "mp.spawn(train, args=(1,))", {SPAWN}),
        ("", "mp.spawn(train, args=(1,))\ntrain([])", {FORK, SPAWN}),
        ("", "def run(rank, ds):\n    train(ds)\nmp.spawn(run)", {SPAWN}),
        ("", "mp.spawn(print)", {FORK}),
        ("", "mp.spawn(nprocs=1, fn=train)", {SPAWN}),
        ("", "from torch.multiprocessing import spawn as launch\nlaunch(train)", {SPAWN}),
        ("", "mp.start_processes(train, start_method='fork')", {FORK}),
        ("", "mp.get_context('spawn').Process(target=train).start()", {SPAWN}),
        ("", "mp.get_context(method='fork').Process(target=train).start()", {FORK}),
        ("", "mp.Process(target=train).start()", {FORK}),
        ("", "import threading\nthreading.Thread(target=train).start()", {FORK}),
        ("", "mp.set_start_method(method='spawn', force=True)", {SPAWN}),
        ("", "from torch.multiprocessing import set_start_method as s\ns('spawn')", {SPAWN}),
        (", multiprocessing_context=mp.get_context(method='spawn')", "", {SPAWN}),
    ],
)
def test_start_methods(
    context: MakeProgram, argument: str, start: str, expected: set[StartMethod]
) -> None:
    assert _methods(context(MAIN.format(argument=argument, start=start))) == expected


SCRIPT = "import torch.multiprocessing as mp\nfrom work import train\n"


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ([SCRIPT + "mp.set_start_method('spawn')\ntrain([])\n"], {SPAWN}),
        ([SCRIPT + "mp.set_start_method('spawn')\n"], {FORK}),
        (
            [SCRIPT + "mp.set_start_method('spawn')\ntrain([])\n", SCRIPT + "train(1)\n"],
            {FORK, SPAWN},
        ),
    ],
)
def test_the_script_that_calls_a_training_chooses(
    context: MakeProgram, scripts: list[str], expected: set[StartMethod]
) -> None:
    files = {f"{number}.py": text for number, text in enumerate(scripts)}
    assert _methods(context({"work.py": MAIN.format(argument="", start=""), **files})) == expected


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (">=3.14", {FORKSERVER}),
        (">=3.9", {FORK, FORKSERVER}),
        (">=3.9,<3.14", {FORK}),
        (">=3.9,<3.13", {FORK}),
        ("", {FORK}),
    ],
)
def test_the_python_version_decides_what_is_default(
    context: MakeProgram, wanted: str, expected: set[StartMethod]
) -> None:
    project = f'[project]\nname = "x"\nrequires-python = "{wanted}"\n'
    files = {"main.py": MAIN.format(argument="", start=""), "pyproject.toml": project}
    assert _methods(context(files)) == expected
