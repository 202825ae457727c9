"""What modules that are imported by a text hold, and who calls it."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted

NETS = {
    "nets/__init__.py": "",
    "nets/base.py": """
        from abc import ABC, abstractmethod

        class Base(ABC):
            @abstractmethod
            def forward(self): ...
    """,
    "nets/small_net.py": """
        from .base import Base

        def helper(): ...

        class Small(Base):
            def __init__(self, x):
                reveal(x)

            def forward(self): ...
    """,
    "nets/large_net.py": """
        from .base import Base
        SIZES = (1, 2)

        class Large(Base):
            def forward(self): ...
    """,
}


def program(text: str) -> dict[str, str]:
    return {**NETS, "main.py": "import importlib\nfrom nets.base import Base\n" + text}


@pytest.mark.parametrize(
    "text",
    [
        "f'nets.{name}_net'",
        "'nets.' + name + '_net'",
        "'nets.{}_net'.format(name)",
        "'nets.%s_net' % name",
    ],
)
def test_modules_by_a_part_of_their_names(text: str) -> None:
    asked = f"def f(name):\n    path = {text}\n    reveal(importlib.import_module(path))\n"
    assert denoted(program(asked))[0] == {"module nets/large_net.py", "module nets/small_net.py"}


def test_a_module_by_its_name() -> None:
    asked = "reveal(importlib.import_module('nets.base'))\n"
    assert denoted(program(asked))[0] == {"module nets/base.py"}


@pytest.mark.parametrize("text", ["name", "f'{name}.net'", "f'other.{name}'", "f'nets.x{name}'"])
def test_texts_that_name_no_module(text: str) -> None:
    asked = f"def f(name):\n    reveal(importlib.import_module({text}))\n"
    assert denoted(program(asked))[0] == {"?"}


def test_what_only_one_of_them_holds() -> None:
    asked = """
def f(name):
    net = importlib.import_module(f"nets.{name}_net")
    reveal(net.Large)
    reveal(net.Other)
"""
    assert denoted(program(asked))[:2] == [{"class Large"}, {"?"}]


PICKED = [
    "for key, cls in net.__dict__.items():\n        if key == name and issubclass(cls, Base):",
    "for key, cls in vars(net).items():\n        if issubclass(cls, Base) and key == name:",
]


@pytest.mark.parametrize("loop", PICKED)
def test_a_class_that_a_loop_over_the_names_finds(loop: str) -> None:
    """Functions do not pass the test, abstract classes cannot be meant, and nothing calls None."""
    asked = f"""
def find(name):
    net = importlib.import_module(f"nets.{{name}}_net")
    found = None
    {loop}
            found = cls
    reveal(found)
    return found
def main(name):
    cls = find(name)
    made = cls(1)
    reveal(made)
    made = cls.forward
    reveal(made)
"""
    found = denoted(program(asked))
    assert found[0] == {"None", "class Large", "class Small"}
    assert found[1] == {"Large()", "Small()"}
    assert found[2] == {"function forward"}
    assert found[3] == {"1"}


@pytest.mark.parametrize(
    "looked", ["getattr(net, name)", "net.__dict__[name]", "vars(net).get(name)"]
)
def test_a_thing_by_a_computed_name(looked: str) -> None:
    asked = f"import nets.small_net as net\ndef f(name):\n    reveal({looked})\n"
    assert denoted(program(asked))[0] == {"class Small", "function helper"}
    asked = f"""
def f(name):
    net = importlib.import_module(f"nets.{{name}}_net")
    {looked}(1)
"""
    assert denoted(program(asked)) == [{"1"}]


@pytest.mark.parametrize("module", ["nets.small_net", "nets"])
def test_a_call_of_what_getattr_finds(module: str) -> None:
    asked = f"import {module} as net\ndef f(name):\n    getattr(net, name)(1)\n"
    texts = {**program(asked), "nets/__init__.py": "from .small_net import Small\n"}
    assert denoted(texts) == [{"1"}]


def test_a_computed_name_may_be_that_of_a_constant() -> None:
    asked = "import nets.large_net as net\ndef f(name):\n    reveal(getattr(net, name))\n"
    assert denoted(program(asked))[0] == {"class Large", "?"}


def test_a_package_that_only_imports() -> None:
    asked = "import nets\ndef f(name):\n    reveal(getattr(nets, name))\n"
    texts = {**program(asked), "nets/__init__.py": "from .small_net import *\nfrom . import base\n"}
    assert denoted(texts)[0] == {"class Small", "function helper"}


def test_a_function_of_a_module_is_no_method_of_dicts() -> None:
    texts = {"net.py": "def items(): return 1\n", "main.py": "import net\nreveal(net.items())\n"}
    assert denoted(texts) == [{"1"}]
