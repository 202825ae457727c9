"""Full names of what a text speaks of, with its imports put back."""

from __future__ import annotations

import pytest

from dlint.workspace.written_names import full_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import numpy\nnumpy.random.seed(0)", {"numpy.random.seed()"}),
        ("import numpy as n\nn.random.seed(0)", {"numpy.random.seed()"}),
        ("import numpy.random as r\nr.seed(0)", {"numpy.random.seed()"}),
        ("from numpy import random\nrandom.seed(0)", {"numpy.random.seed()"}),
        ("from torch import manual_seed as fix\nfix(0)", {"torch.manual_seed()"}),
        ("def f():\n    from torch import manual_seed as fix\n    fix(0)", {"torch.manual_seed()"}),
        ("import torch\nf = torch.manual_seed", {"torch.manual_seed"}),
        ("import torch\ntorch.Generator().manual_seed(0)", {"?.manual_seed()"}),
        ("from . import tools\ntools.seed(0)", {".tools.seed()"}),
        ("from ..tools import fix_seed\nfix_seed(0)", {"..tools.fix_seed()"}),
        ("set_SEED(0)", {"set_SEED()"}),
        ("self.rng.seed(0)", {"?.seed()"}),
        ("import a as x\nimport b as x\nx.seed()", {"a.seed()", "b.seed()"}),
        ("import torch\nx = seed + torch.rand(3)", set()),
        ("from torch import manual_seed", set()),
        ("# seed()", {"seed()"}),
        ("x = 1 # seed()", set()),
        ("def seed(x): ...\nseed(0)", set()),
        ("class A:\n    def seed(self):\n        self.seed()\n        self.b.seed()", {"?.seed()"}),
        ("print 'seed'", {"seed()"}),
        ("print 'other'", set()),
    ],
)
def test_full_names(text: str, names: set[str]) -> None:
    assert full_names(text.encode(), ["seed"]) == names
