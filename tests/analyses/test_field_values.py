"""Field values: what constructors are given for a field."""

from __future__ import annotations

import pytest

from dlint.analyses.field_values import field_values
from dlint.ir import expressions as ex
from tests.analyses.control.programs import MakeProgram

_HEAD = """from dataclasses import dataclass, field, replace
@dataclass
class C:
    n: int
    k: int"""


def _found(context: MakeProgram, text: str) -> list[object]:
    analysed = context(text)
    (cls,) = [c for f in analysed.modules for c in f.module.classes if c.name == "C"]
    found = [origin for origin, _ in field_values(analysed, cls, "k")]
    return sorted(origin.value for origin in found if isinstance(origin, ex.Constant))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (" = 3\nC(1)\n", [3]),
        (" = 3\nC(1)\nC(2, 5)\nC(n=2, k=7)\n", [3, 5, 7]),
        (" = 3\n    @classmethod\n    def two(cls):\n        return cls(2, k=9)\nC(1)\n", [3, 9]),
        (" = 3\ndef f(args):\n    C(*args[:1])\n", [3]),
        (" = 3\ndef f(args):\n    C(*args, k=5)\n", [5]),
        (" = 3\nimport pandas as pd\nC(1)\npd.read_csv('a').replace(k=4)\n", [3]),
        (" = 3\ndef evolve(**d): pass\nC(1)\nevolve(k=4)\n", [3]),
        (" = field(default=4)\nC(1)\n", [4]),
        (" = field(default_factory=lambda: 4)\nC(1)\n", [4]),
    ],
)
def test_constructions_and_defaults(context: MakeProgram, text: str, values: list[int]) -> None:
    assert _found(context, _HEAD + text) == values


@pytest.mark.parametrize(
    "text",
    [
        " = 3\n",
        " = 3\ndef f(args):\n    C(1)\n    C(*args)\n",
        " = 3\ndef f(args):\n    C(*args[:2])\n",
        " = 3\ndef f(args):\n    C(1, **args)\n",
        " = 3\nc = C(1)\nc.k = 4\n",
        " = 3\nc = replace(C(1), k=4)\n",
        " = 3\ndef f(d):\n    return replace(C(1), **d)\n",
        " = 3\nfrom dataclasses import replace as other\nc = other(C(1), k=4)\n",
        " = 3\nimport copy\nc = copy.replace(C(1), k=4)\n",
        " = 3\nc = C(1)._replace(k=4)\n",
        " = 3\ndef f(d, x):\n    return x.replace(C(1), **d)\n",
        " = 3\nclass D(C):\n    pass\nC(1)\n",
        " = field(default_factory=int)\nC(1)\n",
        "\nC(1)\n",
    ],
)
def test_what_is_not_certain_is_given_up_on(context: MakeProgram, text: str) -> None:
    assert not _found(context, _HEAD + text)
