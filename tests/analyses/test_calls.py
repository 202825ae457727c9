"""Which calls are calls of a library callable, whatever it is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.calls import (
    calls_anywhere,
    calls_matching,
    calls_to,
    certainly_calls,
    constructions_of,
    is_call_to,
    library_callees,
)
from dlint.analyses.context import AnalysisContext
from dlint.analyses.running_calls import calls_named
from dlint.ir import expressions as ex
from dlint.model.loading.loaders import Loaders

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

SPAWN = "torch.multiprocessing.spawn"


def _texts(context: AnalysisContext, calls: list[ex.Call]) -> list[str]:
    """The calls as they are written."""
    found = []
    for call in calls:
        text = context.project.text(call.scope.module.path).decode()
        found.append(text[slice(*call.span)])
    return found


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntorch.multiprocessing.spawn(f)\n",
        "import torch.multiprocessing as mp\nmp.spawn(f)\n",
        "from torch import multiprocessing\nmultiprocessing.spawn(f)\n",
        "from torch.multiprocessing import spawn\nspawn(f)\n",
        "from torch.multiprocessing import spawn as launch\nlaunch(f)\n",
        "from torch.multiprocessing import *\nfrom torch.multiprocessing import spawn\nspawn(f)\n",
        "def main():\n    from torch.multiprocessing import spawn as launch\n    launch(f)\n",
        "import torch.multiprocessing as mp\nlaunch = mp.spawn\nlaunch(f)\n",
        "import torch.multiprocessing as mp\nlaunch = mp.spawn\nstart = launch\nstart(f)\n",
        "import torch.multiprocessing as mp\nlaunch = mp.spawn if x else run\nlaunch(f)\n",
        "import torch.multiprocessing as mp\nlaunch = x or mp.spawn\nlaunch(f)\n",
        (
            "import torch.multiprocessing as mp\n"
            "try:\n    launch = mp.spawn\nexcept E:\n    launch = None\nlaunch(f)\n"
        ),
        (
            "import torch.multiprocessing as mp\n"
            "from functools import partial\nlaunch = partial(mp.spawn, f)\nlaunch()\n"
        ),
        (
            "import torch.multiprocessing as mp\n"
            "from functools import partial as p\nlaunch = p(p(mp.spawn, f), nprocs=2)\nlaunch()\n"
        ),
        "import torch.multiprocessing as mp\ndef run(launch=mp.spawn):\n    launch(f)\n",
        (
            "import torch.multiprocessing as mp\n"
            "class Runner:\n"
            "    def __init__(self):\n        self.launch = mp.spawn\n"
            "    def run(self):\n        self.launch(f)\n"
        ),
    ],
)
def test_a_callable_is_found_by_whatever_name(context: MakeContext, text: str) -> None:
    analysed = context(text)
    assert len(list(calls_to(analysed, SPAWN))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "from mine import spawn\nspawn(f)\n",
        "def spawn(f): pass\nspawn(f)\n",
        "import torch.multiprocessing as mp\nmp.start_processes(f)\n",
        "class A:\n    def spawn(self, f): pass\nA().spawn(f)\n",
        "def main(thing):\n    thing.spawn(f)\n",
        "from torch.multiprocessing import spawn as launch\ndef g(launch):\n    launch(f)\n",
    ],
)
def test_another_of_the_same_name_is_none(context: MakeContext, text: str) -> None:
    assert not list(calls_to(context(text), SPAWN))


def test_a_name_of_another_module_is_followed(context: MakeContext) -> None:
    analysed = context(
        {
            "main.py": "from tools import launch\nlaunch(f)\n",
            "tools.py": "import torch.multiprocessing as mp\nlaunch = mp.spawn\n",
        }
    )
    assert _texts(analysed, list(calls_to(analysed, SPAWN))) == ["launch(f)"]


def test_calls_come_in_order_of_files_and_places(context: MakeContext) -> None:
    analysed = context(
        {
            "b.py": "import torch\ntorch.manual_seed(3)\n",
            "a.py": "from torch import manual_seed as seed\nimport torch\n"
            "def f():\n    seed(1)\ntorch.manual_seed(2)\n",
        }
    )
    found = _texts(analysed, list(calls_to(analysed, "torch.manual_seed")))
    assert found == ["seed(1)", "torch.manual_seed(2)", "torch.manual_seed(3)"]


def test_code_that_never_runs_calls_nothing(context: MakeContext) -> None:
    analysed = context(
        "import torch\ndef f():\n    return 1\n    torch.manual_seed(0)\nif False:\n"
        "    torch.manual_seed(0)\n"
    )
    assert not list(calls_to(analysed, "torch.manual_seed"))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (
            "import torch\ng = torch.Generator()\ng.manual_seed(0)\n",
            "torch.Generator().manual_seed",
        ),
        (
            "from multiprocessing import Pool\nwith Pool(2) as pool:\n    pool.map(f, x)\n",
            "multiprocessing.Pool().map",
        ),
        (
            "import multiprocessing as mp\nc = mp.get_context('spawn')\nc.Process(target=f)\n",
            "multiprocessing.Process",
        ),
        (
            "import multiprocessing as mp\np = mp.get_context().Pool(2)\np.map(f, x)\n",
            "multiprocessing.Pool().map",
        ),
        ("zip(a, b)\n", "builtins.zip"),
    ],
)
def test_methods_of_library_objects_have_a_path(context: MakeContext, text: str, path: str) -> None:
    analysed = context(text)
    assert len(list(calls_to(analysed, path))) == 1


def test_a_call_may_have_several_callees(context: MakeContext) -> None:
    analysed = context(
        "try:\n    from a import load\nexcept ImportError:\n    from b import load\nload(x)\n"
    )
    (call,) = calls_to(analysed, "a.load")
    assert library_callees(analysed, call) == ("a.load", "b.load")
    assert is_call_to(analysed, call, ["b.load"])
    assert not is_call_to(analysed, call, ["c.load"])
    assert certainly_calls(analysed, call, {"a.load", "b.load", "c.load"})
    assert not certainly_calls(analysed, call, {"b.load"})


def test_a_call_of_what_is_not_known_is_certainly_none(context: MakeContext) -> None:
    analysed = context("def run(load):\n    load(1)\n")
    (call,) = calls_anywhere(analysed, "load")
    assert not certainly_calls(analysed, call, {"load", "a.load"})


def test_a_partial_of_itself_ends(context: MakeContext) -> None:
    analysed = context(
        "from functools import partial\nimport torch.multiprocessing as mp\n"
        "launch = mp.spawn\nfor x in y:\n    launch = partial(launch, x)\nlaunch()\n"
    )
    assert [call.name for call in calls_to(analysed, SPAWN)] == ["launch"]


LOOP = """
    from torch.utils.data import DataLoader
    def train(loader):
        for x in loader:
            x.sum().backward()
    def other(loss):
        loss.backward()
    train(DataLoader(data))
