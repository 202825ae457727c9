"""What an argument denotes: the evaluator, seen through a loader's arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.semantics.values.conditional_value import ABSENT
from dlint.semantics.values.values import Literal

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import argparse, os
from dataclasses import dataclass
from functools import partial
import torch
from torch.utils.data import DataLoader
"""

# what stands before `for x in LOADER: x.cuda()`, and the values that num_workers may have
ONE_FUNCTION = {
    "literal": ("loader = DataLoader(ds, num_workers=4)", {4}),
    "absent": ("loader = DataLoader(ds)", {None}),
    "position": ("loader = DataLoader(ds, 1, True, None, None, 3)", {3}),
    "arithmetic": ("n = 2 * 3 - 1\n    loader = DataLoader(ds, num_workers=n)", {5}),
    "negative": ("loader = DataLoader(ds, num_workers=-1)", {-1}),
    "conditional expression": ("loader = DataLoader(ds, num_workers=4 if big else 0)", {4, 0}),
    "if and else": (
        "if big:\n        n = 4\n    else:\n        n = 0\n    loader = DataLoader(num_workers=n)",
        {4, 0},
    ),
    "replaced where it is nothing": (
        "n = 0 if big else other\n    n = n if n else 6\n    loader = DataLoader(num_workers=n)",
        {6, "?"},
    ),
    "replaced where it is not the right one": (
        (
            "n = 1 if u() else other\n    m = n if n else 2\n    if not m != 1:\n"
            "        m = 6\n    loader = DataLoader(num_workers=m)"
        ),
        {6, 2, "?"},
    ),
    "or": ("n = 0 or 6\n    loader = DataLoader(ds, num_workers=n)", {6}),
    "known test": ("n = 4 if 1 < 2 else 0\n    loader = DataLoader(ds, num_workers=n)", {4}),
    "known member": (
        "n = 4 if 'a' in ('a', 'b') else 0\n    loader = DataLoader(ds, num_workers=n)",
        {4},
    ),
    "known to be no member": (
        "n = 4 if 'c' in ['a', 'b'] else 0\n    loader = DataLoader(ds, num_workers=n)",
        {0},
    ),
    "known not to be a member": (
        "n = 4 if 'c' not in {'a', 'b'} else 0\n    loader = DataLoader(ds, num_workers=n)",
        {4},
    ),
    "a member of what is not known": (
        "n = 4 if 'c' in ('a', other) else 0\n    loader = DataLoader(ds, num_workers=n)",
        {4, 0},
    ),
    "conversion": ("loader = DataLoader(ds, num_workers=int('7'))", {7}),
    "dict literal": ("kw = {'num_workers': 4}\n    loader = DataLoader(ds, **kw)", {4}),
    "dict call": ("kw = dict(num_workers=4)\n    loader = DataLoader(ds, **kw)", {4}),
    "merged dicts": (
        "kw = {**{'num_workers': 1}, **{'num_workers': 2}}\n    loader = DataLoader(ds, **kw)",
        {2},
    ),
    "dict union": (
        "kw = {'num_workers': 1} | {'num_workers': 2}\n    loader = DataLoader(ds, **kw)",
        {2},
    ),
    "update": ("kw = {}\n    kw.update(num_workers=5)\n    loader = DataLoader(ds, **kw)", {5}),
    "update by a dict": (
        "kw = {}\n    kw.update({'num_workers': 5})\n    loader = DataLoader(ds, **kw)",
        {5},
    ),
    "item": ("kw = {}\n    kw['num_workers'] = 5\n    loader = DataLoader(ds, **kw)", {5}),
    "taken out before": (
        "kw = {'num_workers': 5}\n    n = kw.pop('num_workers')\n    loader = DataLoader(ds, **kw)",
        {None},
    ),
    "taken out into the argument": (
        (
            "kw = {'num_workers': 5}\n    n = kw.pop('num_workers', 1)\n"
            "    loader = DataLoader(ds, num_workers=n)"
        ),
        {5},
    ),
    "taken out where it is": (
        (
            "kw = {'num_workers': 5}\n    if 'num_workers' in kw:\n        kw.pop('num_workers')\n"
            "    loader = DataLoader(ds, **kw)"
        ),
        {None},
    ),
    "given where it is missing": (
        (
            "kw = {'m': 5}\n    if 'num_workers' not in kw:\n        kw['num_workers'] = 6\n"
            "    loader = DataLoader(ds, **kw)"
        ),
        {6},
    ),
    "a key that may be there": (
        (
            "kw = {'num_workers': 5} if big else {}\n"
            "    n = kw['num_workers'] if 'num_workers' in kw else 7\n"
            "    loader = DataLoader(ds, num_workers=n)"
        ),
        {5, 7},
    ),
    "item under a test": (
        "kw = {}\n    if big:\n        kw['num_workers'] = 5\n    loader = DataLoader(ds, **kw)",
        {None, 5},
    ),
    "conditional dict": (
        "kw = {'num_workers': 2} if big else {}\n    loader = DataLoader(ds, **kw)",
        {2, None},
    ),
    "get": ("kw = {'n': 3}\n    loader = DataLoader(ds, num_workers=kw.get('n', 0))", {3}),
    "get of nothing": (
        "kw = {'m': 3}\n    loader = DataLoader(ds, num_workers=kw.get('n', 9))",
        {9},
    ),
    "partial": ("make = partial(DataLoader, num_workers=8)\n    loader = make(ds)", {8}),
    "overridden partial": (
        "make = partial(DataLoader, num_workers=8)\n    loader = make(ds, num_workers=2)",
        {2},
    ),
    "alias": ("make = DataLoader\n    loader = make(ds, num_workers=2)", {2}),
}


