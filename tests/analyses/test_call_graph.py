"""Who calls whom, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.call_graph import (
    IN_PROCESS,
    CallGraph,
    callees_of,
    callers_of,
    started_by,
)
from dlint.analyses.context import AnalysisContext
from dlint.ir.module import Scope
from dlint.library_facts.concurrency import EdgeKind
from dlint.semantics.values.values import FunctionObject

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]
CALL, THREAD, PROCESS = EdgeKind.CALL, EdgeKind.THREAD, EdgeKind.PROCESS


def _scope(context: AnalysisContext, name: str) -> Scope:
    (found,) = (
        scope
        for facts in context.modules
        for scope in facts.module.scopes
        if scope.qualified_name == name
    )
    return found


def _callees(context: AnalysisContext, name: str) -> list[str]:
    calls = _scope(context, name).calls
    return [scope.qualified_name for call in calls for scope in callees_of(context, call)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(): pass\nf()\n", ["f"]),
        ("def f(): pass\ng = f\ng()\n", ["f"]),
        ("class A:\n    def m(self): pass\nA().m()\n", ["A.m"]),
        ("class A:\n    def __init__(self): pass\nA()\n", ["A.__init__"]),
        ("class A:\n    pass\nA()\n", []),
        ("class A:\n    def __call__(self): pass\na = A()\na()\n", ["A.__call__"]),
        ("class A:\n    def forward(self): pass\na = A()\na()\n", ["A.forward"]),
        ("from mine import f\nf()\n", []),
        ("def f(): pass\ndef run(g):\n    g()\nrun(f)\n", ["run"]),
        ("import functools\ndef f(): pass\n@functools.cache\ndef g(): pass\ng()\n", ["g"]),
        ("def f(x): pass\nlist(map(f, [1]))\n", ["f"]),
        ("list(filter(lambda x: x, [1]))\n", ["<lambda>"]),
        ("from functools import reduce\ndef f(x, y): pass\nreduce(f, [1])\n", ["f"]),
        ("def f(x): pass\nprint(f, [1])\n", []),
        ("class A:\n    def __next__(self): pass\na = A()\nnext(a)\n", ["A.__next__"]),
        ("class A:\n    def __next__(self): pass\na = A()\nmine.next(a)\n", []),
        ("class A:\n    def next(self): pass\na = A()\nnext(a)\n", []),
    ],
)
def test_callees(context: MakeContext, text: str, expected: list[str]) -> None:
    assert _callees(context(text), "<module>") == expected


def test_a_function_that_is_handed_on_is_called_there(context: MakeContext) -> None:
    analysed = context("def f(): pass\ndef run(g):\n    g()\nrun(f)\n")
    assert _callees(analysed, "run") == ["f"]
    (call,) = callers_of(analysed, _scope(analysed, "f"))
    assert call.scope.name == "run"


def test_a_method_is_entered_by_next(context: MakeContext) -> None:
    text = (
        "class A:\n    def __next__(self): pass\ndef run(a):\n    next(a)\n    next(b)\nrun(A())\n"
    )
    analysed = context(text)
    (call,) = callers_of(analysed, _scope(analysed, "A.__next__"))
    assert call.scope.name == "run"
    assert call.span[0] == text.index("next(a)")


@pytest.mark.parametrize(("given", "name"), [("f", "f"), ("lambda: 1", "<lambda>")])
def test_a_function_that_is_handed_on_twice_is_called_there(
    context: MakeContext, given: str, name: str
) -> None:
    between = "def run(g):\n    go(1, g)\n    g = 1\n    run(g)\n"
    text = f"def f(): pass\ndef go(n, h):\n    h()\n{between}run({given})\n"
    analysed = context(text)
    (call,) = callers_of(analysed, _scope(analysed, name))
    assert call.scope.name == "go"


def test_callers_of_other_modules(context: MakeContext) -> None:
    analysed = context(
        {
            "work.py": "def f(): pass\n",
            "main.py": "import work\nfrom work import f as g\ndef main():\n    work.f()\ng()\n",
        }
    )
    found = callers_of(analysed, _scope(analysed, "f"))
    assert {call.scope.name for call in found} == {"<module>", "main"}


STARTS = {
    "Thread(target=f)": THREAD,
    "Thread(None, f)": THREAD,
    "threading.Timer(1.0, f)": THREAD,
    "ThreadPoolExecutor(2).submit(f, 1)": THREAD,
    "ThreadPool(2).map(f, x)": THREAD,
    "asyncio.to_thread(f)": THREAD,
    "Process(target=f, args=(1,))": PROCESS,
    "Process(args=(1,), target=partial(f, 1))": PROCESS,
    "mp.Process(target=f)": PROCESS,
    "mp.get_context('spawn').Process(target=f)": PROCESS,
    "mp.spawn(f, nprocs=2)": PROCESS,
    "mp.spawn(nprocs=2, fn=f)": PROCESS,
    "launch(f)": PROCESS,
    "start_processes(f)": PROCESS,
    "notebook_launcher(f, num_processes=2)": PROCESS,
    "Pool(2).map(f, x)": PROCESS,
    "Pool(2).apply_async(func=f)": PROCESS,
    "Pool(2, f)": PROCESS,
    "ProcessPoolExecutor(initializer=f)": PROCESS,
    "ProcessPoolExecutor().map(f, x)": PROCESS,
    "process_map(f, x)": PROCESS,
}
IMPORTS = """
import asyncio, threading
from threading import Thread
from multiprocessing import Pool, Process
from multiprocessing.pool import ThreadPool
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
import torch.multiprocessing as mp
from torch.multiprocessing import spawn as launch, start_processes
from accelerate import notebook_launcher
from tqdm.contrib.concurrent import process_map
def f(*args): pass
"""


@pytest.mark.parametrize(("start", "kind"), STARTS.items())
def test_what_runs_elsewhere(context: MakeContext, start: str, kind: EdgeKind) -> None:
    analysed = context(f"{IMPORTS}\ndef main(x):\n    {start}\n")
    (edge,) = (e for c in _scope(analysed, "main").calls for e in started_by(analysed, c))
    assert (edge.callee.name, edge.kind) == ("f", kind)
    assert edge in analysed[CallGraph].callers(edge.callee)


@pytest.mark.parametrize(
    "start", ["print(f)", "Thread(target=x)", "Thread(f)", "x.map(f)", "x.start()", "start(f)"]
)
def test_what_starts_nothing(context: MakeContext, start: str) -> None:
    analysed = context(f"{IMPORTS}\ndef start(g): pass\ndef main(x):\n    {start}\n")
    assert not [e for c in _scope(analysed, "main").calls for e in started_by(analysed, c)]


@pytest.mark.parametrize(
    ("base", "kind"), [("threading.Thread", THREAD), ("torch.multiprocessing.Process", PROCESS)]
)
def test_a_class_says_what_it_runs(context: MakeContext, base: str, kind: EdgeKind) -> None:
    analysed = context(
        "import threading, torch\n"
        f"class Worker({base}):\n    def run(self): pass\n"
        "def main():\n    worker = Worker()\n    worker.start()\n"
    )
    (edge,) = analysed[CallGraph].callers(_scope(analysed, "Worker.run"))
    assert (edge.call.name, edge.kind) == ("start", kind)


def test_callers_are_told_apart_by_where_they_run_a_function(context: MakeContext) -> None:
    analysed = context(
        "import threading, torch.multiprocessing as mp\n"
        "def f(rank=0): pass\n"
        "def main():\n    f()\n"
        "def threads():\n    threading.Thread(target=f).start()\n"
        "def ranks():\n    mp.spawn(f, args=(), nprocs=2)\n"
    )
    scope = _scope(analysed, "f")
    assert [call.scope.name for call in callers_of(analysed, scope)] == ["main", "threads", "ranks"]
    near = callers_of(analysed, scope, IN_PROCESS)
    assert [call.scope.name for call in near] == ["main", "threads"]
    (edge,) = analysed[CallGraph].edges(callers_of(analysed, scope, frozenset({PROCESS}))[0])
    assert edge.kind is PROCESS


def test_what_a_call_is_found_to_enter_later_is_told_then(context: MakeContext) -> None:
    analysed = context("def f(): pass\ndef g(): pass\nf()\n")
    (call,) = _scope(analysed, "<module>").calls
    assert list(callees_of(analysed, call)) == list(callees_of(analysed, call))
    solver = analysed.solver
    node = solver.evaluate(call.function, solver.root(call.scope))
    solver.add(node, FunctionObject(_scope(analysed, "g"), None))
    assert _callees(analysed, "<module>") == ["f", "g"]
