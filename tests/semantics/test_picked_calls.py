"""Who calls a function or class that is picked of several at run time."""

from __future__ import annotations

import pytest

from dlint.semantics.assembly import solver_of
from dlint.semantics.calls.callers import Callers
from tests.semantics.asked import denoted, project_of

DEFINED = """
class Fast:
    def __init__(self, x=0):
        reveal(x)
class Slow:
    def __init__(self, x): ...
def make(x=0):
    reveal(x)
def other(x): ...
"""


@pytest.mark.parametrize(
    "picked",
    [
        "{'a': Fast, 'b': Slow}[name](1)",
        "{'a': Fast, 'b': Slow}.get(name, Slow)(1)",
        "[Fast, Slow][name](1)",
        "(Fast, Slow)[0](1)",
        "dict(a=Fast, b=Slow)[name](1)",
        "made = {'a': Fast}\n    one = made[name]\n    one(1)",
        "made = {}\n    made['a'] = Fast\n    made[name](1)",
        "one = {'a': Fast}[name] if name else Slow\n    one(1)",
        "choose(name)(1)",
        "one = choose(name)\n    one(1)",
        "one = chosen(name)\n    one(1)",
        "one = by_name(name)\n    one(1)",
        "TABLE[name](x=1)",
        "for one in (Fast, Slow):\n        one(1)",
        "for key, one in TABLE.items():\n        one(1)",
        "for key, one in {'a': Fast}.items():\n        one(1)",
    ],
)
def test_a_class_that_is_picked(picked: str) -> None:
    text = f"""{DEFINED}
TABLE = {{"a": Fast, "b": Slow}}
def choose(name):
    one = TABLE[name]
    return one
def chosen(name):
    return choose(name)
def by_name(name):
    if name == "a":
        return Fast
    return Slow
def main(name):
    {picked}
"""
    assert {"1"} in denoted(text)


def test_a_function_that_is_picked() -> None:
    assert {"1"} in denoted(f"{DEFINED}\ndef main(n):\n    {{'a': make, 'b': other}}[n](1)\n")


REGISTRY = """
KEPT, LIST = {}, []
def register(name):
    def keep(made):
        KEPT[name] = made
        return made
    return keep
def listed(made):
    LIST.append(made)
    return made
class Registry:
    def __init__(self):
        self.kept = {}
    def add(self, made):
        self.kept[made.__name__] = made
        return made
REGISTRY = Registry()
"""


@pytest.mark.parametrize(
    ("decorator", "picked"),
    [
        ("register('fast')", "KEPT[name](1)"),
        ("register('fast')", "made = KEPT.get(name)\n    made(x=1)"),
        ("listed", "for made in LIST:\n        made(1)"),
        ("REGISTRY.add", "REGISTRY.kept[name](1)"),
    ],
)
def test_a_class_that_a_decorator_keeps(decorator: str, picked: str) -> None:
    defined = "class Fast:\n    def __init__(self, x=0):\n        reveal(x)"
    text = f"{REGISTRY}\n@{decorator}\n{defined}\ndef main(name):\n    {picked}\n"
    assert denoted(text) == [{"1"}]


def test_a_method_that_is_picked() -> None:
    text = """
class Data:
    def train(self, x):
        reveal(x)
    def build(self, name):
        {'a': self.train}[name](1)
"""
    assert denoted(text) == [{"1"}]


def test_a_name_that_rounds_bind_anew_to_one_another() -> None:
    text = f"""{DEFINED}
def main(given):
    one = other = given
    while given:
        if given > 1:
            one = other
        else:
            other = one
        one(1)
"""
    assert denoted(text) == [{"0"}, {"0"}]


def test_what_another_key_holds_is_not_entered() -> None:
    assert denoted(f"{DEFINED}\n{{'a': Fast, 'b': Slow}}['b'](1)\n") == [{"0"}, {"0"}]


def test_a_table_of_another_module() -> None:
    texts = {
        "fast.py": "class Fast:\n    def __init__(self, x=0):\n        reveal(x)\n",
        "table.py": "from fast import Fast as F\nTABLE = {'a': F}\n"
        "def choose(name):\n    return TABLE[name]\n",
        "main.py": "from table import choose\ndef main(name):\n"
        "    one = choose(name)\n    one(1)\n",
    }
    assert denoted(texts) == [{"1"}]


def test_nothing_is_watched_for_what_no_container_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    sought: list[str] = []
    monkeypatch.setattr(
        "dlint.semantics.calls.entering_calls.EnteringCalls.seek",
        lambda self, scope, tell: sought.append(self._name),
    )
    text = "def f(x): ...\ndef g(x): ...\nf(1)\n{'a': g}[n](1)\n"
    solver = solver_of(project_of(text))
    for path in sorted(solver.project.files):
        facts = solver.project.load(path)
        assert facts is not None
        for scope in facts.module.scopes:
            if scope.name == "f":
                solver[Callers].listen(scope, lambda _: None)
    assert sought == ["f"]


@pytest.mark.parametrize(
    ("body", "picked", "found"),
    [
        ("a = Fast\n    b = Slow", "getattr(Kinds, name)(1)", True),
        ("a = Fast\n    b = Slow", "one = getattr(Kinds, name)\n    one(1)", True),
        ("a = Slow", "getattr(Kinds, name)(1)", False),
        ("a = Fast", "getattr(Kinds(), name)(1)", False),
    ],
)
def test_a_class_that_is_picked_of_a_class(body: str, picked: str, found: bool) -> None:
    text = f"""{DEFINED}
class Kinds:
    {body}
def main(name):
    {picked}
"""
    assert ({"1"} in denoted(text)) is found


HOOKS = """
class Hook:
    def before(self, run, epoch):
        reveal(epoch)
    def after(self, run, epoch): ...

class Run:
    def __init__(self):
        self.hooks = [Hook()]
    def ask(self, name, epoch):
        for hook in self.hooks:
            {call}

Run().ask({name}, 7)
"""


@pytest.mark.parametrize(
    ("call", "name", "is_entered"),
    [
        ("getattr(hook, name)(self, epoch)", "'before'", True),
        ("method = getattr(hook, name, None)\n            method(self, epoch)", "'before'", True),
        ("getattr(hook, name)(self, epoch)", "'after'", False),
        ("hook.after(self, epoch)", "'before'", False),
    ],
)
def test_a_method_that_an_object_is_asked_for_by_a_text(
    call: str, name: str, is_entered: bool
) -> None:
    assert ({"7"} in denoted(HOOKS.format(call=call, name=name))) is is_entered
