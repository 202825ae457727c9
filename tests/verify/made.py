"""Runs made by hand, and a runner that gives them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dlint.verify.measure.interleaved import SLICES
from dlint.verify.measure.record import Epoch, LoaderRecord, Record, Window
from dlint.verify.measure.traces import DeviceTime
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run.memory import Memory
from dlint.verify.run.runner import Run, RunConfig, Variant

SCHEMA = Path(__file__).parent.parent.parent / "docs" / "verify.schema.json"


def loader(
    order: Sequence[Sequence[Any]] = ((0, 1), (1, 0)),
    hashes: Sequence[Sequence[str]] = (("a", "b"), ("b", "a")),
    samples: Sequence[Sequence[str]] = (("a", "b"), ("b", "a")),
    whole: bool = True,
    step: float = 0.01,
    workers: int = 0,
) -> LoaderRecord:
    """A loader of two epochs with two batches, unless said otherwise."""
    entered = tuple(step * number for number in range(60))
    epochs = tuple(
        Epoch(kind="new", start=0.0, batches=len(o), wait=0.0, end=1.0 if whole else None)
        for o in order
    )
    return LoaderRecord(
        site=("/p/train.py", 3),
        length=20,
        epochs=epochs,
        batches=len(entered),
        optimizer_steps=len(entered),
        entered=entered,
        given=entered,
        order=tuple(map(tuple, order)),
        hashes=tuple(map(tuple, hashes)),
        samples=tuple(map(tuple, samples)),
        pinned=None,
        batch_bytes=1,
        worker_pids=(),
        num_workers=workers,
    )


def run(
    step: float = 0.01,
    code: int = 0,
    strategies: Sequence[str] = (),
    asked: str | None = None,
    losses: Sequence[float] = (1.0, 0.5),
    streams: Sequence[str] = (),
    ranks: Sequence[LoaderRecord] = (),
    device: DeviceTime | None = None,
    **of_loader: Any,
) -> Run:
    """A run with one rank, or with one for each loader; on a GPU, if that did something."""
    loaders = list(ranks) or [loader(step=step, **of_loader)]
    records = [
        Record(
            why="window",
            rank=rank,
            world=len(loaders),
            pid=1,
            seconds=1.0,
            import_seconds=0.1,
            first_batch_seconds=0.2,
            optimizer_steps=60,
            hashing_seconds=0.0,
            window=Window(
                first_step=10, steps=40, seconds=40 * step, optimizer_steps=40, epochs=1, opened=0.1
            ),
            datasets=(),
            losses=tuple(losses),
            streams=tuple(streams),
            error=None,
            requested_strategy=asked,
            train=0,
            loaders=(made,),
            torch="2.13.0",
            python="3.11",
            cuda_available=device is not None,
            cuda_used=device is not None,
            cuda_version=None,
            threads=1,
            gpu=None,
        )
        for rank, made in enumerate(loaders)
    ]
    stderr = "the end" if code else ""
    devices = {} if device is None else {1: [device]}
    return Run(code, records, list(strategies), Memory(), 1.0, True, stderr, devices=devices)


def took_turns(step: float, steps: int = 10, turns: Sequence[float] = (1.0,) * SLICES) -> Run:
    """A run that took its turns, each by some factor slower."""
    made = run(step=step)
    taken = tuple((10 + 12 * n, steps, step * steps * slow) for n, slow in enumerate(turns))
    window = Window(
        first_step=10,
        steps=steps * len(taken),
        seconds=sum(seconds for _, _, seconds in taken),
        optimizer_steps=1,
        epochs=1,
        opened=0.1,
        slices=taken,
    )
    made.records[0] = made.records[0].model_copy(update={"window": window})
    return made


class FakeRunner:
    """Gives each variant the runs that a function makes for it."""

    def __init__(self, give: Callable[[str, RunConfig], Run]) -> None:
        self.program = TargetScript(Path("train.py"), given="train.py")
        self.count = 0
        self.asked: list[tuple[str, RunConfig]] = []
        self.beside: list[list[str]] = []
        """The runs that were beside each other."""
        self.layers: list[Path] = []
        self.terminal = False
        self._give = give

    def run(self, variant: Variant, setting: RunConfig) -> Run:
        """The next run."""
        self.count += 1
        self.asked.append((variant.name, setting))
        return self._give(variant.name, setting)

    def at_once(self, variants: Sequence[Variant], setting: RunConfig) -> list[Run]:
        """Runs beside each other."""
        self.beside.append([variant.name for variant in variants])
        return [self.run(variant, setting) for variant in variants]


class Both(FakeRunner):
    """Gives out duets too."""

    def __init__(
        self, give: Callable[[str, RunConfig], Run], duets: Callable[[int], Sequence[Run]]
    ) -> None:
        super().__init__(give)
        self.restarts = 0
        self.orders: list[list[str]] = []
        self.together: list[int] = []
        self._duets = duets

    def duets(self, couples: Sequence[tuple[Sequence[Variant], RunConfig]]) -> list[Sequence[Run]]:
        """The next ones; those of one call begin together."""
        self.together.append(len(couples))
        return [self.duet(variants) for variants, _ in couples]

    def duet(self, variants: Sequence[Variant]) -> Sequence[Run]:
        """The next two: without and with it, as they are asked for."""
        self.restarts += 1
        self.orders.append([variant.name for variant in variants])
        before, after = self._duets(self.restarts)
        return [before if v.name in {"before", "as it is"} else after for v in variants]


def matches_schema(document: Any) -> None:
    """Raises jsonschema.ValidationError where a document is none that the schema describes."""
    from jsonschema import Draft202012Validator

    schema = json.loads(SCHEMA.read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)


def noisy(values: Mapping[str, float]) -> Callable[[str, RunConfig], Run]:
    """Steps of these lengths by name of the variant, with noise that repeats itself."""
    counts: dict[str, int] = {}

    def give(name: str, setting: RunConfig) -> Run:
        number = counts[name] = counts.get(name, 0) + 1
        return run(step=values[name] * (1 + 0.004 * (number % 3 - 1)))

    return give
