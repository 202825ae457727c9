"""What a finding can bring, and how its text says how much there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.volume.ranges import Range
from dlint.library_facts.start_methods import StartMethod
from dlint.model.loading.loaders import Loaders
from dlint.model.worth import worth
from dlint.model.worth.volume import LoaderVolume, volume_of
from dlint.model.worth.worth import Worth
from dlint.rules.loader import missing_pin_memory

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]
DOCUMENT = Path(__file__).parents[2] / "docs" / "worth.md"

TRAINING = """
import torch
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageNet

def train(model, size={default}):
    crop = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    data = ImageNet(".", "val", transform=crop)
    loader = DataLoader(data, batch_size={size}, num_workers=4)
    for epoch in range({epochs}):
        for x, y in loader:
            model(x.cuda()).backward()
"""


def _program(size: str = "100", default: str = "64", epochs: str = "90") -> str:
    return TRAINING.format(size=size, default=default, epochs=epochs)


def _volume(context: MakeProgram, text: str) -> LoaderVolume:
    groups = context(text)[Loaders].by_call().values()
    return volume_of(next(iter(groups))[0])


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("100", "(about 60 MB a batch, 500 batches an epoch)"),
        ("128", "(about 77 MB a batch, 391 batches an epoch)"),
        ("100_000", "(about 60 GB a batch, 1 batch an epoch)"),
        ("50 if unknown else 100", "(about 30 to 60 MB a batch, 500 to 1000 batches an epoch)"),
        ("size", "(about 39 MB a batch, 782 batches an epoch, by the default of parameter `size`)"),
    ],
)
def test_findings_say_how_much_there_is(context: MakeProgram, size: str, said: str) -> None:
    (finding,) = missing_pin_memory.check(context(_program(size)))
    assert said in finding.message


@pytest.mark.parametrize("size", ["unknown", "25 if unknown else 100"])
def test_nothing_is_said_of_what_is_not_known(context: MakeProgram, size: str) -> None:
    (finding,) = missing_pin_memory.check(context(_program(size)))
    assert "a batch" not in finding.message


def test_what_pinning_saves_is_that_of_all_copies(context: MakeProgram) -> None:
    found = worth.pinning(_volume(context, _program()))
    assert found.epoch is not None
    assert found.run is not None
    copied = 50_000 * (3 * 224 * 224 * 4 + 8)
    assert found.epoch.low == pytest.approx(copied / 6e9 - copied / 12e9)
    assert found.run.low == pytest.approx(90 * found.epoch.low)
    assert found.is_noticeable


def test_what_an_epoch_copies_needs_no_batch_size(context: MakeProgram) -> None:
    known, unknown = (worth.pinning(_volume(context, _program(n))) for n in ("100", "unknown"))
    assert unknown.step is None
    assert unknown.epoch == known.epoch
    little = _volume(
        context, SMALL.format(length="2000", epochs="unknown").replace("64", "unknown")
    )
    assert worth.pinning(little).is_noticeable is False


def test_what_is_not_known_has_no_worth(context: MakeProgram) -> None:
    text = _program().replace('ImageNet(".", "val", transform=crop)', "unknown")
    found = worth.pinning(_volume(context, text))
    assert found == Worth(None, None)
    assert found.is_noticeable is None


@pytest.mark.parametrize(
    ("methods", "epochs", "noticeable"),
    [
        ({StartMethod.FORK}, "90", False),
        ({StartMethod.FORK}, "900", True),
        ({StartMethod.SPAWN}, "5", True),
        ({StartMethod.SPAWN}, "3", False),
        ({StartMethod.FORK, StartMethod.SPAWN}, "90", None),
        ({StartMethod.FORK}, "unknown", False),
        ({StartMethod.FORK, StartMethod.SPAWN}, "unknown", None),
        (set(), "90", None),
    ],
)
def test_what_workers_save_that_live_on(
    context: MakeProgram, methods: set[StartMethod], epochs: str, noticeable: bool | None
) -> None:
    volume = _volume(context, _program(epochs=epochs))
    assert worth.keeping_workers(volume, frozenset(methods)).is_noticeable is noticeable


@pytest.mark.parametrize(
    ("size", "epochs", "noticeable"),
    [("100", "90", True), ("100", "3", False), ("unknown", "90", True), ("100", "unknown", True)],
)
def test_what_copies_save_that_are_hidden(
    context: MakeProgram, size: str, epochs: str, noticeable: bool | None
) -> None:
    found = worth.overlapping(_volume(context, _program(size, epochs=epochs)))
    assert found.is_noticeable is noticeable


SMALL = """
import torch
from torch.utils.data import DataLoader, TensorDataset

def train(model, x):
    data = TensorDataset(torch.zeros({length}, 10))
    loader = DataLoader(data, batch_size=64, num_workers=4)
    for epoch in range({epochs}):
        for x, in loader:
            model(x.cuda()).backward()
"""


@pytest.mark.parametrize(
    ("length", "epochs", "few_epochs", "few_steps"),
    [("640", "10", False, True), ("640", "11", False, False), ("x", "5", True, False)],
)
def test_few_steps_and_epochs(
    context: MakeProgram, length: str, epochs: str, few_epochs: bool, few_steps: bool
) -> None:
    volume = _volume(context, SMALL.format(length=length, epochs=epochs))
    assert worth.has_few_epochs(volume) is few_epochs
    assert worth.has_few_steps(volume) is few_steps


def test_steps_that_cost_too_little_are_not_counted(context: MakeProgram) -> None:
    volume = _volume(context, SMALL.format(length="10**9", epochs="1000"))
    assert worth.pinning(volume).is_noticeable is False


def test_samples_of_a_small_data_set_cost_little(context: MakeProgram) -> None:
    few = _volume(context, SMALL.format(length="99", epochs="10"))
    many = _volume(context, SMALL.format(length="9900", epochs="11"))
    assert worth.making_samples(few).is_noticeable is False
    assert worth.making_samples(many).is_noticeable is None


def test_a_wide_range_is_not_decided() -> None:
    assert Worth(Range(0, 5), Range(0, 50)).is_noticeable is None
    assert Worth(Range(2, 5), None).is_noticeable is True


def test_the_document_shows_the_figures() -> None:
    rows = [
        f"| {f.meaning} | {f.value:g} {f.unit} | {f.basis} | {f.source} |" for f in worth.FIGURES
    ]
    assert "\n".join(rows) in DOCUMENT.read_text("utf-8")
