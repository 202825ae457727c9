"""Wrappers: the functions that decorators of the project put in the place of another."""

from __future__ import annotations

import pytest

from dlint.analyses.wrappers import wrappers
from tests.analyses.control.programs import MakeProgram

_PLAIN = """import functools
import torch

def plain(function):
    @functools.wraps(function)
    def around(*args):
        return function(*args)
    return around

def made(number):
    def decorate(function):
        def outside(*args):
            return function(*args)
        return outside
    return decorate

def kept(function):
    return function

"""


@pytest.mark.parametrize(
    ("decorators", "names"),
    [
        ("@plain", ["around"]),
        ("@made(3)", ["outside"]),
        ("@made(3)\n@plain", ["outside", "around"]),
        ("@kept", []),
        ("@made", ["decorate"]),
        ("@functools.cache", []),
        ("@unknown", []),
    ],
)
def test_functions_in_the_place_of_another(
    context: MakeProgram, decorators: str, names: list[str]
) -> None:
    analysed = context({"main.py": f"{_PLAIN}{decorators}\ndef f(x):\n    return x\n"})
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (decorated,) = [scope for scope in scopes if scope.name == "f"]
    assert [wrapper.name for wrapper in wrappers(analysed, decorated)] == names
