"""Objects that draw random numbers, and what seeds them (torch 2.13.0, NumPy 2, CPython 3.11)."""

from __future__ import annotations

GENERATORS = {
    "numpy.random.default_rng": "a NumPy generator",
    "numpy.random.Generator": "a NumPy generator",
    "numpy.random.RandomState": "a NumPy `RandomState`",
    "numpy.random.mtrand.RandomState": "a NumPy `RandomState`",
    "random.Random": "a `random.Random`",
    "torch.Generator": "a `torch.Generator`",
}
"""What makes a generator, and what it is called; torch seeds none of these in a worker."""


RESEEDING = frozenset({"seed", "manual_seed", "setstate", "set_state", "jumped", "spawn"})
"""Methods of a generator that give it another state."""

WORKER_FACTS = frozenset({"get_worker_info", "initial_seed", "worker_info", "worker_seed"})
"""What code asks that tells workers apart."""
