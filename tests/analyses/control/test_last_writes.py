"""The last write to an attribute before a method reads it."""

from __future__ import annotations

import pytest

from dlint.analyses.control.last_writes import last_write
from dlint.ir import expressions as ex
from dlint.ir import walk
from tests.analyses.control.programs import MakeProgram, call_of

CLASS = """
from torch.utils.data import DataLoader
class A:
    def __init__(self, t):
        self.loader = DataLoader(t)
        """
KEEP = "def keep(self):\n        self.x = 'kept'"
BOTH = "def both(self):\n        self.keep()\n        tell(self.x)"
ASK = "def ask(self):\n        tell(self.x)"


@pytest.mark.parametrize(
    ("init", "methods", "expected"),
    [
        ("self.x = 'a'\n        self.x = 'b'\n        tell(self.x)", "", "b"),
        ("self.x = 'a'\n        self.keep()\n        tell(self.x)", KEEP, "kept"),
        ("self.x = 'a'\n        tell(self.x)\n        self.keep()", KEEP, "a"),
        ("self.x = 'a'\n        self.ask()\n        self.keep()", f"{KEEP}\n    {ASK}", "a"),
        ("self.x = 'a'\n        self.keep()\n        self.ask()", f"{KEEP}\n    {ASK}", "kept"),
        ("self.x = 'a'\n        tell(self.x)", KEEP, "a"),
        (
            "self.x = 'a'\n        print(self.asked)\n        self.keep()",
            f"{KEEP}\n    @property\n    def asked(self):\n        tell(self.x)",
            "a",
        ),
        ("self.x = 'a'\n        if t:\n            self.keep()\n        tell(self.x)", KEEP, None),
        ("self.x = 'a'\n        t and self.keep()\n        tell(self.x)", KEEP, None),
        (
            "self.x = 'a'\n        for _ in t:\n            self.ask()\n            self.keep()",
            f"{KEEP}\n    {ASK}",
            None,
        ),
        ("self.x = 'a'\n        self.ask()\n        self.keep()\n        self.ask()", ASK, None),
        ("self.x = 'a'\n        self.both()", f"{KEEP}\n    {BOTH}", "kept"),
        ("tell(self.x)", KEEP, None),
    ],
)
def test_last_write(context: MakeProgram, init: str, methods: str, expected: str | None) -> None:
    assert _last(context, f"{CLASS}{init}\n    {methods}\nA(1)\n") == expected


def test_writes_from_outside(context: MakeProgram) -> None:
    text = f"{CLASS}self.x = 'a'\n        tell(self.x)\na = A(1)\n"
    assert _last(context, f"{text}a.y = 'b'\n") == "a"
    assert _last(context, f"{text}a.x = 'b'\n") is None


def _last(context: MakeProgram, text: str) -> object:
    analysed = context(text)
    scopes = [scope for facts in analysed.modules for scope in facts.module.scopes]
    scope = next(s for s in scopes if any(call.name == "tell" for call in s.calls))
    call = call_of(scope, "tell")
    (read,) = (part for part in walk.walk(call) if isinstance(part, ex.Attribute))
    store = last_write(analysed, read, scope, call.statement)
    return store.value.value if store and isinstance(store.value, ex.Constant) else None
