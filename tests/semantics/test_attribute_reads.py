"""What reading an attribute may denote."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluator_for, questions

LIBRARY = {
    "a name of a module": ("import torch\nreveal(torch.utils.data)", {"torch.utils.data"}),
    "too many dots to be a name": (
        "import a.b\nreveal(a.b.c.d.e.f.g.h.i.j)",
        {"?"},
    ),
    "an object of a library": ("import a\nx = a.Make()\nreveal(x.size)", {"a.Make().size"}),
    "an object of an object": ("import a\nreveal(a.Make().part.size)", {"?"}),
    "what is written to it": (
        "import a\nx = a.Make()\nx.size = 3\nreveal(x.size)",
        {"3", "a.Make().size"},
    ),
    "what is written to another one": (
        "import a\nx, y = a.Make(), a.Make()\nx.size = 3\ny.size = 4\nreveal(y.size)",
        {"4", "a.Make().size"},
    ),
    "the type of a device": ('d = "cuda:0"\nreveal(d.type)', {"'cuda:0'"}),
    "the type of a made device": (
        "import torch\nd = torch.device('cuda')\nreveal(d.type)",
        {"'cuda'", "torch.device()"},
    ),
    "the type of the accelerator": (
        "import torch\nd = torch.accelerator.current_accelerator()\nreveal(d.type)",
        {"torch.accelerator.current_accelerator()"},
    ),
    "of a text": ('reveal("a".size)', {"?"}),
    "of a number": ("reveal((3).type)", {"?"}),
}


@pytest.mark.parametrize(("text", "expected"), LIBRARY.values(), ids=LIBRARY)
def test_attributes_of_libraries(text: str, expected: set[str]) -> None:
    assert denoted(text) == [expected]


def _watchers(count: int) -> int:
    """How much stands watch once the attribute of some objects of a library is known."""
    numbers = range(count)
    made = (f"x{n} = a.Make()\nx{n}.size = {n}\nreveal(x{n}.size)" for n in numbers)
    evaluator = evaluator_for("\n".join(["import a", *made]))
    for call in questions(evaluator):
        root = evaluator.solver.root(call.scope)
        evaluator.solver.values(call.arguments[0].value, root)
    return sum(len(node.watchers) for node in evaluator.solver._nodes.values())


def test_a_write_is_watched_once_however_many_objects_are_asked_about() -> None:
    assert _watchers(20) <= 4 * _watchers(5)


def test_names_of_modules_and_packages() -> None:
    files = {
        "main.py": "import one, pack.two, pack\n"
        "reveal(one.SIZE)\nreveal(one.missing)\nreveal(pack.two.f)\nreveal(pack.other)",
        "one.py": "SIZE = 3",
        "pack/two.py": "def f(): ...",
    }
    assert denoted(files) == [{"3"}, {"?"}, {"function f"}, {"?"}]


CLASS = """
class Base:
    size = 1
    def plain(self): return 2
    @property
    def prop(self): return 3
    @staticmethod
    def static(): return 4
    @classmethod
    def made(cls): return cls
class Child(Base):
    def plain(self): return 5
x = Base()
"""
OBJECTS = {
    "a class attribute": ("x.size", {"1"}),
    "a class attribute of the class": ("Base.size", {"1"}),
    "a method": ("x.plain", {"method plain"}),
    "a method of the class": ("Base.plain", {"function plain"}),
    "a property": ("x.prop", {"3"}),
    "a static method": ("x.static", {"function static"}),
    "a class method": ("x.made()", {"class Base"}),
    "a class method of the class": ("Child.made()", {"class Child"}),
    "an overriding method": ("Child().plain()", {"5"}),
    "nothing of that name": ("x.missing", {"?"}),
}


@pytest.mark.parametrize(("asked", "expected"), OBJECTS.values(), ids=OBJECTS)
def test_attributes_of_objects_and_classes(asked: str, expected: set[str]) -> None:
    assert denoted(f"{CLASS}\nreveal({asked})") == [expected]


def test_behind_self_a_method_may_be_a_subclass_own() -> None:
    text = """
        class Base:
            def run(self):
                reveal(self.step())
            def step(self):
                return 1
        class Child(Base):
            def step(self):
                return 2
    """
    assert denoted(text) == [{"1", "2"}]


def test_super_reads_the_next_class() -> None:
    text = """
        class Base:
            def size(self):
                return 1
        class Child(Base):
            def size(self):
                reveal(super().size())
                reveal(super().missing)
                return 2
        def loose():
            reveal(super().size)
    """
    assert denoted(text) == [{"1"}, {"?"}, {"?"}]


WRITTEN = """
class Base:
    def __init__(self, size=1):
        self.size = size
        self.own = 2
class Child(Base):
    def grow(self):
        self.own = 3
class Other:
    def __init__(self):
        self.own = 4
