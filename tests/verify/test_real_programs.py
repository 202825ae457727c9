"""What real programs do that no example does: they ask for a terminal, fail, have no loader."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dlint.cli import verify_run
from dlint.cli.main import main
from dlint.verify.errors import UnmeasurableError
from dlint.verify.plan.candidates import Candidate
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.report.watching import NullObserver
from dlint.verify.run import interpreter, terminal
from dlint.verify.run.causes import likely_cause
from dlint.verify.run.dry_run import DryRunner
from dlint.verify.run.interpreter import checked_interpreter
from dlint.verify.run.memory import Memory
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant
from dlint.workspace.errors import UsageError
from tests.verify.conftest import QUICK, write

PROBE = Path(verify_run.__file__).parent.parent / "verify" / "probe"
STTY = """
import os
_, columns = os.popen("stty size", "r").read().split()
with open(os.environ["SAID"], "w") as file:
    file.write(columns)
"""
ASKS = """
import os
try:
    input()
except EOFError:
    open(os.environ["SAID"], "w").write("nothing")
"""
WITHOUT_LOADER = (
    QUICK
    + """
import time
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
while True:
    model(torch.randn(4, 4)).sum().backward()
    optimizer.step()
    time.sleep(0.01)
"""
)


def _runner(folder: Path, text: str, said: Path | None = None, real: bool = False) -> Runner:
    write(folder, {"main.py": text})
    program = TargetScript(folder / "main.py", given="main.py")
    return Runner(
        program, folder, cwd=folder, terminal=real, environment={"SAID": str(said or folder / "s")}
    )


@pytest.mark.parametrize(("text", "what"), [(STTY, "80"), (ASKS, "nothing")])
def test_a_terminal_at_which_nobody_sits(tmp_path: Path, text: str, what: str) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with _runner(tmp_path, text, tmp_path / "said", real=True) as runner:
        run = runner.run(Variant("x", {}), RunConfig(limit=30))
    assert run.code == 0, run.stderr
    assert (tmp_path / "said").read_text() == what
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_script_that_asks_for_a_terminal_is_looked_at_again(tmp_path: Path) -> None:
    with _runner(tmp_path, STTY + "raise SystemExit(3)\n", tmp_path / "said") as runner:
        first = DryRunner(runner, 10, 5, NullObserver()).begin(Variant("x", {}), lambda run: None)
        assert runner.terminal
    assert first.code == 3
    assert (tmp_path / "said").read_text() == "80"


def test_only_what_asks_for_a_terminal_gets_one() -> None:
    assert terminal.is_asked_for("stty: 'standard input': Inappropriate ioctl for device\n")
    assert not terminal.is_asked_for("ValueError: not enough values to unpack\n")


@pytest.mark.slow
def test_a_training_without_a_loader_is_told_at_its_first_steps(tmp_path: Path) -> None:
    with (
        _runner(tmp_path, WITHOUT_LOADER) as runner,
        pytest.raises(UnmeasurableError, match="no DataLoader here: the script trains without"),
    ):
        DryRunner(runner, 10, 5, NullObserver()).begin(Variant("x", {}), lambda run: None)


@pytest.mark.parametrize(
    ("stderr", "cause"),
    [
        ("main.py: error: the following arguments are required: --data", "behind `--`"),
        ("ModuleNotFoundError: No module named 'timm.data'", "`timm.data` is not installed"),
        ("AssertionError: Torch not compiled with CUDA enabled", "it needs a GPU"),
        ("torch.OutOfMemoryError: CUDA out of memory.", "the memory is used up"),
        ("OSError: [Errno 30] Read-only file system: '/x'", "`--in-place` lets it write"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data/x'", "no `data/x`"),
        ("EOFError: EOF when reading a line", "where nobody answers"),
    ],
)
def test_the_likely_cause_of_a_failure(stderr: str, cause: str) -> None:
    assert cause in (likely_cause(_failed(1, stderr)) or "")


def test_causes_that_only_the_system_knows() -> None:
    assert "memory" in (likely_cause(_failed(-signal.SIGKILL, "")) or "")
    assert likely_cause(_failed(-signal.SIGSEGV, "")) == "it was ended by SIGSEGV"
    assert likely_cause(_failed(1, "ValueError: so")) is None


def _failed(code: int, stderr: str) -> Run:
    return Run(code, [], [], Memory(), 1.0, True, stderr)


def test_what_needs_a_gpu_is_said_before_any_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    for x in DataLoader(TensorDataset(torch.randn(8, 2)), 4, num_workers=2, pin_memory=True):
        x[0].to("cuda")
    """
    write(tmp_path, {"main.py": text, "pyproject.toml": "[project]\nname = 'x'\n"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verify_run, "may_have_gpu", lambda: False)
    monkeypatch.setattr(verify_run, "_measure", _not_to_be_run)
    words = ["verify", "main.py", "--select", "missing-non-blocking"]
    assert main(words) == 0
    assert "needs a GPU" in capsys.readouterr().out
    assert main([*words, "--dry-run"]) == 0
    assert "needs a GPU, and there is none: missing-non-blocking" in capsys.readouterr().out
    assert main([*words, "--gpu"]) == 2
    assert "there is no device of a kind that torch knows" in capsys.readouterr().err
    monkeypatch.setattr(verify_run, "may_have_gpu", lambda: True)
    tried: list[Candidate]
    tried, needing = verify_run._possible([])
    assert (tried, needing) == ([], [])


def _not_to_be_run(*given: object) -> None:
    raise AssertionError


@pytest.mark.parametrize("path", sorted(PROBE.rglob("*.py")), ids=lambda path: path.name)
def test_the_probe_is_of_the_oldest_syntax_and_needs_no_library(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"), feature_version=interpreter.OLDEST)
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
    }
    ours = {"torch", "numpy", "dlint_probe"}  # of others, what the program has imported itself
    assert imported <= sys.stdlib_module_names | ours


def _others() -> list[str]:
    """Other interpreters of this machine."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [*root.glob("3.9.*/bin/python"), *root.glob("3.1[0-9].*/bin/python")]
    return sorted(map(str, found))


@pytest.mark.parametrize("python", _others())
def test_another_interpreter_takes_the_probe(python: str, tmp_path: Path) -> None:
    modules = sorted(path.stem for path in (PROBE / "dlint_probe").glob("[a-z]*.py"))
    code = f"import {', '.join(f'dlint_probe.{name}' for name in modules)}; print('ok')"
    done = subprocess.run(
        [python, "-c", code],
        env={**os.environ, "PYTHONPATH": str(PROBE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "ok\n", done.stderr


def test_an_interpreter_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked_interpreter(sys.executable) == sys.executable
    link = tmp_path / "bin" / "python"
    link.parent.mkdir()
    link.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    link.chmod(0o755)
    assert checked_interpreter(str(tmp_path)) == str(link)
    assert TargetScript(Path("t.py"), python=str(link)).command()[0] == str(link)
    launched = TargetScript(Path("t.py"), launcher="python -u", python=str(link))
    assert launched.command()[:2] == [str(link), "-u"]
    for facts, why in (
        ({"python": [3, 8], "torch": "2.3"}, "it is Python 3.8, and 3.9 is needed"),
        ({"python": [3, 9], "torch": "2.1.2+cpu"}, r"it has torch 2.1.2\+cpu, and 2.2 is needed"),
        ({"python": [3, 9], "torch": None}, "it has no torch"),
    ):
        monkeypatch.setattr(interpreter, "_asked", lambda path, given, facts=facts: facts)
        with pytest.raises(UsageError, match=why):
            checked_interpreter(str(link))
    with pytest.raises(UsageError, match="there is no such interpreter"):
        checked_interpreter(str(tmp_path / "nowhere"))


def test_what_is_no_python_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="it is no Python that runs"):
        checked_interpreter("/bin/true")
