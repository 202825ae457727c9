"""start-method-set-twice: the method is set once, and a started process has one."""

from __future__ import annotations

import os

import pytest

from tests.claims.conftest import Run

pytest.importorskip("torch")

_SCRIPT = """
import multiprocessing
import os
import sys
import torch.multiprocessing as mp

def child(*_):
    try:
        mp.set_start_method("spawn")
        print("set", flush=True)
    except RuntimeError as error:
        print(error, flush=True)

if __name__ == "__main__":
    for body in sys.argv[1:]:
        print("body", body, flush=True)
        fresh = os.fork()
        if not fresh:
            exec(body)
            os._exit(0)
        os.waitpid(fresh, 0)
"""
_SET, _REFUSED = "set", "context has already been set"
_FORKED = "p = {context}.Process(target=child); p.start(); p.join()"
_SAID = {
    "child()": _SET,
    "child(); child()": _REFUSED,
    "multiprocessing.set_start_method('spawn'); child()": _REFUSED,
    "mp.Queue(); child()": _REFUSED,
    "mp.get_start_method(); child()": _REFUSED,
    "mp.get_start_method(allow_none=True); child()": _SET,
    "mp.get_context('spawn').Queue(); child()": _SET,
    "mp.spawn(child, nprocs=1)": _REFUSED,
    _FORKED.format(context="mp"): _REFUSED,
    _FORKED.format(context="mp.get_context('fork')"): _REFUSED,
    _FORKED.format(context="mp.get_context('spawn')"): _REFUSED,
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_what_has_set_the_method(fresh: Run) -> None:
    """Each body runs in a process in which nothing is set yet."""
    done = fresh(_SCRIPT, *_SAID)
    said: dict[str, str] = {}
    for line in done.out.splitlines():
        if line.startswith("body "):
            body = line.removeprefix("body ")
        else:
            said[body] = line
    assert said == _SAID, done.err
