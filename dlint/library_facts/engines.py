"""Engines: objects that call a function of the program for each batch of a loader they are run on.

Read in the source of Ignite 0.5 (ignite/engine/engine.py: `Engine.run` calls `iter(data)` anew in
each epoch, and `process_function(engine, batch)` for each batch; ignite/engine/events.py: a call of
an event filters it; ignite/engine/__init__.py: the supervised engines, whose own step moves batches
by `prepare_batch` where a device is given). What stands third in `run` differs between versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum


class Moment(Enum):
    """When an engine calls something."""

    RUN_STARTS = "before the first epoch"
    EPOCH_STARTS = "before the first batch of an epoch"
    BATCH = "for each batch"
    EPOCH_ENDS = "behind the last batch of an epoch"
    RUN_ENDS = "behind the last epoch"


class OwnStep(Enum):
    """What a library's own function does with each batch."""

    LEARNS = "takes a gradient"
    EVALUATES = "switches gradients off"


@dataclass(frozen=True, slots=True)
class Engine:
    """How an engine is made and run."""

    packages: frozenset[str]
    """The packages that it comes from."""
    constructor: tuple[str, ...]
    """The parameters of what makes it, by position."""
    step: str
    """The one that takes what is called for each batch: with the engine and the batch."""
    own_step: OwnStep | None
    """What the library does with each batch, where it has a function for that; `step` is called
    first then, with the batch and what is handed on."""
    handed: Mapping[str, bool | None]
    """The parameters whose arguments are handed on to it as keywords, with their defaults."""
    run: str
    """The method that goes over a loader."""
    running: tuple[str, ...]
    """Its parameters by position, as far as all versions agree."""
    data: str
    epochs: str
    """Its parameter for the number of epochs, of which there is one where nothing is given."""
    lengths: frozenset[str]
    """Its parameters by which an epoch is something else than a round over the loader."""
    decorator: str
    """The method that takes events, and returns what takes a handler."""
    adding: str
    """The method that takes an event, a handler, and what else that is given."""
    events: dict[str, Moment]

    @property
    def methods(self) -> frozenset[str]:
        """Its methods that have a meaning here."""
        return frozenset({self.run, self.decorator, self.adding})


IGNITE = Engine(
    frozenset({"ignite"}),
    constructor=("process_function",),
    step="process_function",
    own_step=None,
    handed={},
    run="run",
    running=("data", "max_epochs"),
    data="data",
    epochs="max_epochs",
    lengths=frozenset({"epoch_length", "max_iters"}),
    decorator="on",
    adding="add_event_handler",
    events={
        "STARTED": Moment.RUN_STARTS,
        "EPOCH_STARTED": Moment.EPOCH_STARTS,
        "GET_BATCH_STARTED": Moment.BATCH,
        "GET_BATCH_COMPLETED": Moment.BATCH,
        "ITERATION_STARTED": Moment.BATCH,
        "ITERATION_COMPLETED": Moment.BATCH,
        "EPOCH_COMPLETED": Moment.EPOCH_ENDS,
        "COMPLETED": Moment.RUN_ENDS,
    },
)

MOVING, PREPARING = "device", "prepare_batch"
"""The parameters that say where their steps move batches, and what does it in their place."""
_SUPERVISED = (MOVING, "non_blocking", PREPARING)
_BY_ITSELF = replace(IGNITE, step=PREPARING, handed={MOVING: None, "non_blocking": False})
_TRAINER = replace(
    _BY_ITSELF,
    constructor=("model", "optimizer", "loss_fn", *_SUPERVISED),
    own_step=OwnStep.LEARNS,
)
_EVALUATOR = replace(
    _BY_ITSELF,
    constructor=("model", "metrics", *_SUPERVISED),
    own_step=OwnStep.EVALUATES,
)

GENERAL: dict[str, Engine] = dict.fromkeys(
    (
        "ignite.engine.Engine",
        "ignite.engine.engine.Engine",
        "ignite.engine.DeterministicEngine",
        "ignite.engine.deterministic.DeterministicEngine",
    ),
    IGNITE,
)
"""The classes of engines that are given what to do with a batch, by their paths."""
SUPERVISED: dict[str, Engine] = {
    "ignite.engine.create_supervised_trainer": _TRAINER,
    "ignite.engine.create_supervised_evaluator": _EVALUATOR,
}
"""Functions that make engines with a step of their own."""
ENGINES = {**GENERAL, **SUPERVISED}
PACKAGES = frozenset(name for engine in ENGINES.values() for name in engine.packages)
METHODS = frozenset(name for engine in ENGINES.values() for name in engine.methods)
RUNNING = frozenset(engine.run for engine in ENGINES.values())
