"""Settings of config trees, and of settings objects that are only declared."""

from __future__ import annotations

import pytest

from dlint.semantics.values.values import Literal
from tests.semantics.asked import evaluated, found

TREE = """
from yacs.config import CfgNode as CN
_C = CN()
_C.DATA = CN()
_C.DATA.WORKERS = 4
_C.SIZE = 8
cfg = _C
"""
USES = {
    "imported": ("from defaults import cfg\nreveal(cfg.DATA.WORKERS)", {"~4"}),
    "handed on": ("def f(cfg):\n    reveal(cfg.DATA.WORKERS)", {"~4"}),
    "on self": (
        (
            "class A:\n    def __init__(self, cfg):\n        self.cfg = cfg\n"
            "    def f(self):\n        reveal(self.cfg.DATA.WORKERS)"
        ),
        {"~4"},
    ),
    "by capitals": ("def f(given):\n    reveal(given.DATA.WORKERS)", {"~4"}),
    "written too": (
        "def f(cfg):\n    cfg.DATA.WORKERS = 2\n    reveal(cfg.DATA.WORKERS)",
        {"~4", "2"},
    ),
    "no such setting": ("def f(cfg):\n    reveal(cfg.DATA.OTHER)", {"?"}),
    "another object": ("class B:\n    SIZE = 1\ncfg = B()\nreveal(cfg.SIZE)", {"1"}),
    "no name that speaks of it": ("def f(given):\n    reveal(given.size)", {"?"}),
    "no chain of names": ("def f(cfg):\n    reveal(cfg[0].SIZE)", {"?"}),
}


@pytest.mark.parametrize(("text", "expected"), USES.values(), ids=USES)
def test_settings_of_the_one_tree(text: str, expected: set[str]) -> None:
    assert evaluated({"defaults.py": TREE, "main.py": text}) == [expected]


def test_of_two_trees_nothing_is_known() -> None:
    files = {"one.py": TREE, "two.py": TREE, "main.py": "def f(cfg):\n    reveal(cfg.SIZE)"}
    assert evaluated(files) == [{"?"}]


def test_a_class_of_trees_and_how_a_default_is_named() -> None:
    text = """
        from fvcore.common.config import CfgNode as Base
        class CfgNode(Base): ...
        root = CfgNode()
        root.SIZE = 3
        def f(cfg):
            reveal(cfg.SIZE)
    """
    [[one]] = found(text)
    assert (one.value, one.assumed) == (Literal.of(3), "default of `SIZE` in main.py")


DECLARED = """
from dataclasses import dataclass, field
@dataclass
class Loader:
    workers: int = 4
    size: int = field(default=8)
    names: list = field(default_factory=list)
    needed: int
@dataclass
class Config:
    loader: Loader
@dataclass
class Child(Config):
    extra: int = 1
class Plain:
    workers: int = 2
"""
ANNOTATED = {
    "a default": ("def f(c: Loader):\n    reveal(c.workers)", {"~4"}),
    "a field of one": ("def f(c: Config):\n    reveal(c.loader.workers)", {"~4"}),
    "an inherited field": ("def f(c: Child):\n    reveal(c.loader.size)", {"~8"}),
    "a factory": ("def f(c: Loader):\n    reveal(c.names)", {"?"}),
    "no default": ("def f(c: Loader):\n    reveal(c.needed)", {"?"}),
    "no such field": ("def f(c: Loader):\n    reveal(c.other)", {"?"}),
    "no dataclass": ("def f(c: Plain):\n    reveal(c.workers)", {"?"}),
    "no annotation": ("def f(c):\n    reveal(c.workers)", {"?"}),
    "an annotation in quotes": ("def f(c: 'Loader'):\n    reveal(c.workers)", {"?"}),
    "a local": ("def f():\n    c = make()\n    reveal(c.workers)", {"?"}),
    "written somewhere": (
        "def f(c: Loader):\n    reveal(c.workers)\ndef g(c):\n    c.workers = 1",
        {"~4", "?"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), ANNOTATED.values(), ids=ANNOTATED)
def test_what_a_declared_object_holds(text: str, expected: set[str]) -> None:
    assert evaluated(f"{DECLARED}{text}\n") == [expected]
