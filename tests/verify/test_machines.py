"""Ranks on several machines: two agents of torchrun on loopback, one of which sees no file of the
first machine's."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from dlint.cli.main import main
from dlint.verify.judge.failures import exception_of
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.probe.dlint_probe import boot, distant
from dlint.verify.run.machines import span
from dlint.verify.run.runner import Run, RunConfig, Runner, Variant
from tests.verify.conftest import COMMON, write

PROBE = Path(distant.__file__).parent.parent
AGENTS = """
    import os, subprocess, sys
    port, script, *rest = sys.argv[3:]
    agents = []
    for node in (0, 1):
        environment = dict(os.environ)
        if node:  # that machine has other files
            environment.update(DLINT_PROBE="/nowhere/probe.json", TMPDIR=os.environ["ELSEWHERE"])
        agents.append(subprocess.Popen(
            [sys.executable, "-m", "torch.distributed.run", "--nnodes=2", f"--node-rank={node}",
             "--nproc-per-node=1", "--master-addr=127.0.0.1", f"--master-port={port}",
             script, *rest], env=environment))
    sys.exit(max(agent.wait() for agent in agents))
"""
RANKS = """
    import os, signal, sys
    import torch._dynamo
    from common import *
    import torch.distributed as dist

    if __name__ == "__main__":
        dist.init_process_group("gloo")
        rank = dist.get_rank()
        model, optimizer = make()
        loader = DataLoader(Rows(160), 8, num_workers=1)
        for epoch in range(100):
            for number, (x, y) in enumerate(loader):
                step(model, optimizer, x, y)
                if sys.argv[1:] == ["die"] and rank == 1 and number == 6:
                    os.kill(os.getpid(), signal.SIGKILL)
                dist.all_reduce(torch.ones(1))
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The temporary files of the other machine; a short path, for workers make sockets there."""
    with tempfile.TemporaryDirectory(prefix="m") as folder:
        monkeypatch.setenv("ELSEWHERE", folder)
        yield Path(folder)


def ran(folder: Path, *arguments: str, edited: str | None = None) -> Run:
    """What comes of two machines with a rank each."""
    write(folder, {"common.py": COMMON, "main.py": RANKS, "agents.py": AGENTS})
    launcher = f"{sys.executable} agents.py --nnodes 2 {free_port()} {{script}} {{args}}"
    texts = {}
    if edited is not None:
        texts = {str((folder / "main.py").resolve()): dedent(edited).encode()}
    script = folder / "main.py"
    program = TargetScript(script, None, arguments, launcher, given="main.py")
    runner = Runner(program, folder, cwd=folder, startup_limit=120)
    runner.address = "127.0.0.1"
    with runner:
        return runner.run(Variant("x", texts), RunConfig(warmup=4, steps=20, limit=90))


@pytest.mark.parametrize(
    ("launcher", "expected"),
    [
        ("torchrun --nnodes 2 --node-rank 0", True),
        ("torchrun --nnodes=1:4", True),
        ("torchrun --nnodes 1 --nproc-per-node 2", False),
        ("torchrun --standalone --nproc-per-node 2", False),
        ("srun -N 2 python {script}", True),
        ("accelerate launch --num_machines 2", True),
        ("accelerate launch --num_processes 2", False),
        ("deepspeed --hostfile hosts", True),
        ("deepspeed --num_gpus 2", False),
        ("mpirun -H one,two", True),
        ("bash -c 'ssh other torchrun {script} & torchrun {script}'", True),
        (None, False),
    ],
)
def test_which_launchers_may_reach_other_machines(launcher: str | None, expected: bool) -> None:
    assert span(launcher) is expected


def test_a_configuration_is_taken_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distant.tempfile, "gettempdir", lambda: str(tmp_path))
    config = {
        "out": "/first/out",
        "warmup": 3,
        "redirect": {"changes": "x"},
        "post": {"host": "h", "port": 1, "token": "t" * 32, "run": 7},
    }
    word = distant.packed(config, {"/p/a.py": "x = 1\n", "/p/b.py": "y = 'ü'\r\n"})
    monkeypatch.setenv(distant.VARIABLE, word)
    found = boot._read("/nowhere/probe.json")
    assert (found["warmup"], found["distant"], found["redirect"]) == (3, True, None)
    assert Path(found["out"]).parent == tmp_path
    texts = {path: Path(copy).read_bytes() for path, copy in found["edited"].items()}
    assert texts == {"/p/a.py": b"x = 1\n", "/p/b.py": "y = 'ü'\r\n".encode()}
    assert boot._read("/nowhere/probe.json")["out"] == found["out"], "one folder a machine"
    monkeypatch.delenv(distant.VARIABLE)
    with pytest.raises(FileNotFoundError):
        boot._read("/nowhere/probe.json")


def test_other_machines_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text("print()\n")
    monkeypatch.chdir(tmp_path)
    launcher = f"{sys.executable} agents.py --nnodes 2"
    assert main(["doctor", "train.py", "--launcher", launcher]) == 2
    assert "`--in-place` runs it all the same" in capsys.readouterr().err


@pytest.mark.slow
def test_the_records_of_two_machines_come_together(tmp_path: Path, elsewhere: Path) -> None:
    run = ran(tmp_path, edited=RANKS.replace("Rows(160)", "Rows(320)"))
    assert run.code == 0, run.stderr
    assert [record.rank for record in run.records] == [0, 1]
    assert all(record.window is not None for record in run.records)
    assert run.lost == ()
    lengths = [record.training.length for record in run.records if record.training]
    assert lengths == [40, 40], "the edited text was served on both"
    assert len({record.pid for record in run.records}) == 2
    assert not list(elsewhere.rglob("record.*")), "what was sent is not left there"


@pytest.mark.slow
@pytest.mark.usefixtures("elsewhere")
def test_a_rank_that_is_killed_is_told_and_not_waited_for(tmp_path: Path) -> None:
    began = time.monotonic()
    run = ran(tmp_path, "die")
    assert run.failed
    assert len(run.lost) == 1 or "rank 1" in str(run.over)
    assert f"rank 1 on {socket.gethostname()}" in exception_of(run)
    assert 0 in [record.rank for record in run.records], "what the other one saw is kept"
    assert time.monotonic() - began < 90, "the limit of the run"


STUCK = """
    import ctypes, os, sys, types
    sys.path.insert(0, sys.argv[1])
    from dlint_probe import post

    def end(state):
        open(sys.argv[2] + "/ended", "w").close()

    post.listen_to_termination(types.SimpleNamespace(), end)
    {more}
    library, mutex = ctypes.CDLL(None), (ctypes.c_char * 128)()
    library.pthread_mutex_lock(mutex)
    open(sys.argv[2] + "/stuck", "w").close()
    {last}
"""
NEVER = "library.pthread_mutex_lock(mutex)"
OWN = "import signal; signal.signal(signal.SIGTERM, lambda *_: os._exit(7))"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize(
    ("more", "last", "code", "written"),
    [
        ("", NEVER, 143, True),
        ("", "import time; time.sleep(60)", 143, True),
        (OWN, "import time; time.sleep(60)", 7, False),
    ],
    ids=["deep in a library", "in Python", "with a handler of its own"],
)
def test_a_rank_that_is_told_to_end_says_what_it_saw(
    tmp_path: Path, more: str, last: str, code: int, written: bool
) -> None:
    script = dedent(STUCK).format(more=more, last=last)
    command = [sys.executable, "-c", script, str(PROBE), str(tmp_path)]
    process = subprocess.Popen(command)
    end = time.monotonic() + 60
    while not (tmp_path / "stuck").exists() and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.2)
    process.terminate()
    try:
        assert process.wait(30) == code
    finally:
        process.kill()
    assert (tmp_path / "ended").exists() is written
