"""What the attributes hold of the one object that a call makes."""

from __future__ import annotations

import pytest

from dlint.analyses.object_state.made_objects import MadeObject
from tests.analyses.control.programs import MakeProgram

TEXT = """
import argparse
options = argparse.ArgumentParser()
options.add_argument("--flag", action="store_true")
args = options.parse_args()
SHARE = 0.5

class Base:
    def __init__(self, share=0.25):
        self.share = share
        self.prepare()
    def prepare(self):
        self.ready = True

class Rows(Base):
    def __init__(self, paths, flag=True, mode="train"):
        super().__init__(share=SHARE)
        self.paths = paths
        self.flag = bool(flag)
        self.mode = mode
        self.both = flag
        if not flag:
            self.kind = 1
        if flag:
            self.kind = 2
        self.either = 1 if flag else 0
    def change(self):
        self.both = False
    def use(self, x):
        return {asked}

def make(given):
    return Rows([], given)

made = {made}
{more}
"""


def _outcome(
    context: MakeProgram, asked: str, made: str, more: str = ""
) -> tuple[bool | None, bool]:
    """How a test comes out, and whether what it rests on may be set from outside."""
    analysed = context(TEXT.format(asked=asked, made=made, more=more))
    scopes = {s.name: s for f in analysed.modules for s in f.module.scopes}
    calls = [c for f in analysed.modules for s in f.module.scopes for c in s.calls]
    call = next(
        c for c in calls if c.name == "Rows" and (c.scope.kind == "module") is ("Rows" in made)
    )
    callers = analysed.evaluator.callers(call.scope) if call.scope.kind == "function" else []
    frame = callers[0] if callers else analysed.solver.root(call.scope)
    cls = next(c for f in analysed.modules for c in f.module.classes if c.name == "Rows")
    rows = MadeObject(analysed, cls, call, frame)
    root, test = analysed.solver.root(scopes["use"]), scopes["use"].returns[0]
    names = rows.attributes_behind(test, root)
    return rows.outcome(test, root), any(map(rows.is_set_from_outside, names))


@pytest.mark.parametrize(
    ("asked", "made", "outcome"),
    [
        ("self.flag", "Rows([])", True),
        ("self.flag", "Rows([], False)", False),
        ("not self.flag", "Rows([], flag=False)", True),
        ("self.flag", "Rows([], args.flag)", None),
        ("self.flag", "Rows([], *args.rest)", None),
        ("self.flag", "Rows([], **vars(args))", None),
        ("self.flag", "Rows([], True, **vars(args))", True),
        ("self.mode == 'train'", "Rows([])", True),
        ("self.mode == 'train'", "Rows([], mode='val')", False),
        ("self.flag and self.mode == 'val'", "Rows([], mode='val')", True),
        ("self.flag and x", "Rows([])", None),
        ("self.flag and x", "Rows([], False)", False),
        ("self.both", "Rows([])", None),
        ("self.share > 0.4", "Rows([])", True),
        ("self.ready", "Rows([])", True),
        ("self.kind == 2", "Rows([])", True),
        ("self.kind == 2", "Rows([], False)", False),
        ("self.either", "Rows([], False)", False),
        ("self.paths", "Rows([])", None),
        ("self.other", "Rows([])", None),
        ("self.flag", "make(False)", False),
        ("self.flag", "make(True)", True),
    ],
)
def test_a_test_comes_out_as_the_object_was_made(
    context: MakeProgram, asked: str, made: str, outcome: bool | None
) -> None:
    assert _outcome(context, asked, made)[0] is outcome


@pytest.mark.parametrize(
    ("more", "outside"),
    [
        ("", False),
        ("made.flag = False", True),
        ("made.flags = False", False),
        ("class Other:\n    pass\nOther().flag = False", False),
        ("def f(x):\n    x.flag = False", True),
    ],
)
def test_who_may_write_from_outside(context: MakeProgram, more: str, outside: bool) -> None:
    assert _outcome(context, "self.flag", "Rows([])", more)[1] is outside


def test_a_write_that_asks_for_itself_ends(context: MakeProgram) -> None:
    text = (
        "class Rows:\n    def __init__(self, a=True):\n"
        "        if self.a:\n            self.a = a\n    def use(self):\n        return self.a\n"
        "made = Rows()\n"
    )
    analysed = context(text)
    (cls,) = (c for f in analysed.modules for c in f.module.classes)
    use = cls.methods["use"]
    (call,) = (c for f in analysed.modules for s in f.module.scopes for c in s.calls)
    rows = MadeObject(analysed, cls, call, analysed.solver.root(call.scope))
    assert rows.outcome(use.returns[0], analysed.solver.root(use)) is True


def test_what_is_left_from_outside_counts(context: MakeProgram) -> None:
    text = (
        "class Rows:\n    def __init__(self, a=True):\n        self.a = a\n"
        "    def use(self):\n        return self.a\nmade = Rows()\nmade.a = False\n"
    )
    analysed = context(text)
    (cls,) = (c for f in analysed.modules for c in f.module.classes)
    (call,) = (c for f in analysed.modules for s in f.module.scopes for c in s.calls)
    root, use = analysed.solver.root(call.scope), cls.methods["use"]
    (store,) = call.scope.stores
    found = [
        MadeObject(analysed, cls, call, root, left).outcome(
            use.returns[0], analysed.solver.root(use)
        )
        for left in (None, {"a": (store.value, root)})
    ]
    assert found == [True, False]
