"""What values depend on: worker, rank, epoch."""

from __future__ import annotations

from textwrap import indent

import pytest

from dlint.analyses.dependence import (
    ANYTHING,
    NOTHING,
    Dependence,
    all_of,
    by,
    dependence,
    one_of,
    within_epochs,
)
from dlint.ir import expressions as ex
from dlint.library_facts.varying import Source
from dlint.semantics.calls.call_contexts import CallContext
from tests.analyses.control.programs import MakeProgram, call_of, first_loop, scope_named

WORKER, RANK, EPOCH, UNKNOWN = Source.WORKER, Source.RANK, Source.EPOCH, Source.UNKNOWN
RANKED = "class C:\n    def __init__(self):\n        self.seed = 3 + dist.get_rank()\n"
HEAD = "import argparse, os, time\nimport torch\nimport torch.distributed as dist\n"


def _of(context: MakeProgram, text: str) -> Dependence:
    analysed = context(HEAD + text)
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    return dependence(analysed, call.arguments[0].value, analysed.solver.root(call.scope))


def test_the_lattice() -> None:
    rank, worker = by(RANK), by(WORKER)
    assert one_of([rank, rank]) == rank
    assert one_of([rank, NOTHING]) == Dependence(frozenset(), frozenset({RANK}))
    assert one_of([rank, worker]).certain == frozenset()
    assert all_of([rank, worker]) == by(RANK, WORKER)
    assert all_of([rank, ANYTHING]) == Dependence(frozenset({RANK}), frozenset({RANK, UNKNOWN}))
    assert all_of([NOTHING, NOTHING]) == NOTHING
    assert one_of([]) == NOTHING
    assert ANYTHING.may_be_by(EPOCH)
    assert not ANYTHING.is_known
    assert rank.may_be_by(RANK)
    assert not rank.may_be_by(EPOCH)


@pytest.mark.parametrize(
    ("text", "certain", "possible"),
    [
        ("ask(1)", "", ""),
        ("ask(None)", "", "U"),
        ("ask(-1)", "", ""),
        ("ask(not dist.get_rank())", "", "R"),
        ("ask(dist.get_rank())", "R", "R"),
        ("from torch.distributed import get_rank as number\nask(number())", "R", "R"),
        ("ask(model.get_rank())", "R", "R"),
        ("ask(dist.get_world_size())", "", ""),
        ("ask(torch.initial_seed())", "WE", "WE"),
        ("ask(torch.utils.data.get_worker_info().id)", "W", "W"),
        ("ask(torch.utils.data.get_worker_info().seed)", "", "U"),
        ("info = torch.utils.data.get_worker_info()\nask(info.id + 1)", "W", "W"),
        ("ask(model().id)", "", "U"),
        ("ask(int(os.environ['RANK']))", "R", "R"),
        ("ask(os.environ.get('LOCAL_RANK', 0))", "R", "R"),
        ("ask(os.getenv('WORLD_SIZE'))", "", ""),
        ("ask(os.environ['HOME'])", "", "U"),
        ("ask(time.time())", "", "U"),
        ("ask(3 + dist.get_rank())", "R", "R"),
        ("ask(3 * dist.get_rank() - 1)", "R", "R"),
        ("ask(dist.get_rank() // 8)", "", "R"),
        ("ask(dist.get_rank() == 0)", "", "R"),
        ("ask(max(dist.get_rank(), 1))", "", "R"),
        ("ask(len(xs))", "", ""),
        ("ask(dist.get_rank() if t else 1)", "", "R"),
        ("ask(dist.get_rank() if t else dist.get_rank() + 1)", "R", "R"),
        ("ask(args.seed)", "", ""),
        ("ask(args.seed + args.rank)", "R", "R"),
        ("ask(args.epoch_seed)", "", "U"),
        ("ask(f().seed)", "", "U"),
        ("args = argparse.ArgumentParser().parse_args()\nask(args.seed)", "", ""),
        ("class C:\n    def __init__(self):\n        self.seed = draw()\nask(C().seed)", "", "U"),
        ("ask(seed)", "", ""),
        ("ask(rank)", "R", "R"),
        ("ask(epoch)", "", "U"),
        ("rank = 0\nask(rank)", "", ""),
        ("rank = number()\nask(rank)", "R", "R"),
        ("count = number()\nask(count)", "", "U"),
        ("def f(rank):\n    ask(rank)", "R", "R"),
        ("def f(rank):\n    ask(rank)\nf(0)", "", ""),
        ("def f(n):\n    ask(n)\nf(0)\nf(dist.get_rank())", "", "R"),
        ("def f(n):\n    ask(n)", "", "U"),
        ("def g():\n    return dist.get_rank()\nask(g() + 1)", "R", "R"),
        ("x = 0\nfor i in t:\n    x = x + 1\nask(x)", "", "U"),
        ("ask('abc')", "", ""),
        ("ask([1])", "", "U"),
        ("args.seed = args.seed + args.rank\nask(args.seed)", "R", "R"),
        ("ask(args.seed)\nargs.seed = args.rank", "", ""),
        ("if t:\n    args.seed = args.rank\nask(args.seed)", "", "R"),
        ("for i in t:\n    args.seed = args.seed + 1\nask(args.seed)", "", "U"),
        ("for i in t:\n    args.seed = 3\n    ask(args.seed)", "", ""),
        (f"{RANKED}    def f(self):\n        ask(self.seed)", "R", "R"),
        (f"{RANKED}x = C()\nask(x.seed)", "R", "R"),
        (f"{RANKED}    def f(self):\n        ask(self.seed + 1)\nC().seed = 0", "", "R"),
        (f"{RANKED}    def g(self):\n        self.seed = 0\nx = C()\nask(x.seed)", "", "R"),
        (f"{RANKED}    seed = 0\nx = C()\nask(x.seed)", "", "R"),
        (f"{RANKED.replace('dist.get_rank()', '2')}x = C()\nask(x.seed)", "", "U"),
    ],
)
def test_what_a_value_depends_on(
    context: MakeProgram, text: str, certain: str, possible: str
) -> None:
    letters = {"W": WORKER, "R": RANK, "E": EPOCH, "U": UNKNOWN}
    found = _of(context, text)
    assert found.certain == {letters[letter] for letter in certain}
    assert found.possible == {letters[letter] for letter in possible}


