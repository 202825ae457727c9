"""What tests around a place say of a value."""

from __future__ import annotations

import pytest

from dlint.analyses.control.narrowing import is_certainly, is_used_up
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Return
from tests.analyses.control.programs import MakeProgram, call_of, function, scope_named

MODULES = ["torch.nn.Module"]


@pytest.mark.parametrize(
    ("body", "certain"),
    [
        ("if isinstance(data, torch.nn.Module):\n    here(data)", True),
        ("if test and isinstance(data, (torch.nn.Module,)):\n    here(data)", True),
        ("if not isinstance(data, torch.nn.Module):\n    return\nhere(data)", True),
        ("here(data) if isinstance(data, torch.nn.Module) else None", True),
        ("if isinstance(data, torch.nn.Module) or test:\n    here(data)", False),
        ("if isinstance(data, torch.nn.Module):\n    pass\nelse:\n    here(data)", False),
        ("if isinstance(data, (torch.nn.Module, torch.Tensor)):\n    here(data)", False),
        ("if isinstance(data, torch.nn.Module):\n    data = other\n    here(data)", False),
        ("if isinstance(data, test):\n    here(data)", False),
        ("if isinstance(other, torch.nn.Module):\n    here(data)", False),
    ],
)
def test_of_which_class_it_is(context: MakeProgram, body: str, certain: bool) -> None:
    analysed, scope = function(context, body)
    call = call_of(scope, "here")
    assert is_certainly(analysed, call, call.arguments[0].value, MODULES) is certain


CLASS = """
class Frames:
    def __init__(self, mode):
        {init}

    def get(self):
        {get}
        return None
"""
SETS = "self.mode = mode"
ASKS = 'if self.mode == "a": return 1\n        if self.mode == "b": return 2'


@pytest.mark.parametrize(
    ("init", "get", "used_up"),
    [
        (f'assert mode in ["a", "b"]; {SETS}', ASKS, True),
        (f'assert mode in ["a", "b"], mode; {SETS}', ASKS, True),
        (f'{SETS}; assert self.mode in ("a", "b")', ASKS, True),
        (f'if mode not in ("a", "b"): raise ValueError\n        {SETS}', ASKS, True),
        (f'assert mode in ["a"]; {SETS}', ASKS, True),
        (f'assert mode in ["a", "b"]; {SETS}', 'if self.mode in ("a", "b"): return 1', True),
        (f'assert mode in ["a", "b", "c"]; {SETS}', ASKS, False),
        (f'if mode not in ("a", "b"): print(mode)\n        {SETS}', ASKS, False),
        (f"assert mode in modes; {SETS}", ASKS, False),
        ('assert mode in ["a", "b"]', ASKS, False),
        (f'assert mode in ["a", "b"]; {SETS}', 'if self.mode == "a": print(1)', False),
        (SETS, ASKS, False),
    ],
)
def test_whether_anything_is_left(context: MakeProgram, init: str, get: str, used_up: bool) -> None:
    analysed = context(CLASS.format(init=init, get=get))
    scope = scope_named(analysed, "get")
    nothing = [
        s
        for s in walk.statements(scope.body)
        if isinstance(s, Return) and isinstance(s.value, ex.Constant) and s.value.value is None
    ]
    assert scope.owner is not None
    assert is_used_up(analysed, scope.owner, scope, nothing[-1].span) is used_up
