"""A program that tests run in a fork sees what it sees in an interpreter of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dlint.verify.run.runner import Run
from tests.verify.test_overlay import EDITED, FILES

Launch = Callable[..., Run]


@pytest.mark.parametrize("edited", [{}, {"main.py": EDITED}], ids=["plain", "edited"])
def test_a_script(launch: Launch, tmp_path: Path, edited: dict[str, str]) -> None:
    seen = []
    for fresh in (True, False):
        run = launch(FILES, "out.json", edited=edited, fresh=fresh)
        assert run.code == 0, run.stderr
        assert run.injected
        seen.append(json.loads((tmp_path / "out.json").read_text()))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("end", ["1 / 0", "raise SystemExit(3)", "import os; os._exit(4)"])
def test_how_it_ends(launch: Launch, end: str) -> None:
    files = {"main.py": "import helper\nhelper.end()\n", "helper.py": f"def end():\n    {end}\n"}
    fresh, fork = (launch(files, fresh=fresh) for fresh in (True, False))
    assert (fork.code, fork.stderr) == (fresh.code, fresh.stderr)


def test_torch_is_there_once_it_is_imported(launch: Launch) -> None:
    text = """
    import sys
    assert "torch" not in sys.modules
    import torch.utils.data
    assert sys.modules["torch.utils.data"] is torch.utils.data
    assert torch.ones(1).item() == 1
    """
    run = launch({"main.py": text}, fresh=False)
    assert run.code == 0, run.stderr
