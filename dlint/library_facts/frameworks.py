"""What training frameworks take off a program's hands, as one table (RULES 0.3).

Read in the sources of Lightning 2.6, Accelerate 1.15, transformers 5.23, MMEngine 0.10, mmcv 1.7,
Ignite 0.5, Composer 0.32 and DeepSpeed 0.19.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from dlint.findings.regexes import lazily
from dlint.library_facts.engines import GENERAL, IGNITE, SUPERVISED


class Duty(Enum):
    """Something that a training program owes its loader."""

    MOVES_BATCH = "copies the batch to the device"
    SETS_EPOCH = "calls set_epoch on the sampler"
    PINS = "sets pin_memory"
    ADDS_SAMPLER = "adds a distributed sampler"
    SPLITS_ANY = "splits what any sampler draws among the ranks, a distributed one too"
    SPLITS_STREAMS = "splits what an iterable dataset yields among the ranks"


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework: the duties it takes over and how a loader comes to it."""

    name: str
    duties: frozenset[Duty]
    wraps: frozenset[str] = frozenset()
    """Methods of its objects that take loaders and return them wrapped."""
    consumes: frozenset[str] = frozenset()
    """Methods of its objects (or its callables) that take loaders and run the loop themselves."""
    objects: frozenset[str] = frozenset()
    """Paths of the classes whose methods these are."""
    callables: frozenset[str] = frozenset()
    """Paths of library functions and classes that take loaders and run the loop themselves."""
    hooks: frozenset[str] = frozenset()
    """Methods that a user's class overrides to return loaders."""
    bases: frozenset[str] = frozenset()
    """Base classes on which these hooks are called."""
    steps: frozenset[str] = frozenset()
    """Methods that a user's class overrides, which run for each step and return its loss."""
    asks_loss: bool = False
    """Whether its loop asks at each step if the loss is finite, and waits for it."""
    epochs: str | None = None
    """The keyword of `consumes` that says how often the loader is run."""
    runs_epochs: bool = False
    """Whether its loop begins the loader that it trains on anew in each epoch, and is made for
    several: a config file says how many."""


_LIGHTNING_HOOKS = frozenset(
    {"train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader"}
)
_MOVES = Duty.MOVES_BATCH
_EPOCH = Duty.SETS_EPOCH
_PINS = Duty.PINS
_SAMPLER = Duty.ADDS_SAMPLER


REGISTERING = frozenset({"setup_common_training_handlers"})
"""Helpers that set the epoch of a sampler they are given (ignite.contrib.engines.common)."""

LOADING: dict[str, tuple[str, int, int]] = {"deepspeed.initialize": ("training_data", 4, 2)}
"""Library functions that make a loader with a DistributedSampler of their own and never set its
epoch: the parameter that takes the data, its position, and the loader's place in the result."""


def _variants(name: str, *packages: str) -> frozenset[str]:
    return frozenset(f"{package}.{name}" for package in packages)


_PL = ("lightning", "lightning.pytorch", "pytorch_lightning", "pytorch_lightning.core")
_FABRIC = ("lightning", "lightning.fabric", "lightning_fabric", "lightning.pytorch")

_CORE = ("lightning.pytorch.core", "pytorch_lightning.core")
TRAINING_STEP = "training_step"
SHOWN = "prog_bar"
LOGGING = {"log": 2, "log_dict": 1}
"""Methods of Lightning's modules that take a value to log, each with the position of `prog_bar`
(lightning/pytorch/core/module.py): its bar reads what it shows at every step
(lightning/pytorch/callbacks/progress/tqdm_progress.py, `on_train_batch_end`)."""
STEPS = {
    f"{part}_dataloader": f"{step}_step"
    for part, step in {"train": "training", "val": "validation", "test": "test"}.items()
}
"""Methods of Lightning that give loaders, each with the one that gets their batches."""
EPOCH_ENDS = frozenset(
    {"validation_epoch_end", "test_epoch_end"} | {"on_validation_epoch_end", "on_test_epoch_end"}
)
"""Hooks of Lightning that get, or put together, what the steps of an evaluation returned
(the first two before 2.0)."""
LIGHTNING_MODULES = _variants(
    "LightningModule", *_PL, *_CORE, *(f"{core}.module" for core in _CORE)
) | _variants("LightningModule", "pytorch_lightning.core.lightning")
LIGHTNING_BASES = LIGHTNING_MODULES | (
    _variants("LightningDataModule", *_PL, *_CORE, *(f"{core}.datamodule" for core in _CORE))
)
"""`core.lightning` is what `core.module` was called before Lightning 1.8."""

KEEPS_HYPERPARAMETERS = LIGHTNING_BASES | _variants(
    "HyperparametersMixin", "lightning.pytorch.core.mixins", "pytorch_lightning.core.mixins"
)
"""Base classes whose `save_hyperparameters()` keeps the arguments of `__init__` as `self.hparams`
(lightning/pytorch/core/mixins/hparams_mixin.py)."""

