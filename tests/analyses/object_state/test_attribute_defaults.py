from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.object_state.attribute_defaults import is_given, own_default
from dlint.ir import expressions as ex

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import torch
class Rows:
    def __init__(self, path, device="cpu"):
        {store}
    def use(self):
        return self.device
{more}
"""


def _asked(context: MakeProgram, store: str, more: str) -> tuple[bool, bool | None]:
    """Whether the attribute keeps its default, and whether somebody gives another."""
    analysed = context(TEXT.format(store=store, more=more))
    scopes = [s for f in analysed.modules for s in f.module.scopes if s.name == "use"]
    attribute = scopes[0].returns[0]
    assert isinstance(attribute, ex.Attribute)
    default = own_default(analysed, attribute, scopes[0])
    return default is not None, None if default is None else is_given(analysed, default)


@pytest.mark.parametrize(
    ("store", "more", "expected"),
    [
        ("self.device = device", "", (True, None)),
        ("self.device = device", "x = Rows(1)", (True, False)),
        ("self.device = device", "x = Rows(1, 'cuda')", (True, True)),
        ("self.device = device", "x = Rows(1, device='cuda')", (True, True)),
        ("self.device = device", "def f(**k):\n    return Rows(1, **k)", (True, True)),
        ("self.device = torch.device(device)", "x = Rows(1)", (True, False)),
        ("self.device = device if path else 'cpu'", "x = Rows(1)", (True, False)),
        ("self.device = device if path else 'cuda'", "", (False, None)),
        ("self.device = path.device", "", (False, None)),
        ("self.path = path", "", (False, None)),
        ("self.device = device", "x = Rows(1)\nx.device = 'cuda'", (False, None)),
        (
            "self.device = device",
            "class More(Rows):\n    def __init__(self):\n        super().__init__(1, 'cuda')",
            (True, True),
        ),
    ],
)
def test_attributes_that_keep_a_default(
    context: MakeProgram, store: str, more: str, expected: tuple[bool, bool | None]
) -> None:
    assert _asked(context, store, more) == expected
