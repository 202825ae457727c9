"""What splits data at random, and whose global generator it draws from.

Read in torch 2.13.0 (torch/utils/data/dataset.py), NumPy 2.4 and scikit-learn 1.7.
"""

from __future__ import annotations

from typing import NamedTuple


class Splitter(NamedTuple):
    """A function that draws which samples go where."""

    library: str
    """Whose global generator it draws from, unless it is given one."""
    parameters: tuple[str, ...]
    """Those that can be given by position; none where only keywords matter."""
    generator: str
    """The parameter that takes a generator or a seed."""
    advice: str
    takes_datasets: bool = False
    """Whether what it returns can be nothing but parts of a dataset."""


_TORCH = "pass `generator=torch.Generator().manual_seed(…)`"
_NUMPY = "draw from `np.random.default_rng(…)`"
_RANDOM_SPLIT = Splitter(
    "torch", ("dataset", "lengths", "generator"), "generator", _TORCH, takes_datasets=True
)

SPLITTERS: dict[str, Splitter] = {
    "torch.utils.data.random_split": _RANDOM_SPLIT,
    "torch.utils.data.dataset.random_split": _RANDOM_SPLIT,
    "torch.randperm": Splitter("torch", ("n",), "generator", _TORCH),
    "sklearn.model_selection.train_test_split": Splitter(
        "numpy", (), "random_state", "pass `random_state=…`"
    ),
    "numpy.random.permutation": Splitter("numpy", ("x",), "", _NUMPY),
}

SHUFFLERS: dict[str, Splitter] = {
    "random.shuffle": Splitter(
        "random", ("x", "random"), "random", "shuffle with a `random.Random(…)` of its own"
    ),
    "numpy.random.shuffle": Splitter("numpy", ("x",), "", _NUMPY),
}
"""Functions that change the order of what is taken apart then."""

TABLES = Splitter("numpy", (), "seed", "pass `seed=…`")
TABLE_METHOD = "train_test_split"
"""The method of Hugging Face's data sets that splits them: without a seed, or a `generator`, it
takes one from the state of NumPy's global generator (datasets 5.2.0, arrow_dataset.py)."""

PUBLISHING = frozenset({"indices"})
"""Attributes by which a program may keep which samples a part holds."""

LOADING = frozenset({"accelerate.Accelerator().load_state"})
"""Calls that always do."""

OPTIMIZERS = "torch.optim."
"""How the paths of optimizers begin: whoever loads the state of one goes on with a training."""

RESUMING = ("ckpt_path", "resume_from_checkpoint")
"""Arguments of a Trainer, and of its `fit`, that name a checkpoint; the second before 2.0."""

COPIED = ("fork", "notebook", "spawn")
"""Words of strategies whose processes are given copies of what the first one made."""
