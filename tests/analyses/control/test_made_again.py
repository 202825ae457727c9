"""Which calls are made after others, or a second time."""

from __future__ import annotations

import pytest

from dlint.analyses.control.made_again import made_again
from tests.analyses.control.programs import MakeProgram, function

BEFORE = """
def here():
    pass

def first():
    pass

def both():
    first()
    here()

def perhaps(n):
    if n:
        here()
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("here()", None),
        ("first()\nhere()", "first"),
        ("here()\nfirst()", None),
        ("if test:\n    first()\nhere()", None),
        ("if test:\n    first()\nelse:\n    here()", None),
        ("first()\nif test:\n    here()", "first"),
        ("try:\n    first()\nexcept OSError:\n    pass\nhere()", "first"),
        ("first()\ntry:\n    here()\nexcept OSError:\n    pass", None),
        ("first()\ntry:\n    here()\nfinally:\n    pass", "first"),
        ("for x in xs:\n    here()", "loop"),
        ("for x in [n]:\n    here()", None),
        ("for x in xs:\n    here()\n    break", None),
        ("for x in xs:\n    if x:\n        here()", None),
        ("for x in xs:\n    if torch.cuda.is_available():\n        here()", "loop"),
        ("while n:\n    here()", "loop"),
        ("[here() for x in xs]", "loop"),
        ("[here() for x in xs if x]", None),
        ("(here() for x in xs)", None),
        ("(here(), here())", "here"),
        ("for x in xs:\n    perhaps(n)", None),
    ],
)
def test_what_comes_before_a_call(context: MakeProgram, body: str, found: str | None) -> None:
    analysed, scope = function(context, body, BEFORE)
    firsts = [c for c in scope.calls if c.name in ("first", "here")]
    inner = [c for f in analysed.modules for s in f.module.scopes for c in s.calls]
    perhaps = [c for c in inner if c.scope.name == "perhaps"]
    seconds = [c for c in scope.calls if c.name == "here"] or perhaps
    again = next(made_again(analysed, [*firsts, *perhaps], seconds), None)
    if again is None:
        assert found is None
    elif again.around is not None:
        assert found == "loop"
    else:
        assert found == again.first.name


def test_what_a_function_does_before_its_call(context: MakeProgram) -> None:
    analysed, scope = function(context, "both()\nboth()", BEFORE)
    inner = next(s for f in analysed.modules for s in f.module.scopes if s.name == "both")
    (call,) = [c for c in inner.calls if c.name == "here"]
    again = next(made_again(analysed, [call], [call]))
    assert (again.call, again.chain[-1]) == (call, scope.calls[1])


MANAGERS = """
from contextlib import contextmanager

class Session:
    def __enter__(self):
        here()

class Calm(Session):
    def __enter__(self):
        return self

@contextmanager
def session(n):
    here()
    yield n

@contextmanager
def perhaps(n):
    if n:
        here()
    yield n

def plain(n):
    here()
    yield n

def here():
    pass
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("for x in xs:\n    with Session():\n        pass", True),
        ("for x in xs:\n    with session(x) as y:\n        pass", True),
        ("with Session():\n    pass\nwith Session():\n    pass", True),
        ("with session(n):\n    pass", False),
        ("for x in xs:\n    with Calm():\n        pass", False),
        ("for x in xs:\n    with (Session() if x else Calm()):\n        pass", False),
        ("for x in xs:\n    Session()", False),
        ("for x in xs:\n    session(x)", False),
        ("for x in xs:\n    with perhaps(x):\n        pass", False),
        ("for x in xs:\n    with plain(x):\n        pass", False),
        ("for x in xs:\n    try:\n        with Session(): pass\n    except OSError: pass", False),
    ],
)
def test_what_a_with_enters(context: MakeProgram, body: str, found: bool) -> None:
    analysed, _ = function(context, body, MANAGERS)
    scopes = [s for f in analysed.modules for s in f.module.scopes]
    calls = [c for s in scopes for c in s.calls if c.name == "here"]
    assert any(made_again(analysed, calls, calls)) is found
