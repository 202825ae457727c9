"""Which calls and functions have to do with loaders, however they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.transfers.devices import Device
from dlint.model.transfers.transfers import transfers

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

IMPORT = "from torch.utils.data import DataLoader\n"


def _made(analysed: AnalysisContext) -> list[str]:
    """The texts of the calls that make loaders."""
    made = analysed[Loaders].by_call()
    texts = ((analysed.project.text(call.scope.module.path).decode(), call.span) for call in made)
    return sorted(text[start:end] for text, (start, end) in texts)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("import torch.utils.data as d\nx = d.DataLoader(ds)", "d.DataLoader(ds)"),
        ("from torch.utils.data import DataLoader as D\nx = D(ds)", "D(ds)"),
        ("def f():\n    from torch.utils.data import DataLoader as D\n    return D(ds)", "D(ds)"),
        (IMPORT + "a = DataLoader\nb = a\nx = b(ds)", "b(ds)"),
        (IMPORT + "a = DataLoader if fast else None\nx = a(ds)", "a(ds)"),
        (IMPORT + "class A(DataLoader): ...\nx = A(ds)", "A(ds)"),
        (IMPORT + "class A(DataLoader): ...\nclass B(A): ...\nx = B(ds)", "B(ds)"),
        (IMPORT + "class A(DataLoader[int]): ...\nx = A(ds)", "A(ds)"),
        (
            IMPORT + "import torch.utils.data as d\nD = d.DataLoader\nclass A(D): ...\nx = A(ds)",
            "A(ds)",
        ),
        (IMPORT + "from functools import partial\na = partial(DataLoader)\nx = a(ds)", "a(ds)"),
        (IMPORT + "from functools import partial as p\na = p(DataLoader)\nx = a(ds)", "a(ds)"),
        (IMPORT + "def f(a):\n    return a(ds)\nf(DataLoader)", "a(ds)"),
        (IMPORT + "def f(a):\n    return a(ds)\nf(a=DataLoader)", "a(ds)"),
        ("import torch.utils.data as d\ndef f(a):\n    return a(ds)\nf(d.DataLoader)", "a(ds)"),
        (IMPORT + "def f(a=DataLoader):\n    return a(ds)\nf()", "a(ds)"),
        (
            IMPORT + "class A:\n    def __init__(self, b):\n        self.c = b\n"
            "    def f(self):\n        return self.c(ds)\nA(DataLoader).f()",
            "self.c(ds)",
        ),
        (
            IMPORT + "class A:\n    def __init__(self):\n        self.c = DataLoader\n"
            "    def f(self):\n        return self.c(ds)",
            "self.c(ds)",
        ),
        (IMPORT + "def f():\n    return DataLoader\ndef g():\n    return f()(ds)", "f()(ds)"),
        (IMPORT + "def f():\n    return DataLoader\ndef g():\n    a = f()\n    a(ds)", "a(ds)"),
        (IMPORT + "a = {'x': DataLoader}\ndef g(k):\n    return a[k](ds)", "a[k](ds)"),
        (IMPORT + "def g(k):\n    a = {'x': DataLoader}[k]\n    return a(ds)", "a(ds)"),
    ],
)
def test_what_makes_a_loader_is_told_by_what_it_is(
    context: MakeProgram, text: str, made: str
) -> None:
    assert _made(context(text)) == [made]


def test_a_name_that_speaks_of_loaders_makes_none(context: MakeProgram) -> None:
    assert _made(context("def make_loader(ds): ...\nx = make_loader(3)\ny = DataLoader(3)")) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("own.py", "from torch.utils.data import DataLoader as thing"),
        ("own.py", IMPORT + "thing = DataLoader"),
        ("own.py", IMPORT + "class thing(DataLoader): ..."),
        ("own.py", IMPORT + "from functools import partial\nthing = partial(DataLoader)"),
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        "from own import thing\nx = thing(ds)",
        "from own import thing as other\nx = other(ds)",
        "import own\nx = own.thing(ds)",
        "def f():\n    from own import thing as other\n    return other(ds)",
    ],
)
def test_what_makes_a_loader_may_come_from_another_file(
    context: MakeProgram, file: str, text: str, use: str
) -> None:
    """Also where that file is read after the one that uses it."""
    for name in ("a.py", "z.py"):
        assert len(_made(context({file: text, name: "ds = 3\n" + use}))) == 1


MAKE = IMPORT + "def make(ds):\n    return DataLoader(ds)\n"
LOOP = "def train(ds, model):\n    for x in {}(ds):\n        model(x.cuda())\n"


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": "from data import make\n" + LOOP.format("make")},
        {"train.py": "from data import make as m\n" + LOOP.format("m")},
        {"train.py": "import data\nm = data.make\n" + LOOP.format("m")},
        {"train.py": "import data\n" + LOOP.format("data.make")},
        {
            "train.py": "def train(ds, model):\n    from data import make as m\n"
            "    for x in m(ds):\n        model(x.cuda())\n"
        },
        {
            "between.py": "from data import make as build\n",
            "train.py": "from between import build\n" + LOOP.format("build"),
        },
        {
            "between.py": "from data import make as build\n",
            "train.py": "from between import build as m\n" + LOOP.format("m"),
        },
        {
            "between.py": "import data\nbuild = data.make\n",
            "train.py": "from between import build\n" + LOOP.format("build"),
        },
    ],
)
def test_callers_are_found_by_any_name(context: MakeProgram, files: Mapping[str, str]) -> None:
    analysed = context({"data.py": MAKE, **files})
    assert [scope.name for scope in analysed.reached() if scope.name == "train"] == ["train"]
    assert len(analysed[Loaders].transfers) == 1


def test_functions_of_one_name_in_two_files_have_their_own_callers(context: MakeProgram) -> None:
    use = "from {} import make\n" + LOOP.format("make")
    files = {"a/one.py": MAKE, "a/x.py": use.format("one")}
    files |= {"b/two.py": MAKE, "b/y.py": use.format("two")}
    assert len(context(files)[Loaders].transfers) == 2


@pytest.mark.parametrize(
    ("fill", "reached"),
    [
        ("held.append(DataLoader(3))", True),
        ("held['x'] = DataLoader(3)", True),
        ("held = [DataLoader(3)]", False),
        ("held.append(3)\n    DataLoader(3)", False),
    ],
)
def test_who_has_a_list_filled_with_loaders(context: MakeProgram, fill: str, reached: bool) -> None:
    text = f"{IMPORT}def fill(held):\n    {fill}\ndef other(held):\n    fill(held)\n"
    names = [scope.name for scope in context(text).reached()]
    assert ("other" in names) is reached


@pytest.mark.parametrize("name", ["loader", "other"])
def test_a_global_is_read_by_any_name(context: MakeProgram, name: str) -> None:
    known = f" as {name}" if name != "loader" else ""
    use = f"from data import loader{known}\ndef f(m):\n    for x in {name}:\n        m(x.cuda())\n"
    analysed = context({"data.py": IMPORT + "loader = DataLoader(3)\n", "use.py": use})
    assert len(analysed[Loaders].transfers) == 1


@pytest.mark.parametrize("handed_on", [False, True])
def test_a_global_is_read_by_whoever_imports_all(context: MakeProgram, handed_on: bool) -> None:
    home = "between" if handed_on else "data"
    files = {
        "data.py": IMPORT + "loader = DataLoader(3)\n",
        "between.py": "from data import *\n",
        "use.py": f"from {home} import *\ndef f(m):\n    for x in loader:\n        m(x.cuda())\n",
    }
    assert len(context(files)[Loaders].transfers) == 1


@pytest.mark.parametrize("kind", ["property", "cached_property"])
def test_who_reads_a_property_that_makes_a_loader(context: MakeProgram, kind: str) -> None:
    made = "class A:\n    @KIND\n    def loader(self):\n        return DataLoader(ds)\n"
    maker = "from functools import cached_property\n" + IMPORT + made.replace("KIND", kind)
    user = "from a import A\ndef run():\n    for x in A().loader:\n        x.cuda()\n"
    analysed = context({"a.py": maker, "b.py": user})
    assert [loop.scope.name for loop in analysed[batch_loops]] == ["run"]


def test_who_makes_objects_of_an_heir_whose_base_keeps_the_loader(context: MakeProgram) -> None:
    base = "class Base:\n    def __init__(self):\n        self.train = self._load()\n"
    heir = "from base import Base\nclass One(Base):\n    def _load(self):\n"
    files = {
        "base.py": base,
        "one.py": IMPORT + heir + "        return DataLoader(3)\n",
        "use.py": "from one import One\ndef make():\n    return One()\n"
        "def run(given):\n    for x in given.train:\n        x.cuda()\nrun(make())\n",
    }
    assert [loop.scope.name for loop in context(files)[batch_loops]] == ["run"]


CALLED = """
from torch.utils.data import DataLoader

