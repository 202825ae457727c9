"""The name `torch` in what rules ask for: the file's own, or the import brought along."""

from __future__ import annotations

from textwrap import dedent

import pytest

from dlint.findings.operations import InsertFirstInLoop, ReplaceExpression, SetArgument, SetKey

CUDA = "torch.cuda.is_available()"


@pytest.fixture
def pinned(lowered, find):
    """The text with `pin=torch.cuda.is_available()` given to its call `load(ds)`."""
    return lambda text: lowered(text, SetArgument(find(text, "load(ds)"), "pin", CUDA))


def code(text):
    return dedent(text).lstrip("\n")


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import torch", "torch"),
        ("import torch as th", "th"),
        ("import torch.utils.data", "torch"),
        ("import os, torch as th", "th"),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", "torch"),
        ("if has_torch:\n    import torch", "torch"),
        ("import torch as th\nimport torch", "torch"),
        ("import torch.nn as nn\nimport torch as th", "th"),
    ],
)
def test_uses_the_name_of_the_file(pinned, imports, name):
    before = f"{imports}\n\nload(ds)\n"
    assert pinned(before) == f"{imports}\n\nload(ds, pin={name}.cuda.is_available())\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from torch.utils.data import load\n\nload(ds)\n",
            "import torch\nfrom torch.utils.data import load\n\nload(ds, pin=CUDA)\n",
        ),
        (
            "from torch import cuda\nload(ds)\n",
            "import torch\nfrom torch import cuda\nload(ds, pin=CUDA)\n",
        ),
        ("import os\n\nload(ds)\n", "import os\nimport torch\n\nload(ds, pin=CUDA)\n"),
        (
            '"""D."""\nfrom __future__ import x\n\nimport os\n\nload(ds)\n',
            '"""D."""\nfrom __future__ import x\n\nimport os\nimport torch\n\nload(ds, pin=CUDA)\n',
        ),
        (
            "try:\n    import a\nexcept E:\n    a = 0\n\nload(ds)\n",
            "try:\n    import a\nexcept E:\n    a = 0\nimport torch\n\nload(ds, pin=CUDA)\n",
        ),
        (
            "import a; import b\nload(ds)\n",
            "import a; import b\nimport torch\nload(ds, pin=CUDA)\n",
        ),
        ('"""Doc."""\n\nload(ds)\n', '"""Doc."""\n\nimport torch\n\nload(ds, pin=CUDA)\n'),
        ("#!/bin/x\n# c\nload(ds)\n", "#!/bin/x\n# c\nimport torch\n\nload(ds, pin=CUDA)\n"),
        (
            "if TYPE_CHECKING:\n    import torch\n\nload(ds)\n",
            "if TYPE_CHECKING:\n    import torch\nimport torch\n\nload(ds, pin=CUDA)\n",
        ),
        (
            "import a\ndef f():\n    import torch\nload(ds)\n",
            "import a\nimport torch\ndef f():\n    import torch\nload(ds, pin=CUDA)\n",
        ),
        (
            "import torch as th\ndef f(th):\n    load(ds)\n",
            "import torch\nimport torch as th\ndef f(th):\n    load(ds, pin=CUDA)\n",
        ),
        ("import a\r\nload(ds)\r\n", "import a\r\nimport torch\r\nload(ds, pin=CUDA)\r\n"),
    ],
)
def test_brings_the_import_along(pinned, before, after):
    assert pinned(before) == after.replace("CUDA", CUDA)


@pytest.mark.parametrize(
    "before",
    [
        "from shim import torch\nload(ds)\n",
        "import shim as torch\nload(ds)\n",
        "import os\ndef f(torch):\n    load(ds)\n",
        "import torch\ndef f(torch):\n    load(ds)\n",
        "import torch\ndef f():\n    torch = 1\n    load(ds)\n",
        "import torch\ntorch = wrap(torch)\nload(ds)\n",
        "import os\ndef f():\n    load(ds)\n    import torch\n",
        "import os\nx = [load(ds) for torch in y]\n",
        "import torch; load(ds); torch = 1\n",
    ],
)
def test_gives_up_where_torch_means_something_else(pinned, before):
    assert pinned(before) is None


def test_an_import_below_a_use_of_the_module_is_no_help(pinned):
    assert pinned("load(ds)\nimport torch\n").startswith("import torch\n\nload(ds, ")


def test_a_local_import_above_the_call_is_enough(pinned):
    before = "def f():\n    import torch as th\n    load(ds)\n"
    assert pinned(before) == before.replace("load(ds)", "load(ds, pin=th.cuda.is_available())")


def test_a_local_import_under_a_condition_is_not(pinned):
    assert pinned("def f():\n    if x:\n        import torch\n    load(ds)\n") is None


def test_the_import_is_put_above_a_use_between_imports(pinned):
    before = "import a\nload(ds)\nfrom torch import b\n"
    assert pinned(before).startswith("import a\nimport torch\nload(ds, ")


def test_only_the_name_is_replaced(lowered, find):
    text = "import torch as th\nload(ds)\n"
    operation = SetArgument(find(text, "load(ds)"), "n", "f('torch', x.torch, torch)")
    assert lowered(text, operation) == "import torch as th\nload(ds, n=f('torch', x.torch, th))\n"
    quoted = SetArgument(find("load(ds)\n", "load(ds)"), "n", "'torch'")
    assert lowered("load(ds)\n", quoted) == "load(ds, n='torch')\n"


def test_one_import_serves_several_operations(lowered, find):
    text = code(
        """
        import os
        d = {}
        for x in load(ds):
            y = x
        """
    )
    operations = (
        SetArgument(find(text, "load(ds)"), "pin", CUDA),
        SetKey(find(text, "{}"), "pin", CUDA),
        ReplaceExpression(find(text, "x", 1), "x.to(torch.device('cuda'))"),
        InsertFirstInLoop(find(text, text[text.index("for") :].rstrip()), "torch.cuda.init()"),
    )
    assert lowered(text, *operations) == code(
        """
        import os
        import torch
        d = {"pin": torch.cuda.is_available()}
        for x in load(ds, pin=torch.cuda.is_available()):
            torch.cuda.init()
            y = x.to(torch.device('cuda'))
        """
    )