_MMCV_RUNNERS = (
    _variants("EpochBasedRunner", "mmcv.runner", "mmcv.runner.epoch_based_runner")
    | _variants("IterBasedRunner", "mmcv.runner", "mmcv.runner.iter_based_runner")
    | _variants("Runner", "mmcv.runner", "mmcv.runner.epoch_based_runner")
    | _variants("build_runner", "mmcv.runner", "mmcv.runner.builder")
)
"""What makes the runners of mmcv 1, whose `run` begins each loader anew until the epochs or
iterations are done; their model copies the batches, and a hook may set the epoch
(mmcv/runner/epoch_based_runner.py, `run`; mmcv/runner/iter_based_runner.py, `IterLoader`)."""

FRAMEWORKS = (
    Framework(
        "Lightning",
        frozenset({_MOVES, _EPOCH, _SAMPLER}),
        consumes=frozenset({"fit", "validate", "test", "predict"}),
        objects=_variants(
            "Trainer", *_PL, "lightning.pytorch.trainer", "pytorch_lightning.trainer"
        ),
        hooks=_LIGHTNING_HOOKS,
        bases=LIGHTNING_BASES,
        steps=frozenset({TRAINING_STEP}),
    ),
    Framework(
        "Fabric",
        frozenset({_MOVES, _EPOCH, _SAMPLER}),
        wraps=frozenset({"setup_dataloaders"}),
        objects=_variants("Fabric", *_FABRIC),
    ),
    Framework(
        "Accelerate",
        frozenset({_MOVES, _EPOCH, _SAMPLER, Duty.SPLITS_ANY, Duty.SPLITS_STREAMS}),
        wraps=frozenset({"prepare", "prepare_data_loader"}),
        objects=_variants("Accelerator", "accelerate", "accelerate.accelerator"),
    ),
    Framework(
        "the Hugging Face Trainer",
        frozenset({_MOVES, _EPOCH, _SAMPLER, _PINS, Duty.SPLITS_STREAMS}),
        hooks=frozenset({"get_train_dataloader", "get_eval_dataloader", "get_test_dataloader"}),
        bases=_variants("Trainer", "transformers", "transformers.trainer")
        | _variants("Seq2SeqTrainer", "transformers"),
        steps=frozenset({"compute_loss"}),
        asks_loss=True,
        runs_epochs=True,
    ),
    Framework(
        "MMEngine",
        frozenset({_MOVES, _EPOCH, _SAMPLER, Duty.SPLITS_STREAMS}),
        callables=_variants("Runner", "mmengine.runner", "mmengine"),
        runs_epochs=True,
    ),
    Framework(
        "MMCV",
        frozenset(),
        consumes=frozenset({"run"}),
        objects=_MMCV_RUNNERS,
        runs_epochs=True,
    ),
    Framework(
        "Ignite",
        frozenset(),
        consumes=frozenset({IGNITE.run}),
        objects=frozenset(GENERAL),
        epochs=IGNITE.epochs,
    ),
    Framework(
        "Ignite's auto_dataloader",
        frozenset({_PINS, _SAMPLER}),
        callables=_variants("auto_dataloader", "ignite.distributed", "ignite.distributed.auto"),
    ),
    Framework(
        "Composer",
        frozenset({_MOVES, _EPOCH}),
        callables=_variants("Trainer", "composer", "composer.trainer"),
        runs_epochs=True,
    ),
    Framework(
        "fastai",
        frozenset({_MOVES, _PINS}),
        callables=_variants("DataLoaders", "fastai.data.core", "fastai.vision.all")
        | _variants("Learner", "fastai.learner", "fastai.vision.all"),
    ),
    Framework(
        "Ignite's supervised engine",
        frozenset({_MOVES}),
        consumes=frozenset({IGNITE.run}),
        objects=frozenset(SUPERVISED),
        epochs=IGNITE.epochs,
    ),
)


RUNNING_EPOCHS = FRAMEWORKS[0]
"""The framework whose trainer runs epochs over the loaders of hooks, each from a new iterator
(lightning/pytorch/loops/fit_loop.py, `advance`; its own advice on workers stands in
lightning/pytorch/trainer/connectors/data_connector.py, `_worker_check`)."""

DATA_MODULES = frozenset(base for base in RUNNING_EPOCHS.bases if base.endswith("DataModule"))
"""Classes whose objects bring the loaders that a trainer asks hooks for."""

FIRST_FOR_EVALUATION = 2
"""From this position on, what `fit(model, loader, …)` is given is evaluated."""

_EVALUATING = lazily("val|test|predict")


def is_for_training(name: str) -> bool:
    """Whether a hook, method or parameter of a framework asks for a loader to train on."""
    return _EVALUATING.search(name) is None


def by_name(name: str) -> Framework | None:
    """The framework of that name."""
    return next((framework for framework in FRAMEWORKS if framework.name == name), None)


def wrapper(path: str, method: str) -> Framework | None:
    """The framework whose object (made by the class at `path`) wraps loaders by `method`."""
    for framework in FRAMEWORKS:
        if path in framework.objects and method in framework.wraps:
            return framework
    return None


def consumer(path: str, method: str | None) -> Framework | None:
    """The framework that takes loaders by `method` of an object of `path`, or by calling `path`."""
    for framework in FRAMEWORKS:
        if method is None and path in framework.callables:
            return framework
        if method is not None and path in framework.objects and method in framework.consumes:
            return framework
    return None


def hook(bases: frozenset[str], method: str) -> Framework | None:
    """The framework that calls `method` of a class with these library bases for a loader."""
    for framework in FRAMEWORKS:
        if method in framework.hooks and bases & framework.bases:
            return framework
    return None
