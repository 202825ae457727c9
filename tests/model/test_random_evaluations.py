"""Which evaluations the findings of random transforms rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlint

PROGRAM = """
import random
import sys
import torch
from torch.utils.data import DataLoader, Dataset

class Flip:
    def __init__(self, chance):
        self.chance = chance
    def __call__(self, image):
        return image if random.random() >= self.chance else image.flip(-1)

class Images(Dataset):
    def __init__(self, images, augment=True):
        self.images = images
        self.transform = Flip(0.5 if augment else 0.0)
    def __len__(self):
        return len(self.images)
    def __getitem__(self, index):
        return self.transform(self.images[index])

def evaluate(model):
    model.eval()
    with torch.no_grad():
        return [model(batch) for batch in DataLoader(Images(sys.argv{augment}))]

if __name__ == "__main__":
    print({called})
"""


@pytest.mark.parametrize(
    ("augment", "called", "told"),
    [
        ("", "evaluate(torch.load('model.pt'))", ["warning"]),
        ("", "Images(sys.argv)[0]", []),
        (", augment=False", "evaluate(torch.load('model.pt'))", []),
    ],
)
def test_what_a_run_evaluates_is_told(
    augment: str, called: str, told: list[str], tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.format(augment=augment, called=called))
    settings = dlint.Settings(select=("random-transform-in-eval",))
    assert [found.severity for found in dlint.check([tmp_path], settings).findings] == told