def test_sources_of_whoever_asks_come_first(context: MakeProgram) -> None:
    analysed = context(HEAD + "def f(n):\n    ask(n + 1)\n")
    scope = scope_named(analysed, "f")

    def known(expression: ex.Expression, frame: CallContext) -> Dependence | None:
        return by(WORKER) if isinstance(expression, ex.Parameter) else None

    given = call_of(scope, "ask").arguments[0].value
    root = analysed.solver.root(scope)
    assert dependence(analysed, given, root, known) == by(WORKER)


@pytest.mark.parametrize(
    ("before", "body", "varies"),
    [
        ("", "ask(3)", False),
        ("", "ask(epoch)", True),
        ("", "ask(3 + epoch)", True),
        ("", "s = 3\nask(s)", False),
        ("", "s = 3 + epoch\nask(s)", True),
        ("", "s = draw()\nask(s)", True),
        ("s = draw()", "ask(s)", False),
        ("step = 7", "ask(step)", False),
        ("s = 3", "s = s + 1\nask(s)", True),
        ("s = 3", "ask(s)\ns += 1", True),
        ("", "ask(given)", False),
        ("", "ask(args.random_seed)", False),
        ("", "ask(args.epoch)", True),
        ("", "ask(time.time())", True),
    ],
)
def test_what_varies_from_epoch_to_epoch(
    context: MakeProgram, before: str, body: str, varies: bool
) -> None:
    loop = f"{before}\nfor epoch in range(9):\n{indent(body, '    ')}\n"
    analysed = context(f"{HEAD}def f(given, args):\n{indent(loop, '    ')}")
    scope = scope_named(analysed, "f")
    given = call_of(scope, "ask").arguments[0].value
    sources = within_epochs(first_loop(scope))
    found = dependence(analysed, given, analysed.solver.root(scope), sources)
    assert found.may_be_by(EPOCH) is varies
