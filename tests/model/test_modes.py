from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loops.batch_loops import BatchLoop, batch_loops
from dlint.model.loops.epochs import is_evaluation
from dlint.model.loops.gradients import runs_without_gradients
from dlint.model.loops.modes import runs_in_eval_mode

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = "import torch\nfrom torch.utils.data import DataLoader\n"
LOOP = "    for x in DataLoader(ds):\n        y = model(x)\n"
RUN = "def run(ds, model):\n" + LOOP


def _loop(context: MakeProgram, text: str) -> BatchLoop:
    (loop,) = context(HEAD + text)[batch_loops]
    return loop


@pytest.mark.parametrize(
    "text",
    [
        "def run(ds, model):\n    model.eval()\n" + LOOP,
        "def run(ds, model):\n    model.train(False)\n" + LOOP,
        "def run(ds, net):\n    model = net.eval()\n" + LOOP,
        "def run(ds, model):\n    model.train()\n    model.eval()\n" + LOOP,
        RUN + "def main(ds, net):\n    net.eval()\n    run(ds, net)\n",
        (
            "def label(model, x):\n    return model(x)\n"
            "def run(ds, model):\n    model.eval()\n    for x in DataLoader(ds):\n"
            "        y = label(model, x)\n"
        ),
    ],
)
def test_a_model_in_evaluation_mode(context: MakeProgram, text: str) -> None:
    assert runs_in_eval_mode(_loop(context, text))


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        "def run(ds, model):\n    model.eval()\n    model.train()\n" + LOOP,
        "def run(ds, model, test):\n    if test:\n        model.eval()\n" + LOOP,
        "def run(ds, model, other):\n    other.eval()\n" + LOOP,
        "def run(ds, model):\n    model.eval()\n" + LOOP + "        y.backward()\n",
        RUN + "def main(ds, net):\n    net.eval()\n    run(ds, net)\n    net.train()\n"
        "    run(ds, net)\n",
        RUN + "def main(ds, net, other):\n    other.eval()\n    run(ds, net)\n",
        (
            "def label(model, x):\n    model(x).backward()\n"
            "def run(ds, model):\n    model.eval()\n    for x in DataLoader(ds):\n"
            "        label(model, x)\n"
        ),
    ],
)
def test_models_that_may_train(context: MakeProgram, text: str) -> None:
    assert not runs_in_eval_mode(_loop(context, text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@torch.no_grad()\n" + RUN, True),
        (RUN + "def main(ds, net):\n    with torch.no_grad():\n        run(ds, net)\n", True),
        (RUN + "@torch.inference_mode()\ndef main(ds, net):\n    run(ds, net)\n", True),
        (RUN, False),
        (
            RUN + "def main(ds, net):\n    run(ds, net)\n"
            "    with torch.no_grad():\n        run(ds, net)\n",
            False,
        ),
    ],
)
def test_gradients_that_are_off(context: MakeProgram, text: str, expected: bool) -> None:
    loop = _loop(context, text)
    assert runs_without_gradients(loop.context, loop.statement, loop.scope) is expected


INSIDE = """
def run(ds, model, agent):
    for x in DataLoader(ds):
        with torch.no_grad():
            y = model(x)
"""


@pytest.mark.parametrize(
    ("more", "evaluates"),
    [
        ("        print(y)\n", True),
        ("        model(y).backward()\n", False),
        ("        agent.step(y)\n", False),
    ],
)
def test_a_round_that_computes_without_gradients(
    context: MakeProgram, more: str, evaluates: bool
) -> None:
    assert is_evaluation(_loop(context, INSIDE + more)) is evaluates


@pytest.mark.parametrize(
    ("before", "iterable", "evaluates"),
    [
        ("val_loader = DataLoader(ds)", "val_loader", True),
        ("val_loader = DataLoader(ds)\n    bar = enumerate(val_loader)", "bar", True),
        ("loader = DataLoader(ds)\n    bar = enumerate(loader)", "bar", False),
        ("loader = DataLoader(val_set)", "loader", False),
    ],
)
def test_names_of_what_is_gone_through(
    context: MakeProgram, before: str, iterable: str, evaluates: bool
) -> None:
    text = (
        f"def run(ds, val_set, model):\n    {before}\n    for x in {iterable}:\n        model(x)\n"
    )
    assert is_evaluation(_loop(context, text)) is evaluates
