"""Which draws of a data set's own code certainly change its samples."""

from __future__ import annotations

from textwrap import indent

import pytest

from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.loading.loaders import Loaders
from dlint.model.samples.own_augmentations import OwnDrawing, own_drawing
from tests.analyses.control.programs import MakeProgram

TEXT = """
import random
import numpy as np
import torch
import torchvision.transforms.functional as TF
from PIL import Image, ImageEnhance
from scipy import ndimage
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import RandomCrop

CHANCE = 0.5

def turned(image):
    if random.random() < CHANCE:
        image = np.rot90(image)
    return image

def worn(image):
    out = image / 255
    if random.random() < CHANCE:
        fog = random.uniform(0.1, 0.2)
        out = np.clip(out * fog, 0, 1)
    return out

class Images(Dataset):
    def __init__(self, images, labels, augment=True, chance=0.5, mode="train"):
        self.images, self.labels = images, labels
        self.augment, self.chance, self.mode = augment, chance, mode
    def __len__(self):
        return len(self.images)
    def other(self):
        return self.images[random.randrange(len(self.images))]
    def flipped(self, image):
        if np.random.rand() < self.chance:
            image = np.fliplr(image)
        return image
    def __getitem__(self, index):
        image, label = self.images[index], self.labels[index]
{body}

loader = DataLoader(Images({given}), batch_size=8)
"""


def _found(context: MakeProgram, body: str, given: str = "a, b") -> OwnDrawing | None:
    analysed = context(TEXT.format(body=indent(body, " " * 8), given=given))
    (loader,) = (x for group in analysed[Loaders].by_call().values() for x in group)
    (origin,) = analysed[DatasetOrigins].of_loader(loader) or ()
    return own_drawing(analysed, origin)


@pytest.mark.parametrize(
    "body",
    [
        "if random.random() < 0.5:\n    image = image.flip(-1)\nreturn image, label",
        "if random.random() < 0.5:\n    image = image[:, ::-1]\nreturn image, label",
        "if torch.rand(1).item() > 0.5:\n    image = image.flip(-1)\nreturn image, label",
        "if random.randint(0, 1):\n    image = np.fliplr(image)\nreturn image, label",
        "if np.random.rand() < CHANCE:\n    image = np.fliplr(image)\nreturn image, label",
        "if random.random() < self.chance:\n    image = np.flipud(image)\nreturn image, label",
        "image = image.flip(-1) if random.random() < 0.5 else image\nreturn image, label",
        "chance = random.random()\nif chance < 0.5:\n    image = image.flip(-1)\nreturn image",
        "if self.augment:\n    image = self.flipped(image)\nreturn image, label",
        "if self.augment and torch.rand(1) > 0.5:\n    image = image.flip(-1)\nreturn image",
        "if torch.rand(1) > 0.5 and self.augment:\n    image = image.flip(-1)\nreturn image",
        "if not self.augment:\n    return image, label\nreturn turned(image), label",
        "if self.mode == 'train':\n    image = turned(image)\nreturn {'image': image, 'y': label}",
        (
            "if random.random() < 0.5:\n    image, label = np.flip(image), np.flip(label)\n"
            "return image, label"
        ),
        "sample = {}\nsample['image'] = TF.rotate(image, random.uniform(-9, 9))\nreturn sample",
        (
            "if random.random() < 0.5:\n    angle = random.uniform(-9, 9)\n"
            "    image = TF.rotate(image, angle)\nreturn image, label"
        ),
        (
            "if random.random() < 0.3:\n    few = random.sample(range(1, 9), k=3)\n"
            "    for i in few:\n        image[i] = image[i - 1]\nreturn image, label"
        ),
        "start = random.randint(0, 9)\nreturn image[start:start + 9], label",
        "try:\n    return turned(image), label\nexcept OSError:\n    raise",
        "angle = random.randint(-9, 9)\nreturn ndimage.rotate(image, angle), label",
        "image = Image.open(label).convert('L')\nreturn image.rotate(random.randint(0, 9)), label",
        (
            "image = Image.open(label)\nlight = random.uniform(0.5, 1.5)\n"
            "return ImageEnhance.Brightness(image).enhance(light), label"
        ),
        (
            "if self.augment:\n    start = random.randint(0, 9)\nelse:\n    start = 0\n"
            "return image[start:start + 9], label"
        ),
        (
            "if self.augment:\n    angle = np.random.uniform(0, 6)\n"
            "    turn = np.array([[np.cos(angle), 0], [0, np.sin(angle)]])\n"
            "    image[:, :2] = image[:, :2].dot(turn)\nreturn image, label"
        ),
        "if self.augment:\n    image = image * random.uniform(0.8, 1.2)\nreturn image, label",
        "if self.augment:\n    image = image + np.random.normal(0, 0.1)\nreturn image, label",
        "if self.augment:\n    image = image * (1 + torch.randn(1))\nreturn image, label",
        "image = self.flipped(image) if self.augment else image\nreturn image, label",
        (
            "i, j, h, w = RandomCrop.get_params(image, (9, 9))\n"
            "return TF.crop(image, i, j, h, w), label"
        ),
    ],
)
def test_samples_that_are_certainly_changed(context: MakeProgram, body: str) -> None:
    found = _found(context, body)
    assert found is not None
    assert not found.beside_original