"""


def test_methods_are_found_by_name_where_batches_come(context: MakeContext) -> None:
    analysed = context(LOOP)
    found = [call.scope.name for call in calls_named(analysed, "backward", "train")]
    assert found == ["<module>", "train"]
    found = [call.scope.name for call in calls_anywhere(analysed, "backward")]
    assert found == ["train", "other"]


TRAINER = "transformers.Trainer"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("from transformers import Trainer\nTrainer(model)\n", 1),
        ("from transformers import Trainer as T\nT(model)\n", 1),
        ("from transformers import Trainer as T\nclass Mine(T): pass\nMine(model)\n", 1),
        ("import transformers\nclass A(transformers.Trainer): pass\nclass B(A): pass\nB(m)\n", 1),
        ("import transformers as t\nclass A(t.Trainer): pass\nB = A\nB(m)\n", 1),
        ("from mine import Trainer\nclass Mine(Trainer): pass\nMine(model)\n", 0),
    ],
)
def test_objects_of_a_library_class_or_of_one_derived(
    context: MakeContext, text: str, count: int
) -> None:
    assert len(list(constructions_of(context(text), TRAINER))) == count


@pytest.mark.parametrize(
    "text",
    [
        "from torch.utils.data import DataLoader as D\nD(x)\n",
        "from torch.utils.data import DataLoader\nclass Alfa(DataLoader): pass\nAlfa(x)\n",
        (
            "from torch.utils.data import DataLoader\nfrom functools import partial\n"
            "alfa = partial(DataLoader, shuffle=True)\nalfa(x)\n"
        ),
        "from torch.utils.data import DataLoader\nalfa = DataLoader\nalfa(x)\n",
    ],
)
def test_loaders_are_found_by_what_makes_them(context: MakeContext, text: str) -> None:
    analysed = context(text)
    assert len(analysed[Loaders].by_call()) == 1


def test_calls_match_by_the_last_name_of_their_callee(context: MakeContext) -> None:
    made = context("import torch\ntorch.manual_seed(1)\nfix_seed()\nseeded = 3\nprint(seeded)\n")
    found = list(calls_matching(made, re.compile("seed")))
    assert _texts(made, found) == ["torch.manual_seed(1)", "fix_seed()"]
