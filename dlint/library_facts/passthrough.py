"""Library callables that hand their argument on: what they return denotes what they were given."""

from __future__ import annotations

import math
from collections.abc import Sequence

FIRST_ARGUMENT = frozenset(
    {
        # builtins and the standard library
        "builtins.iter",
        "builtins.list",
        "builtins.tuple",
        "builtins.sorted",
        "builtins.reversed",
        "builtins.set",
        "builtins.int",
        "builtins.float",
        "builtins.str",
        "builtins.bool",
        "builtins.vars",
        "dataclasses.asdict",
        "attr.asdict",
        "attrs.asdict",
        "copy.copy",
        "copy.deepcopy",
        "omegaconf.OmegaConf.to_container",
        "itertools.islice",
        "itertools.cycle",
        "itertools.tee",
        "itertools.takewhile",
        # progress bars
        "tqdm",
        "rich.progress.track",
        "fastprogress.progress_bar",
        "fastprogress.fastprogress.progress_bar",
        "fastprogress.master_bar",
        "alive_progress.alive_it",
        "progressbar.progressbar",
        # torch
        "torch.autograd.Variable",
        "torch.autograd.variable.Variable",
        "torch.as_tensor",
        "torch.device",
        "torch_xla.distributed.parallel_loader.MpDeviceLoader",
        "torch_xla.distributed.parallel_loader.ParallelLoader",
    }
)
"""Also every callable whose last name is one of `PROGRESS` and whose library is `tqdm`."""

_SAME_METHODS = frozenset(
    {"clone", "copy", "manual_seed", "per_device_loader", "with_epoch", "with_length"}
)
"""Methods of what a library makes whose result denotes the object.

The third is that of `torch.Generator`, the fourth torch_xla's, the last two are webdataset's.
"""

_OF_MODULES = frozenset(
    {
        *("eval", "train", "requires_grad_", "apply", "share_memory", "to", "cuda", "cpu"),
        *("float", "half", "double", "bfloat16"),
    }
)


_TENSORS = frozenset({"Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"})
"""What `torch.nn` makes that is no module: a method such as `to` makes another one of it."""


def gives_itself(path: str, method: str) -> bool:
    """Whether a method of what a library made gives the object: also `eval` or `to` of modules.

    torch's `Module.to` moves the module that it is called of, and returns it
    (torch/nn/modules/module.py); so do models of transformers, which are modules.
    """
    if method in _SAME_METHODS or (method == "repeat" and path.endswith("WebLoader")):
        return True
    is_module = path.startswith(("torch.nn.", "torchvision.models.")) or (
        path.startswith("transformers.") and path.endswith(".from_pretrained")
    )
    is_function = path.startswith(("torch.nn.functional.", "torch.nn.init.", "torch.nn.utils."))
    is_tensor = path.rpartition(".")[2] in _TENSORS
    return method in _OF_MODULES and is_module and not (is_function or is_tensor or "()" in path)


COLLECTING = frozenset({"builtins.list", "builtins.tuple", "builtins.sorted", "builtins.set"})
"""Those that go through an iterator and keep what it gives."""

COPYING = frozenset({"copy.deepcopy"})
"""Those whose result shares no memory with what they were given."""

ENTERING = frozenset(
    f"contextlib.{stack}().{method}"
    for stack in ("ExitStack", "AsyncExitStack")
    for method in ("enter_context", "enter_async_context")
)
"""Methods that enter the context manager they are given, and give what it gives."""

PROGRESS = frozenset({"tqdm", "tqdm_notebook", "trange", "tqdm_gui"})

SECOND_ARGUMENT = frozenset({"typing.cast", "builtins.filter", "itertools.dropwhile"})

ALL_ARGUMENTS = frozenset({"itertools.chain", "itertools.chain.from_iterable"})

ZIPPED = frozenset({"builtins.enumerate", "builtins.zip", "itertools.zip_longest"})

SPLITS = frozenset({"torch.utils.data.random_split", "torch.utils.data.dataset.random_split"})
"""Callables that return the parts of their first argument, as a list."""


