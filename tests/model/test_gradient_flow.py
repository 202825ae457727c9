"""Whether a value certainly requires grad."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loops.gradient_flow import requires_grad

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = torch.rand(3, requires_grad=True)\nask(x[0].view(1) * 2)", True),
        ("x = torch.rand(3)\nx.requires_grad_()\nask(x)", True),
        ("x = torch.rand(3)\nask(x)\nx.requires_grad_()", False),
        ("x = torch.rand(3)\nif flag:\n    x.requires_grad_()\nask(x)", False),
        ("x = torch.rand(3, requires_grad=True)\nask(x.detach())", False),
        ("x = torch.rand(3, requires_grad=True)\nask(torch.stack([x, x]))", True),
        ("x = torch.rand(3, requires_grad=True)\nwith torch.no_grad():\n    ask(x * 2)", False),
        ("ask(torch.nn.Parameter(torch.zeros(3)))", True),
        ("ask(torch.nn.Parameter(torch.zeros(3), requires_grad=False))", False),
        ("net = torch.nn.Linear(1, 2)\nask(net(x))", True),
        ("net = torch.nn.ReLU()\nask(net(x))", False),
        ("net = torch.nn.Linear(1, 2)\nnet.requires_grad_(False)\nask(net(x))", False),
    ],
)
def test_tensors(context: MakeProgram, text: str, found: bool) -> None:
    analysed = context(f"import torch\n{text}\n")
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [call for scope in scopes for call in scope.calls if call.name == "ask"]
    value = call.arguments[0].value
    assert requires_grad(analysed, value, analysed.solver.root(call.scope)) is found


ROWS = """
import torch
class Rows:
    def __init__(self, n, flag):
        self.x = torch.rand(n)
        {made}
    def other(self):
        self.y = 0
        {use}
    def __getitem__(self, i):
        {before}
        return ask(self.x[i])
"""


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ({"made": "self.x.requires_grad_()"}, True),
        ({"made": "self.x.requires_grad = True"}, True),
        ({"made": "self.x.requires_grad_(False)"}, False),
        ({"made": "self.x.requires_grad_(flag)"}, False),
        ({"made": "if flag: self.x.requires_grad_()"}, False),
        ({"made": "self.z.requires_grad_()"}, False),
        ({"made": "self.x.requires_grad_(); self.x = self.x.detach()"}, False),
        (
            {"made": "self.x = torch.rand(n, requires_grad=True); self.x.requires_grad_(False)"},
            False,
        ),
        ({"made": "self.x.requires_grad_()", "use": "self.x = torch.rand(3)"}, False),
        ({"made": "self.x.requires_grad_()", "use": "self.x.requires_grad_(False)"}, False),
        ({"made": "self.x.requires_grad_()", "use": "self.x.requires_grad = False"}, False),
        ({"made": "self.x.requires_grad_()", "before": "self.x.requires_grad_(False)"}, False),
        ({"before": "self.x.requires_grad_()"}, True),
        ({"before": "self.x.requires_grad_(); self.x = torch.rand(4)"}, False),
    ],
)
def test_attributes(context: MakeProgram, parts: dict[str, str], found: bool) -> None:
    filled = {"made": "pass", "use": "pass", "before": "pass"} | parts
    analysed = context(ROWS.format_map(filled))
    (call,) = analysed.modules[0].calls["ask"]
    value = call.arguments[0].value
    assert requires_grad(analysed, value, analysed.solver.root(call.scope)) is found


def test_attributes_that_somebody_else_switches_or_writes(context: MakeProgram) -> None:
    filled = {"made": "self.x.requires_grad_()", "use": "pass", "before": "pass"}
    for more in ("rows.x.requires_grad_(False)", "rows.x = torch.rand(3)"):
        analysed = context(ROWS.format_map(filled) + f"rows = Rows(3, True)\n{more}\n")
        (call,) = analysed.modules[0].calls["ask"]
        value = call.arguments[0].value
        assert not requires_grad(analysed, value, analysed.solver.root(call.scope))