class Runner:
    def __init__(self, device): self.device = device
    def __call__(self, given, device):
        for part in given: print(part)
        inner = given["x"]
        return inner.to(device)

def train(ds, other):
    loader, run = DataLoader(ds), Runner("cuda")
    {body}
"""


@pytest.mark.parametrize(
    ("body", "loops", "devices"),
    [
        ("run(loader, 'cuda')", 1, []),
        ("for batch in loader: run(batch, 'cuda')", 1, [{Device.CUDA, Device.OTHER}]),
        ("for batch in loader: run(device='cpu', given=batch)", 1, [{Device.CPU, Device.OTHER}]),
        ("for batch in loader: run(batch.cuda(), 'cuda')", 1, []),
        ("for batch in loader: run.keep(batch, 'cuda')", 1, []),
        ("run(other, 'cuda')", 0, []),
    ],
)
def test_what_an_object_is_called_with(
    context: MakeProgram, body: str, loops: int, devices: list[set[Device]]
) -> None:
    analysed = context(CALLED.format(body=body))
    copies = [copy for copy in transfers(analysed) if copy.is_to]
    assert len(batch_loops(analysed)) == loops
    assert [copy.devices for copy in copies] == devices


def test_a_model_hands_its_batch_on_to_another(context: MakeProgram) -> None:
    text = """
from torch import nn
from torch.utils.data import DataLoader

class Inner(nn.Module):
    def forward(self, x): return x["ids"].cuda()

class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
    def forward(self, batch): return self.inner(batch)

def train(ds):
    model = Outer().to("cuda")
    for batch in DataLoader(ds): model(batch)
"""
    assert [copy.call.scope.name for copy in transfers(context(text))] == ["forward"]


HOLDING = """
from torch.utils.data import DataLoader

def build(data):
    return DataLoader(data)

class Holder:
    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        return iter(self.loader)

def hold(loader):
    return Holder(loader)

def prepared(data):
    loader = build(data)
    return hold(loader)
"""


def test_what_holds_a_loader_is_handed_on_by_functions_that_were_looked_at_before(
    context: MakeProgram,
) -> None:
    train = (
        "import data\n\ndef main(rows, model):\n    for x in data.prepared(rows):\n        model(x)"
    )
    analysed = context({"data.py": HOLDING, "train.py": train})
    assert [loop.scope.name for loop in analysed[batch_loops]] == ["main"]
