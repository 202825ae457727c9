"""What an engine calls for the batches of the loader that it is run on."""

from __future__ import annotations

import pytest

from dlint.ir import walk
from dlint.semantics.assembly import solver_of
from dlint.semantics.calls.engine_runs import EngineRuns
from dlint.semantics.calls.written_runs import WrittenRun
from tests.semantics.asked import denoted, evaluator_for, project_of

HEAD = """
from functools import partial
from ignite.engine import DeterministicEngine, Engine, Events
from torch.utils.data import DataLoader

def step(engine, batch):
    reveal(batch)
"""


@pytest.mark.parametrize(
    "program",
    [
        "Engine(step).run(DataLoader(ds))",
        "Engine(process_function=step).run(data=DataLoader(ds), max_epochs=3)",
        "DeterministicEngine(step).run(DataLoader(ds))",
        "Engine(lambda engine, batch: step(engine, batch)).run(DataLoader(ds))",
        "trainer = made(step)\ntrainer.run(DataLoader(ds))",
        "train(Engine(step), DataLoader(ds))",
        "train(made(step), loader=DataLoader(ds))",
    ],
)
def test_a_step_gets_batches_of_what_its_engine_is_run_on(program: str) -> None:
    text = f"""{HEAD}
def made(function):
    return Engine(function)
def train(trainer, loader):
    trainer.run(loader, max_epochs=2)
{program}
"""
    assert denoted(text) == [{"batch"}]


def test_methods_partials_and_nested_functions() -> None:
    text = f"""{HEAD}
class Training:
    def __init__(self, ds):
        self.engine = Engine(self.update)
        self.engine.run(DataLoader(ds))
    def update(self, engine, batch):
        reveal(batch)
def with_model(model, engine, batch):
    reveal(batch)
def make(model):
    def update(engine, batch):
        reveal(batch)
    return Engine(update)
make(1).run(DataLoader(ds))
Engine(partial(with_model, 1)).run(DataLoader(ds))
"""
    assert all("batch" in found for found in denoted(text)[1:])


def test_the_engine_and_its_run_are_in_other_modules() -> None:
    texts = {
        "trainer.py": f"{HEAD}\ndef create():\n    return Engine(step)\n",
        "loop.py": "def fit(engine, loader):\n    engine.run(loader)\n",
        "main.py": """
from loop import fit
from trainer import create
from torch.utils.data import DataLoader
fit(create(), DataLoader(ds))
""",
    }
    assert denoted(texts) == [{"batch"}]


@pytest.mark.parametrize(
    "program",
    [
        "class Engine:\n    def __init__(self, f): ...\nEngine(step).run(DataLoader(ds))",
        "Engine(step)",
        "Engine(step).run(epoch_length=10)",
        "Engine(step).run(**options)",
        "Engine(other).run(DataLoader(ds))",
        "Engine(step).state.run(DataLoader(ds))",
    ],
)
def test_what_gives_a_step_no_batches_that_are_known(program: str) -> None:
    assert denoted(f"{HEAD}\n{program}\n") == [{"?"}]


def _run(text: str) -> WrittenRun:
    solver = solver_of(project_of(HEAD + text))
    calls = [call for facts in solver.project.loaded for call in facts.calls["run"]]
    runs = [run for call in calls if (run := solver[EngineRuns].run(call)) is not None]
    assert len(runs) == 1
    return runs[0]


@pytest.mark.parametrize(
    ("given", "has_epochs"),
    [
        ("", False),
        (", max_epochs=1", False),
        (", max_epochs=None", False),
        (", max_epochs=2", True),
        (", n", True),
        (", max_epochs=n, epoch_length=100", False),
        (", max_epochs=n, max_iters=100", False),
        (", 2, 100", False),
        (", max_epochs=n, **options", True),
    ],
)
def test_epochs_are_written_out_where_a_round_is_one(given: str, has_epochs: bool) -> None:
    run = _run(f"Engine(step).run(DataLoader(ds){given})\n")
    assert (run.epochs is not None) == has_epochs


def test_loops_stand_where_the_engine_is_run() -> None:
    run = _run("for fold in range(5):\n    Engine(step).run(DataLoader(ds), max_epochs=9)\n")
    assert run.epochs is not None
    around = list(walk.enclosing_loops(run.batches))
    assert around[0] is run.epochs
    assert around[1:] == list(walk.enclosing_loops(run.call.statement))
    assert len(around) == 2