def _workers(context: AnalysisContext) -> set[object]:
    """The values of num_workers over all loaders; None for absent, "?" for unknown."""
    found: set[object] = set()
    for group in context[Loaders].by_call().values():
        for loader in group:
            if loader.loops:
                found |= {_plain(a.value) for a in loader.argument("num_workers")}
    return found


def _plain(value: object) -> object:
    if value == ABSENT:
        return None
    return value.value if isinstance(value, Literal) else "?"


@pytest.mark.parametrize(("text", "expected"), ONE_FUNCTION.values(), ids=ONE_FUNCTION)
def test_in_one_function(context: MakeProgram, text: str, expected: set[object]) -> None:
    body = f"{HEAD}\ndef main(ds, big):\n    {text}\n    for x in loader:\n        x.cuda()\n"
    assert _workers(context(body)) == expected


MODULES = {
    "module constant": (
        {"main.py": "N = 4\ndef main(ds):\n    for x in DataLoader(ds, num_workers=N): x.cuda()"},
        {4},
    ),
    "constant of another module": (
        {
            "settings.py": "N = 4",
            "main.py": "from settings import N as M\nfor x in DataLoader([], num_workers=M): pass",
        },
        {4},
    ),
    "argparse default": (
        {
            "main.py": "parser = argparse.ArgumentParser()\n"
            "parser.add_argument('-j', '--num-workers', type=int, default=3)\n"
            "args = parser.parse_args()\n"
            "for x in DataLoader([], num_workers=args.num_workers): pass"
        },
        {3},
    ),
    "dataclass default": (
        {
            "main.py": "@dataclass\nclass Config:\n    workers: int = 6\n"
            "cfg = Config()\nfor x in DataLoader([], num_workers=cfg.workers): pass"
        },
        {6},
    ),
    "parameter default": (
        {
            "main.py": "def make(ds, workers=2):\n    return DataLoader(ds, num_workers=workers)\n"
            "for x in make([]): pass"
        },
        {2},
    ),
    "another number where a default is nothing": (
        {
            "main.py": "def make(ds, workers=None):\n"
            "    return DataLoader(ds, num_workers=workers or 6)\n"
            "for x in make([]): pass"
        },
        {6},
    ),
    "no other number where the default that a call leaves is something": (
        {
            "main.py": "def make(ds, workers=2):\n"
            "    return DataLoader(ds, num_workers=workers or 6)\n"
            "for x in make([]): pass"
        },
        {2},
    ),
    "a flag that the call leaves to its default": (
        {
            "main.py": "def make(ds, fast=False):\n"
            "    return DataLoader(ds, num_workers=8 if fast else 2)\n"
            "for x in make([]): pass"
        },
        {2},
    ),
    "a number that two functions leave at None": (
        {
            "main.py": "def inner(ds, n=None):\n"
            "    return DataLoader(ds, num_workers=6 if n is not None else 4)\n"
            "def make(ds, n=None):\n    return inner(ds, n)\n"
            "for x in make([]): pass"
        },
        {4},
    ),
    "a flag that one of two calls gives": (
        {
            "main.py": "def make(ds, fast=False):\n"
            "    return DataLoader(ds, num_workers=8 if fast else 2)\n"
            "for x in make([]): pass\nfor x in make([], True): pass"
        },
        {2, 8},
    ),
    "each caller by itself": (
        {
            "data.py": HEAD
            + "def make(ds, workers=2):\n    return DataLoader(ds, num_workers=workers)\n",
            "main.py": "from data import make\nfor x in make([], workers=9): pass",
        },
        {9},
    ),
    "keywords handed on": (
        {
            "main.py": "def make(ds, **kw):\n    return DataLoader(ds, **kw)\n"
            "for x in make([], num_workers=7): pass"
        },
        {7},
    ),
    "attribute set in another method": (
        {
            "main.py": "class Data:\n    def __init__(self, n=5):\n        self.n = n\n"
            "    def loader(self):\n        return DataLoader([], num_workers=self.n)\n"
            "for x in Data().loader(): pass"
        },
        {5},
    ),
    "subclass without constructor": (
        {"main.py": "class Mine(DataLoader):\n    pass\nfor x in Mine([], num_workers=4): pass"},
        {4},
    ),
    "subclass that sets a default": (
        {
            "main.py": "class Mine(DataLoader):\n    def __init__(self, ds, **kw):\n"
            "        kw.setdefault('num_workers', 4)\n        super().__init__(ds, **kw)\n"
            "for x in Mine([]): pass"
        },
        {4},
    ),
    "tuple of loaders": (
        {
            "main.py": "def make():\n    return DataLoader([], num_workers=1), 0\n"
            "loader, _ = make()\nfor x in loader: pass"
        },
        {1},
    ),
    "dict of loaders": (
        {"main.py": "loaders = {'a': DataLoader([], num_workers=1)}\nfor x in loaders['a']: pass"},
        {1},
    ),
    "re-export of a package with relative imports": (
        {
            "pkg/__init__.py": "from .data import make",
            "pkg/data.py": HEAD + "def make():\n    return DataLoader([], num_workers=3)",
            "main.py": "import pkg\nfor x in pkg.make(): pass",
        },
        {3},
    ),
    "src layout": (
        {
            "src/pkg/data.py": HEAD + "def make():\n    return DataLoader([], num_workers=3)",
            "main.py": "from pkg.data import make\nfor x in make(): pass",
        },
        {3},
    ),
    "environment": (
        {"main.py": "for x in DataLoader([], num_workers=os.environ['N']): pass"},
        {"?"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), MODULES.values(), ids=MODULES)
def test_in_a_project(context: MakeProgram, files: dict[str, str], expected: set[object]) -> None:
    assert _workers(context({**files, "main.py": HEAD + files["main.py"]})) == expected


ITERATED = {
    "enumerate": "for i, x in enumerate(loader): x.cuda()",
    "tqdm": "from tqdm.auto import tqdm\nfor x in tqdm(loader): x.cuda()",
    "zip": "for x, y in zip(loader, range(3)): x.cuda()",
    "islice": "from itertools import islice\nfor x in islice(loader, 3): x.cuda()",
    "iter and next": "it = iter(loader)\nwhile True:\n    x = next(it)\n    x.cuda()",
    "generator": "def wrap(l):\n    for b in l:\n        yield b\nfor x in wrap(loader): x.cuda()",
    "delegating generator": "def wrap(l):\n    yield from l\nfor x in wrap(loader): x.cuda()",
    "method of a logger": "class Log:\n    def log_every(self, it, n):\n        for o in it:\n"
    "            yield o\nfor x in Log().log_every(loader, 9): x.cuda()",
    "prefetcher": "class Prefetcher:\n    def __init__(self, l):\n        self.it = iter(l)\n"
    "    def next(self):\n        return next(self.it)\np = Prefetcher(loader)\n"
    "while True:\n    x = p.next()\n    x.cuda()",
    "helper": "def to_device(b, d):\n    return b.to(d)\nfor x in loader: to_device(x, 'cuda')",
    "dict comprehension": "for b in loader:\n    b = {k: v.to('cuda') for k, v in b.items()}",
    "list comprehension": "for b in loader:\n    b = [t.cuda() for t in b]",
    "map": "for b in loader:\n    x, y = map(lambda t: t.to('cuda'), b)",
    "item of the batch": "for b in loader: b['x'].cuda()",
    "method of an object": "class Trainer:\n    def __init__(self, l):\n        self.l = l\n"
    "    def run(self):\n        for x in self.l: self.step(x)\n"
    "    def step(self, x):\n        x.cuda()\nTrainer(loader).run()",
}


@pytest.mark.parametrize("text", ITERATED.values(), ids=ITERATED)
def test_batches_are_followed_to_the_copy(context: MakeProgram, text: str) -> None:
    made = context(f"{HEAD}\nloader = DataLoader([])\n{text}\n")
    assert [t.call.name for t in made[Loaders].transfers] in (["cuda"], ["to"])


def test_a_cycle_of_calls_ends(context: MakeProgram) -> None:
    text = (
        "def a(x):\n    return b(x)\ndef b(x):\n    return a(x)\nfor x in a(DataLoader([])): pass"
    )
    assert _workers(context(HEAD + text)) == set()


def test_containers_that_nest_without_end(context: MakeProgram) -> None:
    text = "d = {}\nwhile more():\n    d = {'d': d, 'l': DataLoader([], num_workers=1)}\n"
    assert _workers(context(HEAD + text + "for x in d['l']: pass")) == {1}


@pytest.mark.parametrize(
    "chosen",
    [
        "if n is None:\n        n = 4",
        "if not n:\n        n = 4",
        "n = 4 if n is None else n",
        "n = n if n else 4",
    ],
)
def test_what_stands_in_for_a_default_of_none_is_assumed_in_its_place(
    context: MakeProgram, chosen: str
) -> None:
    made = context(
        f"{HEAD}\ndef make(ds, n=None):\n    {chosen}\n    return DataLoader(ds, num_workers=n)\n"
        "\ndef train(ds):\n    for x in make(ds):\n        x.cuda()\n"
    )
    (loaders,) = made[Loaders].by_call().values()
    found = [a for loader in loaders for a in loader.argument("num_workers")]
    assert {(a.constant, a.assumed, a.is_left) for a in found} == {
        (4, "default of parameter `n`", True)
    }


def test_what_stands_in_for_none_that_a_call_gives_is_certain(context: MakeProgram) -> None:
    made = context(
        f"{HEAD}\ndef make(ds, n=None):\n    n = 4 if n is None else n\n"
        "    return DataLoader(ds, num_workers=n)\n"
        "\ndef train(ds):\n    for x in make(ds, None):\n        x.cuda()\n"
    )
    (loaders,) = made[Loaders].by_call().values()
    found = [a for loader in loaders for a in loader.argument("num_workers")]
    assert {(a.constant, a.assumed) for a in found} == {(4, None)}
