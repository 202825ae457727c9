"""Files, functions and decorators by which tools outside a project run its code."""

from __future__ import annotations

CALLED_BY_OTHERS = frozenset(
    {"hubconf.py", "conftest.py", "noxfile.py", "fabfile.py", "tasks.py", "dodo.py", "setup.py"}
)
"""Files whose functions a tool looks up: torch.hub, pytest, nox, fabric, invoke, doit."""

ENTRIES = frozenset(
    {"main", "model_fn", "input_fn", "predict_fn", "output_fn", "transform_fn", "lambda_handler"}
)
"""Functions that are called by name: console scripts, SageMaker, AWS Lambda."""

HARMLESS_DECORATORS = frozenset(
    {"no_grad", "inference_mode", "enable_grad", "dataclass", "wraps", "lru_cache", "cache"}
)
"""Decorators that hand what they are given to nobody else."""

CACHING_DECORATORS = frozenset({"lru_cache", "cache", "cached", "cached_property", "memoize"})
"""Decorators by which a function runs once for what it is given."""

COMMAND_LIBRARIES = frozenset({"fire", "typer", "click", "defopt", "jsonargparse", "tyro"})
"""Libraries that make commands of the functions of a module."""

_MODULES = "forward train eval state_dict load_state_dict extra_repr reset_parameters"
_OTHERS = "run set_epoch worker_init_fn"
CALLED_METHODS = frozenset(f"{_MODULES} {_OTHERS}".split())
"""Methods that a library calls by their names: of modules, of threads, of data sets that know their
epoch (Hugging Face's and Lightning's trainers) or their state (torchdata's StatefulDataLoader)."""

PLAIN_BASES = frozenset(
    {
        "abc.ABC",
        "builtins.object",
        "torch.nn.Module",
        "torch.nn.modules.module.Module",
        "torch.utils.data.Dataset",
        "torch.utils.data.dataset.Dataset",
        "torch.utils.data.IterableDataset",
    }
)
"""Classes that call no other methods of what derives from them, but special ones."""

DEBUGGERS = frozenset(
    {
        "builtins.breakpoint",
        "pdb.set_trace",
        "ipdb.set_trace",
        "pudb.set_trace",
        "IPython.embed",
        "code.interact",
    }
)
"""Functions that stop a program and ask somebody what to do."""

PROGRAM_WIDE = frozenset(
    {"torch", "numpy", "random", "logging", "warnings", "os", "multiprocessing"}
)
"""Libraries with settings for a whole program, which modules that are imported set up too."""