EVENTS = """
def handle(engine):
    ...
engine = Engine(step)
{attached}
engine.run(DataLoader(ds), max_epochs=9)
"""


@pytest.mark.parametrize(
    ("attached", "blocks"),
    [
        ("engine.add_event_handler(Events.EPOCH_COMPLETED, handle)", ["epoch"]),
        (
            "engine.add_event_handler(Events.EPOCH_STARTED | Events.STARTED, handle)",
            ["epoch", "run"],
        ),
        ("engine.add_event_handler(Events.ITERATION_COMPLETED, handle, 3)", ["batch"]),
        ("engine.add_event_handler(Events.COMPLETED, handle)", ["run"]),
        ("when = Events.EPOCH_COMPLETED; engine.add_event_handler(when, handle)", ["epoch"]),
        ("engine.add_event_handler(Events.EPOCH_COMPLETED(every=5), handle)", []),
        ("engine.on(Events.EPOCH_COMPLETED)(handle)", []),
        ("other.add_event_handler(Events.EPOCH_COMPLETED, handle)", []),
        ("handle(1)", []),
    ],
)
def test_handlers_are_called_where_their_events_fire(attached: str, blocks: list[str]) -> None:
    run = _run(EVENTS.format(attached=attached))
    assert run.epochs is not None
    names = {id(run.around): "run", id(run.epochs.body): "epoch", id(run.batches.body): "batch"}
    found = [
        names[id(call.statement.block)]
        for call in run.made
        if call.function.function.name == "handle"  # type: ignore[union-attr]
    ]
    assert sorted(found) == blocks


def test_a_handler_is_given_the_engine_and_what_stands_behind_it() -> None:
    text = f"""{HEAD}
def late(engine, number):
    reveal(number)
def nothing():
    reveal(2)
engine = Engine(step)
engine.add_event_handler(Events.EPOCH_COMPLETED, late, 7)
engine.add_event_handler(Events.EPOCH_COMPLETED, nothing)
@engine.on(Events.EPOCH_STARTED)
def early(trainer):
    reveal(trainer)
engine.run(DataLoader(ds))
"""
    assert denoted(text) == [{"batch"}, {"7"}, {"2"}, {"ignite.engine.Engine()"}]


def test_what_starts_an_epoch_stands_before_its_batches() -> None:
    run = _run(
        "engine = Engine(step)\n"
        "engine.add_event_handler(Events.EPOCH_COMPLETED, print_it)\n"
        "def handle(engine): ...\n"
        "engine.add_event_handler(Events.EPOCH_STARTED, handle)\n"
        "engine.run(DataLoader(ds), max_epochs=2)\n"
    )
    assert run.epochs is not None
    assert run.epochs.body.statements[-1] is run.batches
    assert len(run.epochs.body.statements) == 2


def test_a_run_enters_the_step_and_the_handlers() -> None:
    solver = evaluator_for(
        HEAD + EVENTS.format(attached="engine.add_event_handler(Events.COMPLETED, handle)")
    ).solver
    (call,) = solver.project.loaded[0].calls["run"]
    assert sorted(scope.name for scope in solver[EngineRuns].callees(call)) == ["handle", "step"]


@pytest.mark.parametrize(
    ("made", "device", "flag"),
    [
        ("create_supervised_trainer(m, o, f, 'cuda', True, prepare)", {"'cuda'"}, {"True"}),
        ("create_supervised_evaluator(m, prepare_batch=prepare)", {"None"}, {"False"}),
        ("create_supervised_trainer(m, o, f, prepare_batch=prepare, **options)", {"?"}, {"?"}),
    ],
)
def test_what_prepares_batches_gets_them_and_where_they_go(
    made: str, device: set[str], flag: set[str]
) -> None:
    text = f"""{HEAD}
from ignite.engine import create_supervised_evaluator, create_supervised_trainer
def prepare(batch, device, non_blocking):
    reveal(batch)
    reveal(device)
    reveal(non_blocking)
def build(options):
    return {made}
build({{}}).run(DataLoader(ds))
"""
    assert denoted(text)[1:] == [{"batch"}, device, flag]
