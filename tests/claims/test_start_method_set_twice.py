"""start-method-set-twice: the method is set once, and a started process has one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

_SCRIPT = """
import multiprocessing
import torch.multiprocessing as mp

def child(*_):
    try:
        mp.set_start_method("spawn")
        print("set", flush=True)
    except RuntimeError as error:
        print(error, flush=True)

if __name__ == "__main__":
    {body}
"""
_REFUSED = "context has already been set"
_FORKED = "p = {context}.Process(target=child); p.start(); p.join()"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("child()", "set"),
        ("child(); child()", _REFUSED),
        ("multiprocessing.set_start_method('spawn'); child()", _REFUSED),
        ("mp.Queue(); child()", _REFUSED),
        ("mp.get_start_method(); child()", _REFUSED),
        ("mp.get_start_method(allow_none=True); child()", "set"),
        ("mp.get_context('spawn').Queue(); child()", "set"),
        ("mp.spawn(child, nprocs=1)", _REFUSED),
        (_FORKED.format(context="mp"), _REFUSED),
        (_FORKED.format(context="mp.get_context('fork')"), _REFUSED),
        (_FORKED.format(context="mp.get_context('spawn')"), _REFUSED),
    ],
)
def test_what_has_set_the_method(tmp_path: Path, body: str, said: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SCRIPT.format(body=body))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout.splitlines()[-1] == said, done.stderr
