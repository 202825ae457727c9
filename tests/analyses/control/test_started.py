"""Which modules are scripts."""

from __future__ import annotations

import pytest

from dlint.analyses.control.started import is_started
from tests.analyses.control.programs import MakeProgram

TEXT = """
import torch
from torch import cuda
from work import run

def main(x=None):
{body}

{start}
"""


@pytest.mark.parametrize(
    ("body", "start", "started"),
    [
        ("run()", "main()", True),
        ("print(1)", "main()", True),
        ("run()", "", False),
        ("torch.manual_seed(0)", "main()", False),
        ("if cuda.is_available():\n    torch.set_default_device('cuda')", "main()", False),
        ("where = 'cuda'\ntorch.set_default_device(where)", "main()", False),
        ("where = run()\ntorch.set_default_device(where)", "main()", True),
        ("torch.multiprocessing.spawn(main)", "main()", True),
        ("for x in x:\n    torch.manual_seed(0)", "main()", True),
        ("torch.manual_seed(0)", "if __name__ == '__main__':\n    main()", True),
        ("pass", "main()", True),
    ],
)
def test_what_a_script_does(context: MakeProgram, body: str, start: str, started: bool) -> None:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    (facts,) = context(TEXT.format(body=lines, start=start)).modules
    assert is_started(facts.module) is started
