"""What starts processes and threads (CPython 3.11, torch 2.13.0)."""

from __future__ import annotations

POOLS = {
    "multiprocessing.Pool": "a process pool",
    "multiprocessing.pool.Pool": "a process pool",
    "multiprocessing.Manager": "a manager process",
    "multiprocessing.managers.SyncManager": "a manager process",
    "torch.multiprocessing.Pool": "a process pool",
    "torch.multiprocessing.Manager": "a manager process",
    "torch.multiprocessing.spawn": "processes",
    "concurrent.futures.ProcessPoolExecutor": "a process pool",
    "concurrent.futures.process.ProcessPoolExecutor": "a process pool",
}
"""Callables that start processes, at once or at the first task."""

PROCESSES = frozenset({"multiprocessing.Process", "torch.multiprocessing.Process"})
"""Classes of processes that `start` starts."""

POOL_NAMES = frozenset(path.rpartition(".")[2] for path in (*POOLS, *PROCESSES))

CPU_COUNTS = frozenset(
    {"os.cpu_count", "multiprocessing.cpu_count", "torch.multiprocessing.cpu_count"}
)
"""Calls that count the CPUs of a machine: above 0, on every machine that workers run on."""

THREAD_SETTERS = frozenset({"torch.set_num_threads"})
"""Calls that set how many threads torch computes with; a worker begins with one."""
