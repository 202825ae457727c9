"""Attributes that a program adds to what argparse gave it."""

from __future__ import annotations

import pytest

from dlint.semantics.assembly import evaluator_of, solver_of
from tests.semantics.asked import denoted, evaluated, project_of, questions, short

TEXT = """
import argparse
import torch
def run(args):
    reveal({asked})
def main(extra):
    p = argparse.ArgumentParser()
    p.add_argument("--declared", type=int, default=3)
    args = p.parse_args()
    {written}
    run(args)
"""
ASKED = "args.cuda"


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("args.cuda = True", {"True"}),
        ("args.cuda = args.declared", {"~3"}),
        ("args.cuda = True if extra else False", {"True", "False"}),
        ("args.cuda = False\n    if extra: args.cuda = True", {"True", "False"}),
        ("args.cuda = extra", {"?"}),
        ("pass", {"?"}),
        ("extra.cuda = True", {"?"}),
        ("args.cuda = True; extra.cuda = False", {"?"}),
        ("args.cuda = True; setattr(args, extra, 1)", {"?"}),
        ("args.cuda = True; vars(args).update(extra)", {"?"}),
    ],
)
def test_what_is_written(written: str, values: set[str]) -> None:
    assert evaluated(TEXT.format(asked=ASKED, written=written)) == [values]


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ("getattr(args, 'cuda')", {"True"}),
        ("getattr(args, 'cuda', False)", {"True", "False"}),
        ("getattr(args, 'declared', 0)", {"~3"}),
    ],
)
def test_a_default_where_nothing_may_be_written(asked: str, values: set[str]) -> None:
    written = "if extra: args.cuda = True"
    assert evaluated(TEXT.format(asked=asked, written=written)) == [values]


def test_a_module_that_only_writes_is_read() -> None:
    files = {
        "main.py": TEXT.format(asked=ASKED, written="args.cuda = True; setup(args)").replace(
            "import torch", "from ranks import setup"
        ),
        "ranks.py": "def setup(args):\n    args.cuda = False\n",
    }
    evaluator = evaluator_of(solver_of(project_of(files, loaded=["main.py"])))
    (call,) = questions(evaluator)
    frame = evaluator.solver.root(call.scope)
    assert short(evaluator.of(call.arguments[0].value, frame)) == {"True", "False"}


def test_the_values_that_flow() -> None:
    text = TEXT.format(asked=ASKED, written="args.cuda = torch.cuda.is_available()")
    assert denoted(text) == [{"torch.cuda.is_available()"}]
