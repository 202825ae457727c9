"""torchvision: the sizes of its datasets, and what its transforms make of an image.

Lengths and sizes are those of the published data, as the datasets' pages of torchvision 0.28 state
them. A dataset whose images differ in size has no height and width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """One class of datasets: its arguments, its lengths by one of them, and a sample of it.

    `choice` is the argument that names the part, `default` its value where nothing is given;
    `targets` is how many integers come with an image, 0 where that is not known.
    """

    parameters: tuple[str, ...]
    channels: int
    choice: str = ""
    default: str | bool = ""
    lengths: Mapping[str | bool, int] = field(default_factory=dict)
    height: int | None = None
    width: int | None = None
    targets: int = 1

    def position(self, name: str) -> int | None:
        """The position of an argument; None where it has no such one."""
        return self.parameters.index(name) if name in self.parameters else None


_BY_FLAG = ("root", "train", "transform", "target_transform", "download")
_BY_SPLIT = ("root", "split", "transform", "target_transform", "download")
_WHOLE = ("root", "transform", "target_transform", "download")
_FOLDER = ("root", "transform", "target_transform", "loader", "is_valid_file")


def _flagged(train: int, test: int, size: int, channels: int) -> DatasetFacts:
    lengths: dict[str | bool, int] = {True: train, False: test}
    return DatasetFacts(_BY_FLAG, channels, "train", True, lengths, size, size)


def _split(lengths: dict[str | bool, int], size: int | None = None) -> DatasetFacts:
    return DatasetFacts(_BY_SPLIT, 3, "split", "train", lengths, size, size)


_FOLDERS = DatasetFacts(_FOLDER, 3)

DATASETS: dict[str, DatasetFacts] = {
    "MNIST": _flagged(60_000, 10_000, 28, 1),
    "FashionMNIST": _flagged(60_000, 10_000, 28, 1),
    "KMNIST": _flagged(60_000, 10_000, 28, 1),
    "CIFAR10": _flagged(50_000, 10_000, 32, 3),
    "CIFAR100": _flagged(50_000, 10_000, 32, 3),
    "USPS": _flagged(7_291, 2_007, 16, 1),
    "SVHN": _split({"train": 73_257, "test": 26_032, "extra": 531_131}, 32),
    "STL10": DatasetFacts(
        ("root", "split", "folds", "transform", "target_transform", "download"),
        3,
        "split",
        "train",
        {"train": 5_000, "test": 8_000, "unlabeled": 100_000, "train+unlabeled": 105_000},
        96,
        96,
    ),
    "PCAM": _split({"train": 262_144, "val": 32_768, "test": 32_768}, 96),
    "EuroSAT": DatasetFacts(_WHOLE, 3, "", "", {"": 27_000}, 64, 64),
    "SEMEION": DatasetFacts(_WHOLE, 1, "", "", {"": 1_593}, 16, 16),
    "ImageNet": _split({"train": 1_281_167, "val": 50_000}),
    "Food101": _split({"train": 75_750, "test": 25_250}),
    "Flowers102": _split({"train": 1_020, "val": 1_020, "test": 6_149}),
    "CelebA": DatasetFacts(
        ("root", "split", "target_type", "transform", "target_transform", "download"),
        3,
        "split",
        "train",
        {"train": 162_770, "valid": 19_867, "test": 19_962, "all": 202_599},
        218,
        178,
        0,
    ),
    "ImageFolder": _FOLDERS,
    "DatasetFolder": _FOLDERS,
}
"""By the name of the class."""

_MODULE = "torchvision.datasets."


def dataset_facts(path: str) -> DatasetFacts | None:
    """What is known of a dataset class; None for any other."""
    return DATASETS.get(path.rpartition(".")[2]) if path.startswith(_MODULE) else None


class Effect(StrEnum):
    """What a transform does to the size and the type of an image."""

    NOTHING = "nothing"
    RESIZE = "scale to a size: the shorter side, if it is one number"
    CROP = "cut or scale to exactly a size"
    TENSOR = "make a float tensor of bytes"
    BYTES = "make a tensor of the same numbers"
    CONVERT = "give the numbers another type"
    GRAY = "leave one channel, or as many as are asked for"
    PAD = "add a border"
    IMAGE = "make an image of a tensor"
    ALL = "apply others, one after the other"


@dataclass(frozen=True, slots=True)
class TransformFacts:
    """One transform: its effect, and the argument that says how far it goes, with its default."""

    effect: Effect
    parameters: tuple[str, ...] = ()
    default: int | None = None
    growing: str = ""
    """An argument by which the picture may grow."""


_SAME = TransformFacts(Effect.NOTHING)
_UNCHANGED = (
    "Normalize RandomHorizontalFlip RandomVerticalFlip ColorJitter RandomErasing RandomAffine "
    "RandomGrayscale RandomPerspective RandomInvert RandomAutocontrast RandomEqualize "
    "RandomAdjustSharpness RandomPosterize RandomSolarize GaussianBlur AutoAugment RandAugment "
    "TrivialAugmentWide AugMix Identity RandomPhotometricDistort ElasticTransform"
)

TRANSFORMS: dict[str, TransformFacts] = dict.fromkeys(_UNCHANGED.split(), _SAME) | {
    "Resize": TransformFacts(Effect.RESIZE, ("size",)),
    "Scale": TransformFacts(Effect.RESIZE, ("size",)),
    "CenterCrop": TransformFacts(Effect.CROP, ("size",)),
    "RandomCrop": TransformFacts(Effect.CROP, ("size",)),
    "RandomRotation": TransformFacts(Effect.NOTHING, growing="expand"),
    "RandomResizedCrop": TransformFacts(Effect.CROP, ("size",)),
    "RandomSizedCrop": TransformFacts(Effect.CROP, ("size",)),
    "ToTensor": TransformFacts(Effect.TENSOR),
    "PILToTensor": TransformFacts(Effect.BYTES),
    "ToImage": TransformFacts(Effect.BYTES),
    "ToImageTensor": TransformFacts(Effect.BYTES),
    "ToDtype": TransformFacts(Effect.CONVERT, ("dtype",)),
    "ConvertImageDtype": TransformFacts(Effect.CONVERT, ("dtype",)),
    "Grayscale": TransformFacts(Effect.GRAY, ("num_output_channels",), 1),
    "Pad": TransformFacts(Effect.PAD, ("padding",)),
    "ToPILImage": TransformFacts(Effect.IMAGE),
    "Compose": TransformFacts(Effect.ALL, ("transforms",)),
    "RandomApply": TransformFacts(Effect.ALL, ("transforms",)),
    "RandomOrder": TransformFacts(Effect.ALL, ("transforms",)),
}
"""By the name of the class."""

_TRANSFORM_MODULES = ("torchvision.transforms.", "torchvision.transforms.v2.")


def transform_facts(path: str) -> TransformFacts | None:
    """What is known of a transform class; None for any other."""
    known = path.startswith(_TRANSFORM_MODULES)
    return TRANSFORMS.get(path.rpartition(".")[2]) if known else None
