"""Which loops fail before their first round is over."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlint
from dlint.analyses.idle.failing_loops import FailingLoops
from dlint.findings.places import Place
from tests.analyses.control.programs import MakeProgram

LOOP = """\
from shared import here, test

def within(x):
    for y in x:
        skipped += 1
    return test(skipped)

def may_return(x):
    if x:
        return 1
    skipped += 1

class Trainer:
    def epoch(self, x):
        for y in x:
            test(y)
        return test(skipped)

def train(loader):
    for x in loader:
{}
"""
OWN = """\

class Own:
    def run(self, epochs):
        for epoch in epochs:
            HERE
            self.epoch(epoch)

    def epoch(self, epoch):
        {}
"""
HEIR = """\

class Heir(Own):
    def epoch(self, epoch):
        return test(epoch)
"""
FAILS = {
    "a name that nothing binds": "        HERE\n        total += nowhere\n        total = 0",
    "bound only behind": "        HERE\n        test(score)\n        score = test(x)",
    "bound behind the loop too": (
        "        HERE\n        test(score)\n        score = test(x)\n    score = test(1)"
    ),
    "within with": "        with test:\n            HERE\n            nowhere(x)",
    "the loop itself": "        for y in nowhere:\n            pass\n        HERE",
    "a count that nothing begins": (
        "        HERE\n        if test:\n            n += 1\n        test(n)"
    ),
    "a function that fails": "        HERE\n        test(within(x))",
    "a method that fails": "        HERE\n        Trainer().epoch(x)",
    "a method of the same object": "        pass\n" + OWN.format("return test(skipped)"),
    "a loop inside": (
        "        for y in x:\n            HERE\n            test(score)\n        score = test(x)"
    ),
}
GOES_ON = {
    "behind a test": "        HERE\n        if test:\n            nowhere(x)",
    "left before": "        HERE\n        if test:\n            continue\n        nowhere(x)",
    "caught": "        HERE\n        try:\n            nowhere(x)\n        except NameError: ...",
    "suppressed": (
        "        HERE\n        import contextlib\n        with contextlib.suppress(NameError):\n"
        "            nowhere(x)"
    ),
    "a count that another function begins": (
        "        def begin():\n            nonlocal n\n            n = 0\n"
        "        begin()\n        HERE\n        n += 1"
    ),
    "a count of the module": "        HERE\n        global here\n        here += 1",
    "a method of some heirs": "        pass\n" + OWN.format("return test(skipped)") + HEIR,
    "a function that may return": "        HERE\n        test(may_return(x))",
    "of a parameter": "        HERE\n        test(loader)\n        loader = test(x)",
    "another loop": "        HERE\n    for x in loader:\n        nowhere(x)",
    "a loop inside behind a test": (
        "        if test:\n            for y in x:\n                HERE\n"
        "                test(score)\n        score = test(x)"
    ),
}


def _fails(text: str, context: MakeProgram, folder: Path) -> bool:
    written = text.replace("HERE", "print(here)")
    at = written.index("print(here)")
    made = context({"main.py": written, "shared.py": "test = here = 1\n"})
    return made[FailingLoops].around(Place(str(folder / "main.py"), at, at + 5)) is not None


@pytest.mark.parametrize("body", FAILS.values(), ids=FAILS)
def test_a_loop_that_fails(body: str, context: MakeProgram, tmp_path: Path) -> None:
    assert _fails(LOOP.format(body), context, tmp_path)


@pytest.mark.parametrize("body", GOES_ON.values(), ids=GOES_ON)
def test_a_loop_that_goes_on(body: str, context: MakeProgram, tmp_path: Path) -> None:
    assert not _fails(LOOP.format(body), context, tmp_path)


def test_a_name_that_is_bound_before(context: MakeProgram, tmp_path: Path) -> None:
    text = LOOP.format(FAILS["bound only behind"])
    bound = text.replace("    for x", "    score = 1\n    for x")
    assert not _fails(bound, context, tmp_path)


def test_a_handler_around_the_loop_begins_it_anew(context: MakeProgram, tmp_path: Path) -> None:
    body = "        HERE\n        nowhere(x)"
    inside = LOOP.format(body).replace("\n    for x", "\n  try:\n    for x")
    assert _fails(f"{inside}  except NameError: ...\n", context, tmp_path)


def test_cells_bind_names_in_any_order(context: MakeProgram, tmp_path: Path) -> None:
    text = "from shared import here\nfor x in [1]:\n    HERE\n    print(score)\n    score = 2\n"
    assert _fails(text, context, tmp_path)
    assert not _fails(f"# %%\n{text}", context, tmp_path)


@pytest.mark.parametrize(("last", "severity"), [("nowhere", "info"), ("total", "warning")])
def test_nobody_waits_for_it(last: str, severity: str, tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("rows = ...\n")
    (tmp_path / "main.py").write_text(f"""\
import data
import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters())
loader = DataLoader(data.rows, shuffle=True)
total = 0
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    total += loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print({last})
print(total)
""")
    settings = dlint.Settings(select=("loss-history-kept",))
    assert [f.severity for f in dlint.check([tmp_path], settings).findings] == [severity]
