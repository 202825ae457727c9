"""A call is known by the name of what it calls, whatever an import calls it."""

from __future__ import annotations

import pytest

from dlint.ir import walk
from dlint.ir.expressions import Reference
from dlint.ir.lower import lower
from dlint.ir.serial import from_json, to_json
from dlint.workspace.source import Source


def _names(text: str) -> list[str | None]:
    index = lower(Source("main.py", text))
    again = from_json(to_json(index), "main.py")
    names = [call.name for scope in index.scopes for call in scope.calls]
    assert names == [call.name for scope in again.scopes for call in scope.calls]
    return names


@pytest.mark.parametrize(
    "text",
    [
        "from torch.multiprocessing import spawn\nspawn(f)\n",
        "from torch.multiprocessing import spawn as launch\nlaunch(f)\n",
        "from torch.multiprocessing import spawn as launch\ndef g():\n    launch(f)\n",
        "def g():\n    from torch.multiprocessing import spawn as launch\n    launch(f)\n",
        (
            "from torch.multiprocessing import spawn as launch\n"
            "class A:\n    launch = 1\n    def g(self):\n        launch(f)\n"
        ),
        "try:\n    from a import spawn as s\nexcept E:\n    from b import spawn as s\ns(f)\n",
        "try:\n    from a import spawn as s\nexcept E:\n    s = None\ns(f)\n",
        "try:\n    from a import spawn as s\nexcept E:\n    s = None\ndef g():\n    s(f)\n",
        "if x:\n    from a import spawn as s\nelse:\n    from b import spawn as s\ns(f)\n",
    ],
)
def test_an_import_may_call_it_otherwise(text: str) -> None:
    assert _names(text) == ["spawn"]


@pytest.mark.parametrize(
    "text",
    [
        "from torch.multiprocessing import spawn as launch\ndef g(launch):\n    launch(f)\n",
        "from torch.multiprocessing import spawn as launch\nlaunch = x\nlaunch(f)\n",
        (
            "try:\n    from a import spawn as launch\nexcept E:\n    from b import run as launch\n"
            "launch(f)\n"
        ),
        "from torch.multiprocessing import spawn as launch\nx.launch(f)\n",
        "import launcher as launch\nlaunch(f)\n",
    ],
)
def test_another_thing_of_that_name_keeps_it(text: str) -> None:
    assert _names(text) == ["launch"]


def test_what_is_read_has_its_own_name_too() -> None:
    text = "from torch import float32 as f, no_grad as ng\nx = f\n@ng()\ndef g(f):\n    return f\n"
    index = lower(Source("main.py", text))
    parts = (
        part
        for scope in index.scopes
        for statement in walk.statements(scope.body)
        for expression in walk.expressions(statement)
        for part in walk.walk(expression)
    )
    found = [(p.name, p.own_name) for p in parts if isinstance(p, Reference)]
    assert found == [("f", "float32"), ("ng", "no_grad"), ("f", "f")]
