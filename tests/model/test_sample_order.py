"""Whose loaders, of a class of the project, may come in an order of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.samples.sample_order import has_own_order

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import random
from typing import Any
from torch.utils.data import DataLoader
from torchvision.datasets import MNIST
from elsewhere import Mixed

class Digits({base}):
    def __init__(self, folder, **kwargs):
        super().__init__(MNIST(folder), **kwargs)
{method}

def train(model):
    loader = Digits("data", batch_size=4)
    for epoch in range(9):
        for batch in loader:
            model(batch).backward()
"""


@pytest.mark.parametrize(
    ("base", "method", "own"),
    [
        ("DataLoader", "", False),
        ("DataLoader[Any]", "", False),
        ("DataLoader", "    def __len__(self): return 9", False),
        ("DataLoader", "    def part(self): return DataLoader(self.dataset)", False),
        ("DataLoader", "    def __iter__(self): return super().__iter__()", True),
        ("DataLoader", "    def _get_iterator(self): return super()._get_iterator()", True),
        ("DataLoader", "    @property\n    def sampler(self): return range(9)", True),
        ("DataLoader", "    def renew(self): random.shuffle(self.dataset.data)", True),
        ("Mixed, DataLoader", "", True),
    ],
)
def test_loaders_of_own_classes(context: MakeContext, base: str, method: str, own: bool) -> None:
    analysed = context(TEXT.format(base=base, method=method))
    ((loader,),) = (
        loaders for call, loaders in analysed[Loaders].by_call().items() if call.name == "Digits"
    )
    assert has_own_order(loader) is own


FRAMES = """
import random
import numpy as np
from torch.utils.data import DataLoader, Dataset

class {name}(Dataset):
    def __init__(self, frames):
        self.frames, self.flip = frames, random.random() > 0.5
    def __len__(self):
        return len(self.frames)
    def __getitem__(self, index):
        frame = self.frames[index]
{body}
        return frame

def train(frames, model):
    loader = DataLoader({name}(frames), batch_size=4)
    for epoch in range(9):
        for batch in loader:
            model(batch).backward()
"""


@pytest.mark.parametrize(
    ("name", "body", "own"),
    [
        ("Frames", "", False),
        ("VideoFrames", "", True),
        ("VideoFrames", "if random.random() > 0.5: frame = np.fliplr(frame)", False),
        ("FrameSeries", "if random.random() > 0.5: frame = np.fliplr(frame)", False),
        ("VideoFrames", "if self.flip: frame = np.fliplr(frame)", True),
        ("VideoFrames", "if len(frame) > 9 and random.random() > 0.5: frame = frame[::-1]", True),
        ("VideoFrames", "frame = frame + np.random.normal(size=frame.shape)", True),
        ("FramePairs", "if random.random() > 0.5: frame = np.fliplr(frame)", True),
        ("ReplayBuffer", "if random.random() > 0.5: frame = np.fliplr(frame)", True),
    ],
)
def test_an_order_in_time_ends_where_each_sample_is_changed(
    context: MakeContext, name: str, body: str, own: bool
) -> None:
    analysed = context(FRAMES.format(name=name, body=" " * 8 + body))
    ((loader,),) = analysed[Loaders].by_call().values()
    assert has_own_order(loader) is own
