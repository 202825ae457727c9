"""`--watch`: again on each change, until somebody interrupts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

import dlint
from dlint.cli import watching

CHECKOUT = Path(dlint.__file__).parent.parent
GOOD = "import torch\n"
BAD = (
    "from torch.utils.data import DataLoader, RandomSampler\n"
    "loader = DataLoader([1], shuffle=True, sampler=RandomSampler([1]))\n"
)


@contextmanager
def watched(folder: Path, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """A run that watches a folder; it is interrupted at the end."""
    command = [sys.executable, "-m", "dlint", "check", "--watch", "--output-format=concise", *flags]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, cwd=folder, env=environment
    )
    try:
        yield process
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.communicate()


def _until(stream: IO[str] | None, text: str) -> None:
    assert stream is not None
    assert any(text in line for line in stream), f"{text!r} was never written"


@pytest.mark.skipif(sys.platform == "win32", reason="another signal interrupts there")
@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN, reason="a job in the background ignores it"
)
def test_each_change_is_checked_and_an_interrupt_ends_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    script = tmp_path / "train.py"
    script.write_text(GOOD)
    with watched(tmp_path) as process:
        _until(process.stdout, "All checks passed!")
        script.write_text(BAD)
        _until(process.stdout, "Found 1 finding")
        (tmp_path / "dlint.toml").write_text('ignore = ["no-such-rule"]\n')
        _until(process.stderr, "unknown rule `no-such-rule`")
        (tmp_path / "dlint.toml").write_text('ignore = ["shuffle-with-sampler"]\n')
        _until(process.stdout, "All checks passed!")


def test_only_what_is_read_matters() -> None:
    def matters(path: str) -> bool:
        change: Any = None
        return watching._matters(change, path)

    for path in ("/p/a.py", "/p/b.yaml", "/p/.gitignore", "/p/dlint.toml", "/p/n.ipynb"):
        assert matters(path)
    for path in ("/p/.dlint_cache/a.json", "/p/.git/x.py", "/p/data.npy", "/p/__pycache__/a.py"):
        assert not matters(path)


def test_without_watchfiles_it_says_what_to_install(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    result = run("check", "--watch")
    assert result.code == 2
    assert "pip install 'dataloader-lint[watch]'" in result.err


@pytest.mark.parametrize(
    ("flags", "other"),
    [(["--diff"], "--diff"), (["--add-ignore"], "--add-ignore"), (["-"], "standard input")],
)
def test_what_does_not_go_with_it(run: Any, flags: list[str], other: str) -> None:
    result = run("check", "--watch", *flags, stdin="")
    assert result.code == 2
    assert other in result.err
