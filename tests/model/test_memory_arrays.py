"""Whether a value certainly is an array in memory, however it was worked on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.data.memory_arrays import lies_in_memory

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask(np.zeros(3))", True),
        ("x = np.load(path)\nask((x - x.mean()) / x.std())", True),
        ("x = np.load(path, mmap_mode='r')\nask(x)", False),
        ("x = np.load(path, mmap_mode='r')\nask(x[:10])", False),
        ("ask(pd.read_csv(path)['a'].values.astype('float32'))", True),
        ("x = torch.empty(0, 3)\nfor y in unknown:\n    x = torch.vstack((x, y))\nask(x)", True),
        ("x = torch.rand(3)\nfor y in unknown:\n    x = y\nask(x)", False),
        ("x = torch.rand(3, 4)\nask(x[rows].view(-1).to(device))", True),
        ("x = torch.rand(3, 4)\nask(x.tolist())", False),
        ("x = torch.rand(3)\nask(x if flag else unknown)", False),
        ("ask(2 * unknown - 1)", False),
        ("ask(unknown.reshape(3))", False),
        ("def load():\n    x = np.ones(3)\n    return 2 * x, path\na, b = load()\nask(a)", True),
        ("def load():\n    x = np.ones(3)\n    return 2 * x, path\na, b = load()\nask(b)", False),
        ("for x in DataLoader(data):\n    ask(x.squeeze())", True),
    ],
)
def test_values(context: MakeProgram, text: str, found: bool) -> None:
    imports = "import numpy as np, pandas as pd, torch\nfrom torch.utils.data import DataLoader\n"
    analysed = context(f"{imports}{text}\n")
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    value = call.arguments[0].value
    assert lies_in_memory(analysed, value, analysed.solver.root(call.scope)) is found
