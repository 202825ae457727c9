"""What calls denote: of functions, classes, partials, methods of values that are no project's."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted

HEAD = """
import torch
from functools import partial
from torch.utils.data import DataLoader, DistributedSampler
def two(): return 2
def same(x): return x
def numbers(a, b):
    yield a
    yield b
class Plain: ...
class Called:
    def __call__(self, x): return x
class Sampler(DistributedSampler): ...
loader = DataLoader([1, 2])
"""
CALLS = {
    "a function": ("two()", {"2"}),
    "each call apart": ("(same(1), same(2))[0]", {"1"}),
    "a lambda": ("(lambda x: x)(3)", {"3"}),
    "a generator function": ("numbers(1, 2)", {"generator numbers"}),
    "a class": ("Plain()", {"Plain()"}),
    "a class of which objects matter": ("Sampler()", {"class Sampler()"}),
    "an object": ("Called()(4)", {"4"}),
    "an object without a call": ("Plain()(4)", {"?"}),
    "a partial": ("partial(same, 5)()", {"5"}),
    "a partial of a partial": ("partial(partial(same), x=5)()", {"5"}),
    "a partial that is overridden": ("partial(same, x=5)(x=6)", {"6"}),
    "a library": ("torch.zeros(3)", {"torch.zeros()"}),
    "a text": ("'a'()", {"?"}),
}


@pytest.mark.parametrize(("asked", "expected"), CALLS.values(), ids=CALLS)
def test_calls_by_their_callee(asked: str, expected: set[str]) -> None:
    assert denoted(f"{HEAD}\nreveal({asked})") == [expected]


def test_objects_that_matter_are_told_apart_by_their_call() -> None:
    text = """
        from torch.utils.data import DataLoader
        def make(data):
            return DataLoader(data)
        reveal(make([1]).dataset[0])
        reveal(make([2]).dataset[0])
    """
    assert denoted(text) == [{"1"}, {"2"}]


def test_recursion_ends_in_what_is_known() -> None:
    text = """
        def count(n):
            if n:
                return count(n - 1)
            return 0
        def f(n): return g(n)
        def g(n): return h(n)
        def h(n): return i(n)
        def i(n): return n
        reveal(count(3))
        reveal(f(1))
    """
    assert denoted(text) == [{"0"}, {"1"}]


def test_past_the_depth_calls_are_joined() -> None:
    text = """
        def f(n): return g(n)
        def g(n): return h(n)
        def h(n): return i(n)
        def i(n): return n
        reveal(f(1))
        reveal(f(2))
    """
    assert denoted(text) == [{"1", "2"}, {"1", "2"}]


PARAMETERS = {
    "over all calls": ("def f(x):\n    reveal(x)\nf(1)\nf(x=2)", {"1", "2"}),
    "nobody calls": ("def f(x=3):\n    reveal(x)", {"3"}),
    "nobody calls, no default": ("def f(x):\n    reveal(x)", {"?"}),
    "a default that a call leaves": ("def f(x=3):\n    reveal(x)\nf(1)\nf()", {"1", "3"}),
    "a default that may be replaced": ("def f(x=3):\n    reveal(x)\nf(**{'x': 4})", {"3", "4"}),
    "a list that is unpacked": ("def f(a, x=3):\n    reveal(x)\nf(*[1, 2])", {"2", "3"}),
    "self": ("class A:\n    def f(self):\n        reveal(self)", {"A+"}),
    "cls": ("class A:\n    @classmethod\n    def f(cls):\n        reveal(cls)", {"class A"}),
    "of a static method": (
        "class A:\n    @staticmethod\n    def f(x):\n        reveal(x)\nA.f(1)",
        {"1"},
    ),
    "of a lambda that is handed on": (
        "def run(g):\n    return g(7)\nrun(lambda x: reveal(x))",
        {"7"},
    ),
    "of a function that is mapped": (
        "def f(x):\n    reveal(x)\nmap(f, [1, 2])",
        {"1", "2"},
    ),
    "of a function that a process runs": (
        (
            "from multiprocessing import Process\n"
            "def f(a, x):\n    reveal(x)\nProcess(target=f, args=(1, 2))"
        ),
        {"2"},
    ),
    "of a function that is spawned": (
        (
            "import torch.multiprocessing as mp\n"
            "def f(rank, x):\n    reveal(x)\nmp.spawn(f, args=(8,))"
        ),
        {"8"},
    ),
    "of a function that is spawned, by position": (
        (
            "import torch.multiprocessing as mp\n"
            "def f(rank, x):\n    reveal(x)\nmp.spawn(f, (8,), 2)"
        ),
        {"8"},
    ),
    "of a function that is spawned, with arguments that have a name": (
        (
            "import torch.multiprocessing as mp\n"
            "def f(rank, x):\n    reveal(x)\ngiven = (8,)\nmp.spawn(f, args=given)"
        ),
        {"8"},
    ),
    "of a function that a process runs, by position": (
        (
            "from multiprocessing import Process\n"
            "def f(a, x):\n    reveal(x)\nProcess(None, f, 'reader', (1, 2))"
        ),
        {"2"},
    ),
    "of a function that is spawned with nothing but its number": (
        (
            "import torch.multiprocessing as mp\n"
            "def f(rank, x=3):\n    reveal(x)\nmp.spawn(f, nprocs=8)"
        ),
        {"3"},
    ),
    "the number of a process": (
        ("import torch.multiprocessing as mp\ndef f(x):\n    reveal(x)\nmp.spawn(f, nprocs=8)"),
        {"?"},
    ),
    "a positional-only one": ("def f(x, /):\n    reveal(x)\nf(1)", {"1"}),
    "behind a star": ("def f(*, x):\n    reveal(x)\nf(x=1)", {"1"}),
    "*args, one item": ("def f(a, *more):\n    reveal(more[1])\nf(1, 2, 3)", {"3"}),
    "*args, any": (
        "def f(a, *more):\n    for x in more:\n        reveal(x)\nf(1, 2, 3)",
        {"2", "3"},
    ),
    "*args of an unpacked list": ("def f(*more):\n    reveal(more[0])\nf(*[4, 5])", {"4", "5"}),
    "**kwargs, one item": ("def f(a, **more):\n    reveal(more['b'])\nf(a=1, b=2, c=3)", {"2"}),
    "**kwargs, any": (
        "def f(a, **more):\n    for x in more.values():\n        reveal(x)\nf(a=1, b=2, c=3)",
        {"2", "3"},
    ),
    "**kwargs of an unpacked dict": (
        "def f(**more):\n    reveal(more['b'])\nf(**{'b': 2})",
        {"2"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_hold_what_is_passed(text: str, expected: set[str]) -> None:
    assert denoted(text) == [expected]


def test_callers_are_found_in_other_files_and_under_other_names() -> None:
    files = {
        "lib.py": "def make(size=0):\n    reveal(size)\n",
        "plain.py": "from lib import make\nmake(1)",
        "renamed.py": "from lib import make as build\nbuild(2)",
        "dotted.py": "import lib as l\nl.make(size=3)",
        "other.py": "def make(size): ...\nmake(9)",
    }
    assert denoted(files) == [{"1", "2", "3"}]


def test_constructors_are_called_by_subclasses_too() -> None:
    text = """
        class Base:
            def __init__(self, size):
                reveal(size)
        class Plain(Base): ...
        class Child(Base):
            def __init__(self):
                super().__init__(2)
        class Spelled(Base):
            def __init__(self):
                Base.__init__(self, 3)
        Base(1)
        Plain(4)
        Child()
    """
    assert denoted(text) == [{"1", "2", "3", "4"}]


def _one_of(*names: str) -> str:
    return "(" + " if key else ".join(map(repr, names)) + ")"


MEMBERS = {
    "a copy of a batch": ("batch.cuda()", {"?"}),
    "a change of dtype": ("batch.to(torch.float32)", {"batch fresh"}),
    "a view of a batch": ("batch.view(-1)", {"batch"}),
    "contiguous": ("batch.contiguous()", {"batch"}),
    "contiguous of a view": ("batch.permute(0, 1).contiguous()", {"batch fresh"}),
    "a new tensor": ("batch.sum()", {"batch fresh"}),
    "arithmetic": ("batch * 2", {"batch fresh", "?"}),
    "a function of torch": ("torch.cat([batch, batch])", {"torch.cat()", "batch fresh"}),
    "a tensor of a batch in a list": ("torch.stack(batch)", {"torch.stack()", "batch fresh"}),
    "a deep copy": ("copy.deepcopy(batch)", {"batch fresh"}),
    "the next of an iterator": ("iter(loader).__next__()", {"batch"}),
    "an iterator of a loader": ("loader.__iter__()", {"torch.utils.data.DataLoader()"}),
    "an item of a dict": ("{'a': 1}.get('a')", {"1"}),
    "any item of a dict": ("{'a': 1, 'b': 2}.pop(key)", {"1", "2"}),
    "keys": ("{'a': 1}.keys()", {"?"}),
    "a copied dict": ("{'a': 1}.copy()", {"{…}"}),
    "a wrapped loader": ("Accelerator().prepare(loader)", {"wrapped by Accelerate"}),
    "one of several": ("Accelerator().prepare(model, loader)[1]", {"wrapped by Accelerate"}),
    "the other of several": ("Accelerator().prepare(3, loader)[0]", {"3"}),
    "of a list that is unpacked": (
        "Accelerator().prepare(3, *[model, loader])[2]",
        {"wrapped by Accelerate"},
    ),
    "past a list that is unpacked": ("Accelerator().prepare(*[loader], 3)[1]", {"?"}),
    "prepared by something": ("fabric.prepare(loader)", {"wrapped"}),
    "a batch of a wrapped loader": (
        "next(iter(Accelerator().prepare(loader)))",
        {"batch moved"},
    ),
    "what a library's object returns": ("torch.Generator().seed()", {"torch.Generator().seed()"}),
    "what its result returns": ("torch.Generator().seed().x()", {"?"}),
    "a clone": ("torch.Generator().clone()", {"torch.Generator()"}),
    "a moved module": ("Net().to(0)", {"Net()"}),
    "a module with its own": ("Own().to(0)", {"5"}),
    "getattr": ("getattr(Net(), 'size')", {"3"}),
    "getattr by a computed name": ("getattr(Net(), name)", {"?"}),
    "getattr by one of two names": ("getattr(Net(), 'size' if key else name)", {"3", "?"}),
    "getattr by one of four names": (
        f"getattr(Net(), {_one_of('size', 'a', 'b', 'c')})",
        {"3", "?"},
    ),
    "getattr by one of nine names": (f"getattr(Net(), {_one_of(*'abcdefgh', 'size')})", {"?"}),
    "a cast": ("typing.cast(int, batch)", {"batch"}),
    "a chain": ("next(itertools.chain([1], [2]))", {"1", "2"}),
    "a progress bar": ("next(iter(tqdm(desc='x', iterable=[1])))", {"1"}),
    "next by keyword": ("next([1].__iter__())", {"?"}),
}


@pytest.mark.parametrize(("asked", "expected"), MEMBERS.values(), ids=MEMBERS)
def test_methods_and_library_functions(asked: str, expected: set[str]) -> None:
    text = f"""
import copy, itertools, torch, typing
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from tqdm import tqdm
class Net(nn.Module):
    size = 3
class Own(nn.Module):
    def to(self, device): return 5
def run(model, name, key, fabric):
    loader = DataLoader([1])
    for batch in loader:
        reveal({asked})
"""
    assert denoted(text) == [expected]
