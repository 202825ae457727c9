"""Whether each run of a function that one call enters makes another call."""

from __future__ import annotations

import pytest

from dlint.analyses.control.entered_runs import is_made_for
from tests.analyses.control.programs import MakeProgram, call_of, scope_named


@pytest.mark.parametrize(
    ("body", "entering", "is_made"),
    [
        ("here()", "get()", True),
        ("if train: here()", "get(train=True)", True),
        ("if train: here()", "get(False)", False),
        ("if train: here()", "get()", True),
        ("if train: here()", "get(n)", False),
        ("if not train: here()", "get(False)", True),
        ("if train: pass\n    else: here()", "get(False)", True),
        ("if size > 1: pass\n    elif train: here()", "get(True, 1)", True),
        ("if size > 1: pass\n    elif train: here()", "get(True, n)", False),
        ("if size is None: return\n    if train: here()", "get(True)", True),
        ("while train: here()", "get(True)", False),
        ("if train and size: x = here() if size > 2 else 0", "get(True, 3)", False),
        ("if train:\n        for x in size: here()", "get(True)", False),
        ("try: size.a\n    except AttributeError:\n        if train: here()", "get(True)", False),
    ],
)
def test_tests_come_out_so_for_what_is_passed(
    context: MakeProgram, body: str, entering: str, is_made: bool
) -> None:
    called = f"def get(train=True, size=None):\n    {body}\n\n\ndef f(n):\n    {entering}\n"
    analysed = context(called)
    here = call_of(scope_named(analysed, "get"), "here")
    assert is_made_for(analysed, here, call_of(scope_named(analysed, "f"), "get")) is is_made


def test_of_several_methods_only_that_of_the_call_is_asked(context: MakeProgram) -> None:
    analysed = context(
        "class A:\n"
        "    def get(self, train):\n"
        "        if train: here()\n"
        "class B:\n"
        "    def get(self, train): pass\n"
        "def f(test):\n"
        "    made = A() if test else B()\n"
        "    made.get(True)\n"
    )
    scopes = (scope for facts in analysed.modules for scope in facts.module.scopes)
    here = next(call for scope in scopes for call in scope.calls if call.name == "here")
    assert is_made_for(analysed, here, call_of(scope_named(analysed, "f"), "get"))
