"""What decorators are given that hand back what they decorate."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.analyses.context import AnalysisContext
from dlint.semantics.values.values import UNKNOWN, ClassObject, FunctionObject, Value

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

PLAIN = "def keep(made):\n    TABLE[made.__name__] = made\n    return made\n"
NAMED = f"def keep(name):\n    def inner(made):\n        TABLE[name] = made\n{' ' * 8}return made\n"
OWN = "class Table:\n    def keep(self, made):\n        TABLE['x'] = made\n        return made\n"
CALLING = PLAIN.replace("return made", "made()\n    return made")
REPLACING = PLAIN.replace("return made", "return print")
CHOOSING = PLAIN.replace("    return made", "    if made:\n        return made\n    return print")
FUNCTION, CLASS = "def one(): pass\n", "class One: pass\n"


@pytest.mark.parametrize(
    ("keeper", "decorator", "decorated", "found"),
    [
        (PLAIN, "@keep", FUNCTION, "one"),
        (PLAIN, "@keep", CLASS, "One"),
        (f"{NAMED}    return inner\n", "@keep('x')", CLASS, "One"),
        (f"{OWN}table = Table()\n", "@table.keep", FUNCTION, "one"),
        (PLAIN, "@keep\n@other", FUNCTION, "one"),
        (CALLING, "@keep", FUNCTION, None),
        (REPLACING, "@keep", FUNCTION, None),
        (CHOOSING, "@keep", FUNCTION, None),
    ],
)
def test_what_a_registry_holds(
    context: MakeContext, keeper: str, decorator: str, decorated: str, found: str | None
) -> None:
    analysed = context(
        f"import torch\nTABLE = {{}}\n{keeper}\n{decorator}\n{decorated}\nask(TABLE[key])\n"
    )
    held = _asked(analysed)
    assert {_name(value) for value in held} == {found}


def test_registries_of_other_modules(context: MakeContext) -> None:
    analysed = context(
        {
            "registry.py": f"TABLE = {{}}\n{NAMED}    return inner\n",
            "first.py": f"from registry import keep as kept\n@kept('x')\n{FUNCTION}",
            "second.py": f"import registry\n@registry.keep('y')\n{CLASS}",
            "main.py": "import torch\nfrom registry import TABLE\nask(TABLE[key])\n",
        }
    )
    assert {_name(value) for value in _asked(analysed)} == {"one", "One"}


def _asked(analysed: AnalysisContext) -> set[Value]:
    (call,) = calls_anywhere(analysed, "ask")
    return set(analysed.values(call.arguments[0].value, call.scope))


def _name(value: Value) -> str | None:
    if isinstance(value, FunctionObject):
        return value.scope.name
    assert isinstance(value, ClassObject) or value == UNKNOWN
    return value.cls.name if isinstance(value, ClassObject) else None