def refuses_lengths(lengths: Sequence[int | float], size: int) -> bool:
    """Whether `random_split` raises for these lengths and data of this size (torch 2.13.0).

    Fractions come to 1 together. What is no fraction and no whole number never passes: the sum must
    be the size, and `randperm` takes no float.
    """
    total = sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        return any(not 0 <= fraction <= 1 for fraction in lengths)
    return isinstance(total, float) or total != size


DICTS = frozenset(
    {
        "builtins.dict",
        "collections.OrderedDict",
        "types.SimpleNamespace",
        "argparse.Namespace",
        "easydict.EasyDict",
        "addict.Dict",
        "attrdict.AttrDict",
        "attrdict.AttrMap",
        "bunch.Bunch",
        "bunch.bunchify",
        "dotmap.DotMap",
        "dotwiz.DotWiz",
        "lightning.fabric.utilities.data.AttributeDict",
        "lightning.pytorch.utilities.parsing.AttributeDict",
        "lightning_fabric.utilities.data.AttributeDict",
        "pytorch_lightning.utilities.parsing.AttributeDict",
        "mmengine.ConfigDict",
        "mmengine.config.ConfigDict",
        "ml_collections.ConfigDict",
        "ml_collections.FrozenConfigDict",
        "ml_collections.config_dict.ConfigDict",
        "ml_collections.config_dict.FrozenConfigDict",
        "omegaconf.DictConfig",
        "omegaconf.OmegaConf.create",
        "sklearn.utils.Bunch",
        "box.Box",
        "box.ConfigBox",
        "munch.DefaultMunch.fromDict",
        "munch.Munch",
        "munch.Munch.fromDict",
        "munch.munchify",
    }
)
"""Callables whose keywords become items (or attributes) of what they make."""


_SAME_LENGTH = frozenset(
    {
        "builtins.list",
        "builtins.tuple",
        "builtins.sorted",
        "builtins.reversed",
        "builtins.enumerate",
        "rich.progress.track",
    }
)


def keeps_length(path: str) -> bool:
    """Whether the callable at `path` gives as many elements as its first argument has."""
    root, _, rest = path.partition(".")
    if root == "tqdm":
        return rest.rpartition(".")[2] in PROGRESS or path == "tqdm"
    return path in _SAME_LENGTH


ALTERNATIVE_CONSTRUCTORS = frozenset(
    {"from_argparse_args", "from_pretrained", "load_from_checkpoint"}
)
"""Class methods that classes get from libraries, and that make an object: the arguments of its
constructor are elsewhere.

The first is that of trainers and data modules of Lightning before 2.0, the second of models of
transformers, the third of modules of Lightning.
"""
TRAINER_CONSTRUCTORS = frozenset({"from_argparse_args"})
"""Those of them that a library's own classes are asked for."""


def first_argument(path: str) -> bool:
    """Whether the callable at `path` returns, in effect, its first argument."""
    root, _, rest = path.partition(".")
    if root == "tqdm":
        return path == "tqdm" or rest.rpartition(".")[2] in PROGRESS
    return path in FIRST_ARGUMENT


READ_WHOLE = {
    **dict.fromkeys(
        (
            *(f"builtins.{name}" for name in ("max", "min", "sum", "dict")),
            *(f"builtins.{name}" for name in ("list", "tuple", "set", "frozenset", "sorted")),
            *("math.fsum", "math.prod", "numpy.fromiter"),
            *("statistics.mean", "statistics.fmean", "statistics.median", "statistics.mode"),
            *("statistics.stdev", "statistics.pstdev", "statistics.variance"),
            *("collections.Counter", "collections.deque", "collections.OrderedDict"),
            *("collections.Counter().update", "collections.deque().extend"),
        ),
        0,
    ),
    "functools.reduce": 1,
}
"""Callables that go through one of their arguments to its end first, with the place of that."""

SHORTENED: dict[str, tuple[int, str | None]] = {
    "builtins.max": (1, None),
    "builtins.min": (1, None),
    "numpy.fromiter": (2, "count"),
}
"""The argument with which some of them do not."""

ENDING = frozenset(
    {"itertools.islice", "itertools.takewhile", "itertools.tee", "builtins.reversed"}
)
"""Those that hand something on and may end before it does: `reversed` asks for its length."""
