"""Servers that are forked: what a server imports for a second, one process has imported."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.server import editor

_FORKING = """
import os, select, signal, socket, sys
import dlint.server.features
from dlint.cli.main import main
from dlint.rules.registry import checks, load

for name in checks():
    load(name)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listener = socket.socket(fileno=int(sys.argv[1]))
while 0 not in select.select([0, listener], [], [])[0]:
    asking, _ = listener.accept()
    if not os.fork():
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        folder, streams, *_ = socket.recv_fds(asking, 4096, 3)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
        listener.close()
        os.chdir(folder)
        code = main(["server"])
        sys.stdout.flush()
        asking.send(bytes([code]))
        break
    asking.close()
"""
_ASKING = """
import os, socket, sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    socket.send_fds(server, [os.getcwdb()], [0, 1, 2])
    sys.exit((server.recv(1) or b"\\1")[0])
"""


@pytest.fixture(scope="session", autouse=True)
def _forked_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Editors of tests speak over their pipes to a fork, with the same end as a process."""
    path = str(tmp_path_factory.mktemp("servers") / "socket")
    with socket.socket(socket.AF_UNIX) as listener, pytest.MonkeyPatch.context() as patch:
        listener.bind(path)
        listener.listen()
        number = listener.fileno()
        forking = subprocess.Popen(
            [sys.executable, "-c", _FORKING, str(number)],
            stdin=subprocess.PIPE,
            pass_fds=[number],
        )
        patch.setattr(editor, "SERVER", [sys.executable, "-I", "-S", "-c", _ASKING, path])
        yield
        forking.communicate()