@pytest.mark.parametrize(
    "body",
    [
        # another sample, a pair, or its label is chosen
        "if random.random() < 0.5:\n    image = self.other()\nreturn image, label",
        "if random.random() < 0.5:\n    image, label = self.other(), 0\nreturn image, label",
        (
            "first, second, same = image, self.images[index + 1], 1\nif random.random() < 0.5:\n"
            "    first, second, same = second, first, 0\nreturn first, second, same"
        ),
        "if random.random() < 0.5:\n    label = 1 - label\nreturn image, label",
        "if random.random() < 0.5:\n    image, label = np.flip(image), 0\nreturn image, label",
        # tests that are not known
        "if label:\n    image = turned(image)\nreturn image, label",
        (
            "if len(self.images) > 9:\n    start = random.randint(0, 9)\n"
            "    image = image[start:]\nreturn image, label"
        ),
        (
            "if len(image) > 9 and label:\n    start = random.randint(0, 9)\n"
            "    image = image[start:]\nreturn image, label"
        ),
        "if index in self.cache:\n    return self.cache[index]\nreturn turned(image), label",
        "if random.random() < self.unknown:\n    image = np.flip(image)\nreturn image, label",
        "if random.random() < label:\n    image = np.flip(image)\nreturn image, label",
        # no switch of the object, one number for each element, and what picks a part
        "return image * random.uniform(0.8, 1.2), label",
        "if self.augment:\n    image = image * torch.rand(len(image))\nreturn image, label",
        "if self.augment:\n    image = image * np.random.normal(0, 1, 9)\nreturn image, label",
        (
            "if self.augment:\n    other = int(random.random() * len(self))\n"
            "    image = self.images[other]\nreturn image, label"
        ),
        (
            "if self.augment:\n    other = image\n    if random.random() < 0.5:\n"
            "        other = self.other()\n    image = image * other\nreturn image, label"
        ),
        "if self.augment:\n    return image, random.uniform(0, 1)\nreturn image, 0",
        # each element, or several views
        (
            "for i in range(9):\n    if random.random() < 0.15:\n        image[i] = image[0]\n"
            "return image, label"
        ),
        "return [turned(image) for _ in range(2)], label",
        "return turned(image), turned(image)",
        (
            "one = image.flip(-1) if random.random() < 0.5 else image\n"
            "two = image.flip(-1) if random.random() < 0.5 else image\nreturn one, two"
        ),
        # what is drawn is to be found out
        "turns = random.randint(0, 3)\nreturn np.rot90(image, turns), turns",
        "angle = random.uniform(0, 9)\nreturn TF.rotate(image, angle), torch.tensor(angle)",
        "first = self.flipped(image)\nreturn first, self.flipped(image)",
        "for _ in range(9):\n    image = turned(image)\nreturn image, label",
        "return image + torch.randn_like(image), label",
        # where nothing comes of it
        "twin = turned(image)\nreturn image, label",
        "if random.random() < 0.5:\n    image = np.flip(image)\nreturn label",
        "if random.random() < 0.5:\n    print(index)\nreturn image, label",
        "try:\n    return image, label\nexcept OSError:\n    return turned(image), label",
        # the same in each epoch
        "random.seed(index)\nreturn turned(image), label",
        (
            "draw = random.Random(index)\nif draw.random() < 0.5:\n    image = np.flip(image)\n"
            "return image, label"
        ),
    ],
)
def test_what_is_left_alone(context: MakeProgram, body: str) -> None:
    assert _found(context, body) is None


@pytest.mark.parametrize(
    "body",
    [
        "if len(image) > 9:\n    start = random.randint(0, 9)\n    image = image[start:]\n",
        "if image.shape[0] > 9:\n    start = random.randint(0, 9)\n    image = image[start:]\n",
        (
            "most = image.size(1) - 9\nif self.augment and most > 0:\n"
            "    start = random.randint(0, most)\n    image = image[start:]\n"
        ),
    ],
)
def test_a_test_of_the_size_of_a_sample(context: MakeProgram, body: str) -> None:
    found = _found(context, body + "return image, label")
    assert found is not None
    assert found.by_size


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        ("noise = turned(self.other())\nreturn turned(image) + noise, label", True),
        ("noise = turned(image.copy())\nreturn turned(image) + noise, label", False),
    ],
)
def test_two_things_and_two_views(context: MakeProgram, body: str, *, changes: bool) -> None:
    assert (_found(context, body) is not None) is changes


@pytest.mark.parametrize(
    ("given", "switches"),
    [
        ("a, b", ("augment",)),
        ("a, b, True", ("augment",)),
        ("a, b, augment=False", None),
        ("a, b, chance=0.0", None),
        ("a, b, chance=1", None),
        ("a, b, chance=some()", None),
        ("a, b, augment=some()", None),
    ],
)
def test_the_object_decides(
    context: MakeProgram, given: str, switches: tuple[str, ...] | None
) -> None:
    found = _found(
        context, "if self.augment:\n    image = self.flipped(image)\nreturn image, label", given
    )
    assert (None if found is None else found.switches) == switches


@pytest.mark.parametrize(
    ("body", "beside"),
    [
        ("return worn(image), label", False),
        ("return worn(image), image", True),
        ("bad = worn(image)\nreturn {'bad': bad, 'clean': image}", True),
        ("good = image\nimage = worn(image)\nreturn image, good", True),
        (
            "was = image\nif random.random() < 0.5:\n    image = image.flip(0)\nreturn was, image",
            True,
        ),
        ("if random.random() < 0.5:\n    image = np.flip(image)\nreturn image, label", False),
    ],
)
def test_what_is_changed_beside_what_it_was(context: MakeProgram, body: str, beside: bool) -> None:
    found = _found(context, body)
    assert found is not None
    assert found.beside_original is beside
