"""Loops that an engine runs over a function of the program, as the model sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.call_graph import callees_of, callers_of
from dlint.analyses.context import AnalysisContext
from dlint.findings.places import Place
from dlint.library_facts.frameworks import Duty
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import serves_training
from dlint.model.loops.batch_loops import BatchLoop, batch_loops
from dlint.model.loops.epochs import is_evaluation, repeating_loops
from dlint.model.loops.evaluated_epochs import is_evaluated_beside_training
from dlint.model.samplers.distributed_samplers import distributed_samplers
from dlint.model.transfers.batch_copies import copies_of_batches

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import torch
from ignite.engine import Engine, Events
from torch.utils.data import DataLoader, DistributedSampler

def learn(engine, batch):
    images, labels = batch
    model(images.cuda(), labels.cuda()).backward()
"""


def _text(context: AnalysisContext, place: Place) -> str:
    return context.project.text(place.path)[place.start : place.end].decode()


def _loop(context: AnalysisContext) -> BatchLoop:
    (loop,) = context[batch_loops]
    return loop


def test_a_run_is_a_loop_that_takes_the_gradients_of_its_step(context: MakeContext) -> None:
    program = context(HEAD + "Engine(learn).run(DataLoader(data))\n")
    loop = _loop(program)
    assert loop.is_of_engine
    assert loop.trains
    assert not is_evaluation(loop)
    assert _text(program, loop.place) == "Engine(learn).run(DataLoader(data))"


@pytest.mark.parametrize(
    ("function", "evaluates"),
    [
        ("def use(engine, x):\n    with torch.no_grad():\n        return model(x)", True),
        ("@torch.no_grad()\ndef use(engine, x):\n    return model(x)", True),
        ("def use(engine, x):\n    return model(x)", False),
        (
            "def use(engine, x):\n    with torch.no_grad():\n        a(x)\n    b(x).backward()",
            False,
        ),
    ],
)
def test_a_step_without_gradients_evaluates(
    context: MakeContext, function: str, evaluates: bool
) -> None:
    program = context(f"{HEAD}{function}\nEngine(use).run(DataLoader(data))\n")
    assert is_evaluation(_loop(program)) == evaluates


def test_copies_stand_in_the_step(context: MakeContext) -> None:
    program = context(HEAD + "Engine(learn).run(DataLoader(data))\n")
    (found,) = copies_of_batches(program, program[Loaders].transfers)
    places = [_text(program, found.place_of(transfer)) for transfer in found.transfers]
    assert places == ["images.cuda()", "labels.cuda()"]
    assert found.loops == [_loop(program)]


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ("max_epochs=9", ["Engine(learn).run(DataLoader(data), max_epochs=9)"]),
        ("max_epochs=n", ["Engine(learn).run(DataLoader(data), max_epochs=n)"]),
        ("max_epochs=1", []),
        ("max_epochs=9, epoch_length=2", []),
    ],
)
def test_epochs_of_a_run(context: MakeContext, given: str, places: list[str]) -> None:
    program = context(f"{HEAD}Engine(learn).run(DataLoader(data), {given})\n")
    (loaders,) = program[Loaders].by_call().values()
    epochs = [epoch for loader in loaders for epoch in repeating_loops(loader)]
    assert [_text(program, epoch.place) for epoch in epochs] == places


def test_a_handler_evaluates_in_each_epoch(context: MakeContext) -> None:
    program = context(
        HEAD
        + """
def main(data, other, look):
    trainer, second = Engine(learn), Engine(look)
    val = DataLoader(other)
    @trainer.on(Events.EPOCH_COMPLETED)
    def handle(engine):
        second.run(val)
    trainer.run(DataLoader(data), max_epochs=10)
"""
    )
    every = [loader for group in program[Loaders].by_call().values() for loader in group]
    (loader,) = [one for one in every if _text(program, one.place) == "DataLoader(other)"]
    (epoch,) = repeating_loops(loader)
    assert _text(program, epoch.place) == "trainer.run(DataLoader(data), max_epochs=10)"
    assert [scope.name for scope in epoch.inside] == ["handle"]
    assert is_evaluated_beside_training(epoch)


def test_who_runs_an_engine_calls_its_step(context: MakeContext) -> None:
    program = context(HEAD + "Engine(learn).run(DataLoader(data))\n")
    (facts,) = program.modules
    (run,) = facts.calls["run"]
    (step,) = callees_of(program, run)
    assert step.name == "learn"
    assert [_text(program, program.place_of(c)) for c in callers_of(program, step)] == [
        "Engine(learn).run(DataLoader(data))"
    ]


def test_a_sampler_given_to_the_handlers_of_ignite_is_handled(context: MakeContext) -> None:
    program = context(
        HEAD
        + """
from ignite.contrib.engines import common
def main(data):
    sampler = DistributedSampler(data)
    trainer = Engine(learn)
    common.setup_common_training_handlers(trainer, train_sampler=sampler)
    trainer.run(DataLoader(data, sampler=sampler), max_epochs=10)
"""
    )
    (sampler,) = program[distributed_samplers]
    assert sampler.epochs
    assert sampler.is_handled


@pytest.mark.parametrize(
    ("step", "serves"),
    [
        ("learn", True),
        ("look", False),
        ("unknown", True),
        ("learn if flag else look", True),
    ],
)
def test_what_learns_is_seen_where_the_step_is_known(
    context: MakeContext, step: str, serves: bool
) -> None:
    program = context(
        HEAD
        + f"""
@torch.no_grad()
def look(engine, batch):
    return model(batch)
Engine({step}).run(DataLoader(data))
"""
    )
    (loaders,) = program[Loaders].by_call().values()
    assert [serves_training(loader) for loader in loaders] == [serves]


MADE = """
from ignite.engine import create_supervised_evaluator, create_supervised_trainer
{made}.run(DataLoader(data), max_epochs=n)
"""


@pytest.mark.parametrize(
    ("made", "moves", "trains"),
    [
        ('create_supervised_trainer(model, optimizer, loss, device="cuda")', True, True),
        ("create_supervised_trainer(model, optimizer, loss, device)", True, True),
        ("create_supervised_trainer(model, optimizer, loss)", False, True),
        ("create_supervised_trainer(model, optimizer, loss, device, True, prepare)", False, True),
        ("create_supervised_evaluator(model, metrics, device)", True, False),
        ("create_supervised_evaluator(model, metrics)", False, False),
        ("Engine(learn)", False, True),
    ],
)
def test_engines_with_a_step_of_their_own(
    context: MakeContext, made: str, moves: bool, trains: bool
) -> None:
    program = context(HEAD + MADE.format(made=made))
    loop = _loop(program)
    (loader,) = loop.loaders
    moving = program[Consumption].takes_over(loader, Duty.MOVES_BATCH)
    assert ((moving is not None), loop.trains, is_evaluation(loop)) == (moves, trains, not trains)
    assert loop.uses_batches
