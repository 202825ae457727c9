"""Imports torch and waits: each that asks is given a fork, which does what a fresh interpreter
would with a script. There `import torch` brings what lies ready, and hooks are told of it as ever.
"""

# ruff: noqa: PTH100, PTH120, SIM115
# (what Python itself does is done with the same words)
from __future__ import annotations

import gc
import importlib.abc
import json
import multiprocessing.process
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import tempfile
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType, TracebackType
from typing import Any

import numpy
import torch._prims.rng_prims  # noqa: F401  (an import of torch, and what makes generators)

from dlint.verify.run.view import enter

READY = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "torch"}
waiting: dict[int, socket.socket] = {}


class Ready(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Brings torch with all of its modules."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        """Only torch itself is ever looked for."""
        return ModuleSpec(name, self, is_package=True) if name == "torch" else None

    def exec_module(self, module: ModuleType) -> None:
        """Whoever imports a module takes what then lies in `sys.modules`."""
        sys.modules.update(READY)


def ended(*_: object) -> None:
    """Tell of forks that have.

    One may end while another is told of: then this is called within itself, and the one inside
    finds a fork waiting that the one outside has asked for.
    """
    while waiting:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        with waiting.pop(pid) as asking:
            asking.send(b"%d\n" % os.waitstatus_to_exitcode(status))


def asked(listener: socket.socket) -> dict[str, Any]:
    """What a fork is to do; the server itself only comes back when nobody asks any more."""
    while 0 not in select.select([0, listener], [], [])[0]:
        asking, _ = listener.accept()
        _, streams, *_ = socket.recv_fds(asking, 1, 3)
        with asking.makefile() as text:
            found: dict[str, Any] = json.loads(text.readline())
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if not pid:
            listener.close()
            asking.close()
            return {**found, "streams": streams}
        waiting[pid] = asking
        asking.send(b"%d\n" % pid)
        for stream in streams:
            os.close(stream)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    sys.exit()


def become(cwd: str, streams: list[int], environment: dict[str, str]) -> None:
    """A process of its own session, with its own streams and environment."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    for asking in waiting.values():
        asking.close()
    waiting.clear()
    os.setsid()
    os.chdir(cwd)
    multiprocessing.process.ORIGINAL_DIR = cwd  # type: ignore[attr-defined]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)
    sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    tempfile.tempdir = None
    numpy.random.seed()


class Becomes(BaseException):
    """A process asks to become another command."""


def entered(words: list[str]) -> list[str]:
    """The command itself, where it is to run inside of a view of the disk, which is entered."""
    if words[1:4] != ["-I", "-S", "-c"]:
        return words

    def become(program: str, command: list[str]) -> None:
        raise Becomes(command)

    execute, os.execvp = os.execvp, become  # type: ignore[assignment]
    try:
        sys.exit(enter.main(words[5:]))
    except Becomes as asked:
        (command,) = asked.args
        return command
    finally:
        os.execvp = execute


def begin(words: list[str]) -> None:
    """What comes before the first line of a script."""
    for name in [*sys.modules]:
        if name.partition(".")[0] in {"torch", "dlint"}:
            del sys.modules[name]
    sys.meta_path.insert(0, Ready())
    del sys.path[0]
    sys.path[:0] = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.argv = words[1:] if words[1] != "-m" else ["-m", *words[3:]]
    sys.modules.pop("sitecustomize", None)
    importlib.import_module("sitecustomize")


def run(words: list[str], cwd: str) -> None:
    """A module, or a script, of which path hooks are asked first."""
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    if words[1] == "-m":
        sys.path.insert(0, cwd)
        runpy._run_module_as_main(words[2])  # type: ignore[attr-defined]
        return
    path = os.path.abspath(words[1])
    if pkgutil.get_importer(path) is not None:
        sys.path.insert(0, path)
        runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]
        return
    sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    loader = SourceFileLoader("__main__", path)
    main.__dict__.update(__file__=path, __cached__=None, __loader__=loader)
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    exec(code, main.__dict__)


def told(error: BaseException) -> None:
    """What an interpreter says of it, without the frames of this file."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in {__file__, runpy.__file__}:
        trace = trace.tb_next
    error.with_traceback(trace)
    sys.excepthook(type(error), error, trace)


if __name__ == "__main__":
    gc.freeze()
    signal.signal(signal.SIGCHLD, ended)
    asked_for = asked(socket.socket(fileno=int(sys.argv[1])))
    become(asked_for["cwd"], asked_for["streams"], asked_for["environment"])
    try:
        words = entered(asked_for["words"])
        begin(words)
        run(words, asked_for["cwd"])
    except SystemExit:
        raise
    except BaseException as error:
        told(error)
        sys.exit(1)
