"""Objects that workers use, and that a program changes between epochs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.data.dataset_changes import changes_dataset
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.epochs import beyond, repeating_loops
from dlint.model.workers.held_changes import changes_held_objects

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
from functools import partial
from torch.utils.data import DataLoader, Dataset
from torchvision.datasets import ImageFolder

class Mixing:
    def __init__(self):
        self.calls = 0
        self.set_phase(0)
    def set_phase(self, phase):
        self.phase = phase
    def count(self):
        self.calls += 1
    def decode(self, x):
        return x
    def mix(self, samples):
        return [sample * self.phase for sample in samples]
    __call__ = mix

class Rows(Dataset):
    def __init__(self, mixing):
        self.mixing = mixing
    def __getitem__(self, index):
        return self.mixing.mix([index])

def collate(mixing, samples):
    return mixing.mix(samples)

def train(data, epochs):
    mixing = Mixing()
    other = Mixing2()
    {loader}
    for stage in range(3):
        {stage}
        for epoch in range(epochs):
            {epoch}
            for x in loader:
                print(x)

class Mixing2(Mixing):
    pass

class Trainer:
    def __init__(self, data):
        self.epoch = self.step = 0
        self.loader = DataLoader(data, 8, collate_fn=self.collate)
    def collate(self, samples):
        return [sample * self.epoch for sample in samples]
    def tell(self):
        print(self.step)
    def run(self):
        for epoch in range(9):
            self.{attribute} = epoch
            for x in self.loader:
                print(x)
"""
BOUND = "loader = DataLoader(data, 8, collate_fn=partial(collate, mixing))"


@pytest.mark.parametrize(
    "loader",
    [
        BOUND,
        "loader = DataLoader(data, 8, collate_fn=partial(collate, mixing=mixing))",
        "loader = DataLoader(data, 8, collate_fn=lambda samples: mixing.mix(samples))",
        "loader = DataLoader(data, 8, collate_fn=mixing.mix)",
        "loader = DataLoader(data, 8, worker_init_fn=partial(collate, mixing))",
        "loader = DataLoader(Rows(mixing), 8)",
    ],
)
@pytest.mark.parametrize("change", ["mixing.set_phase(epoch)", "mixing.phase = epoch"])
def test_workers_hold_what_changes(context: MakeContext, loader: str, change: str) -> None:
    assert _changes(context, loader, epoch=change)


def test_a_stage_of_several_epochs_changes_it(context: MakeContext) -> None:
    assert _changes(context, BOUND, stage="mixing.set_phase(stage)")


@pytest.mark.parametrize(
    "text",
    [
        "pass",
        "mixing.decode(epoch)",
        "mixing.count()",
        "mixing.calls = 0",
        "other.set_phase(epoch)",
    ],
)
def test_what_workers_read_stays_as_it_is(context: MakeContext, text: str) -> None:
    assert not _changes(context, BOUND, epoch=text)


def test_workers_hold_nothing_of_it(context: MakeContext) -> None:
    assert not _changes(context, "loader = DataLoader(data, 8)", epoch="mixing.set_phase(epoch)")


def test_a_loader_that_each_stage_makes_sees_it(context: MakeContext) -> None:
    assert not _changes(context, "pass", stage=f"mixing.set_phase(stage); {BOUND}")


@pytest.mark.parametrize(("attribute", "changes"), [("epoch", True), ("step", False)])
def test_what_the_collating_method_reads(
    context: MakeContext, attribute: str, changes: bool
) -> None:
    text = TEXT.format(loader=BOUND, stage="pass", epoch="pass", attribute=attribute)
    assert _is_changed(context(text), "__init__") is changes


def _changes(context: MakeContext, loader: str, stage: str = "pass", epoch: str = "pass") -> bool:
    text = TEXT.format(loader=loader, stage=stage, epoch=epoch, attribute="step")
    return _is_changed(context(text), "train")


def _is_changed(analysed: AnalysisContext, name: str) -> bool:
    loaders = (found for made in analysed[Loaders].by_call().values() for found in made)
    (found,) = [loader for loader in loaders if loader.call.scope.name == name]
    (inner,) = repeating_loops(found)
    return any(changes_held_objects(found, e) for e in (inner, *beyond(found, inner)))


SHARED = """
from torch.utils.data import DataLoader

def fit(loader, model):
    for epoch in range(9):
        model.start(epoch)
        for x in loader:
            step(model, x)

def step(model, x):
    model.update(x)

{runs}
"""


def test_what_an_epoch_runs_is_looked_through_once_for_all_loaders(
    context: MakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = list[object]()

    def noted(block: object, *_: object) -> tuple[()]:
        looked.append(block)
        return ()

    monkeypatch.setattr("dlint.model.data.dataset_changes._touched", noted)
    runs = (f"fit(DataLoader(rows{number}, num_workers=2), model)" for number in range(5))
    analysed = context(SHARED.format(runs="\n".join(runs)))
    loaders = [one for made in analysed[Loaders].by_call().values() for one in made]
    found = [changes_dataset(one, epoch) for one in loaders for epoch in repeating_loops(one)]
    assert found == [False] * 5
    assert len(looked) == len(set(looked)) >= 2