"""
FIELDS = {
    "what the family writes": ("Child().own", {"2", "3"}),
    "a parameter of the constructor": ("Base(7).size", {"7"}),
    "nobody gives the parameter": ("Base().size", {"1"}),
    "another class": ("Other().own", {"4"}),
}


@pytest.mark.parametrize(("asked", "expected"), FIELDS.values(), ids=FIELDS)
def test_fields_are_what_is_written_in_the_project(asked: str, expected: set[str]) -> None:
    assert denoted(f"{WRITTEN}\nreveal({asked})") == [expected]


def test_what_others_write_to_an_object_counts() -> None:
    text = f"{WRITTEN}\nx = Other()\nx.own = 5\ny = Base()\ny.later = 6\n"
    assert denoted(f"{text}reveal(Other().own)\nreveal(y.later)") == [{"4", "5"}, {"6", "?"}]


def test_dataclass_fields_are_what_its_constructor_is_given() -> None:
    text = """
        from dataclasses import dataclass
        @dataclass
        class Config:
            workers: int = 0
            size: int = 1
        a = Config(4)
        b = Config(size=2, workers=8)
        reveal(a.workers)
        reveal(a.size)
    """
    assert denoted(text) == [{"4", "8"}, {"1", "2"}]


def test_what_a_dataclass_itself_holds_is_its_default() -> None:
    text = """
        from dataclasses import dataclass
        @dataclass
        class Config:
            workers: int = 3
        made = Config(4)
        reveal(Config.workers)
    """
    assert "3" in denoted(text)[0]


def test_dataclass_fields_are_what_its_class_methods_give_too() -> None:
    text = """
        from dataclasses import dataclass
        @dataclass
        class Config:
            workers: int = 0
            size: int = 1
            @classmethod
            def small(cls):
                return cls(2)
        a = Config(4, 5)
        reveal(a.workers)
        reveal(a.size)
    """
    assert denoted(text) == [{"4", "2"}, {"1", "5"}]


ANNOTATED = {
    "what its own subclass writes": ("class Mixin:\n    kind: str\n", {"7"}),
    "beside a default of the class": ("class Mixin:\n    kind: int = 1\n", {"1", "7"}),
    "of a class of torch's": ("class Mixin(Dataset):\n    kind: int\n", {"7"}),
    "a decorator may make a constructor": ("@record\nclass Mixin:\n    kind: int\n", {"7", "?"}),
    "an ancestor may": ("class Mixin(BaseModel):\n    kind: int\n", {"7", "?"}),
    "an unknown ancestor may": ("class Mixin(made()):\n    kind: int\n", {"7", "?"}),
    "an ancestor changes its subclasses": (
        "class Base:\n    def __init_subclass__(cls): pass\nclass Mixin(Base):\n    kind: int\n",
        {"7", "?"},
    ),
    "nobody writes": ("class Mixin:\n    kind: int\nclass Own:\n    pass\n", {"?"}),
}


@pytest.mark.parametrize(("mixin", "expected"), ANNOTATED.values(), ids=ANNOTATED)
def test_annotations_of_plain_classes_are_no_fields(mixin: str, expected: set[str]) -> None:
    head = "from pydantic import BaseModel\nfrom torch.utils.data import Dataset\n"
    read = "    def read(self): reveal(self.kind)\n"
    own = "class Own(Mixin):\n    def __init__(self): self.kind = 7\n"
    before, own = (mixin.split("class Own")[0], "") if "Own" in mixin else (mixin, own)
    assert denoted(f"{head}{before}{read}{own}") == [expected]


LOADER = """
from torch.utils.data import DataLoader
class Mine(DataLoader):
    def __init__(self, data, size):
        super().__init__(data, batch_size=size, num_workers=2)
plain = DataLoader([1], 8)
"""
OF_LOADERS = {
    "an argument of a loader": ("plain.batch_size", {"8"}),
    "an argument of a subclass": ("Mine([1], 16).dataset", {"[…]"}),
    "an argument that is handed on": ("Mine([1], 16).batch_size", {"16"}),
    "an argument behind a framework": (
        "Accelerator().prepare(plain).batch_size",
        {"8"},
    ),
    "a part of a batch": ("next(iter(plain)).image", {"batch"}),
}


@pytest.mark.parametrize(("asked", "expected"), OF_LOADERS.values(), ids=OF_LOADERS)
def test_attributes_of_loaders(asked: str, expected: set[str]) -> None:
    text = f"from accelerate import Accelerator\n{LOADER}\nreveal({asked})"
    assert denoted(text) == [expected]


def test_an_iterator_keeps_its_own_fields() -> None:
    text = """
        class Once:
            def __init__(self, source):
                self.source = source
            def __iter__(self):
                return iter(self.source)
        a, b = Once([1]), Once([2])
        reveal(a.source)
        for x in a:
            reveal(x)
        for x in b:
            reveal(x)
    """
    assert denoted(text) == [{"[…]"}, {"1"}, {"2"}]


def test_items_of_namespaces_are_attributes() -> None:
    text = """
        from types import SimpleNamespace
        config = SimpleNamespace(workers=4, **{"size": 8})
        reveal(config.workers)
        reveal(config.size)
        reveal(SimpleNamespace(workers=4).missing)
    """
    assert denoted(text) == [{"4"}, {"8"}, {"?"}]
