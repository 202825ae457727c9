"""Parameters of library callables that can be given by position, by the callable's path.

Those of loaders, samplers and of what starts threads and processes stand with their other facts.
Read in torch 2.13.0 and CPython 3.11.
"""

from __future__ import annotations

from functools import cache

from dlint.library_facts import concurrency, loaders, passthrough, samplers, tensors

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "builtins.next": ("iterator", "default"),
    "builtins.iter": ("object", "sentinel"),
    "builtins.len": ("obj",),
    "builtins.enumerate": ("iterable", "start"),
    "builtins.getattr": ("object", "name", "default"),
    "itertools.cycle": ("iterable",),
    "multiprocessing.get_context": ("method",),
    "torch.multiprocessing.get_context": ("method",),
    **dict.fromkeys(
        ("multiprocessing.set_start_method", "torch.multiprocessing.set_start_method"),
        ("method", "force"),
    ),
    **dict.fromkeys(
        (
            "torch.multiprocessing.set_sharing_strategy",
            "torch.multiprocessing.reductions.set_sharing_strategy",
        ),
        ("new_strategy",),
    ),
    "torch.manual_seed": ("seed",),
    "torch.set_num_threads": ("int",),
    "torch.use_deterministic_algorithms": ("mode",),
    **dict.fromkeys(passthrough.SPLITS, ("dataset", "lengths", "generator")),
}
"""Functions, as far as it matters what they are given."""


@cache
def parameters_of(path: str) -> tuple[str, ...] | None:
    """The parameters of a callable; None where they are not known."""
    starter = concurrency.STARTERS.get(path)
    if starter is not None:
        return starter.parameters
    tables = (
        FUNCTIONS,
        tensors.MOVERS,
        loaders.SIGNATURES,
        samplers.DISTRIBUTED,
        samplers.OVER_DATASET,
        samplers.SUBSETS,
        samplers.WEIGHTED,
    )
    return next((table[path] for table in tables if path in table), None)
