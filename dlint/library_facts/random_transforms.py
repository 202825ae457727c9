"""Transforms that draw random numbers for each sample, by their paths.

Names as they stand in the sources of torchvision 0.29, albumentations 2.0, kornia 0.9, monai 1.6,
torchio 1.2, torchaudio 2.11, torch_geometric 2.8 and timm 1.0, and some that these no longer have.
What draws only whether it applies is not random with p = 0 or 1.
"""

from __future__ import annotations

_TORCHVISION = (
    "RandomCrop RandomResizedCrop RandomSizedCrop RandomHorizontalFlip RandomVerticalFlip "
    "RandomRotation RandomAffine RandomPerspective RandomErasing RandomGrayscale RandomInvert "
    "RandomPosterize RandomSolarize RandomAdjustSharpness RandomAutocontrast RandomEqualize "
    "ColorJitter AutoAugment RandAugment TrivialAugmentWide AugMix ElasticTransform RandomApply "
    "RandomChoice RandomOrder RandomPhotometricDistort RandomZoomOut RandomIoUCrop ScaleJitter "
    "RandomShortestSize RandomResize RandomChannelPermutation"
)
_ALBUMENTATIONS = (
    "HorizontalFlip VerticalFlip Flip Transpose Rotate SafeRotate ShiftScaleRotate Affine "
    "Perspective ElasticTransform GridDistortion OpticalDistortion ColorJitter HueSaturationValue "
    "RGBShift CLAHE Blur MotionBlur MedianBlur GaussianBlur GaussNoise ISONoise CoarseDropout "
    "Cutout GridDropout ChannelShuffle ChannelDropout ImageCompression Downscale Posterize "
    "Solarize Equalize Sharpen Emboss PiecewiseAffine RandomCrop RandomResizedCrop RandomSizedCrop "
    "RandomRotate90 RandomScale RandomBrightnessContrast RandomBrightness RandomContrast "
    "RandomGamma RandomFog RandomRain RandomShadow RandomSnow RandomSunFlare RandomToneCurve "
    "RandomGridShuffle RandomSizedBBoxSafeCrop D4 OneOf SomeOf PlanckianJitter MultiplicativeNoise "
    "BBoxSafeRandomCrop AtLeastOneBBoxRandomCrop CropNonEmptyMaskIfExists RandomCropFromBorders "
    "RandomCropNearBBox RandomGravel MaskDropout XYMasking TimeMasking FrequencyMasking"
)
_GEOMETRIC = "RandomJitter RandomFlip RandomRotate RandomScale RandomShear RandomTranslate"
_AUDIO = "TimeMasking FrequencyMasking SpecAugment"
_KORNIA_MORE = "ColorJitter ColorJiggle"

_NAMED: dict[str, frozenset[str]] = {
    "torchvision.transforms.": frozenset(_TORCHVISION.split()),
    "albumentations.": frozenset(_ALBUMENTATIONS.split()),
    "torch_geometric.transforms.": frozenset(_GEOMETRIC.split()),
    "torchaudio.transforms.": frozenset(_AUDIO.split()),
    "kornia.augmentation.": frozenset(_KORNIA_MORE.split()),
}
_BEGINNING = {"kornia.augmentation.": "Random", "monai.transforms.": "Rand", "torchio.": "Random"}
"""Libraries whose random transforms all have names that begin so."""

_BY_CHANCE_NAMES = (
    "RandomHorizontalFlip RandomVerticalFlip RandomGrayscale RandomInvert RandomPosterize "
    "RandomSolarize RandomAdjustSharpness RandomAutocontrast RandomEqualize HorizontalFlip "
    "VerticalFlip Transpose"
)
_CHANCE_FIRST_NAMES = (
    "RandomHorizontalFlip RandomVerticalFlip RandomGrayscale RandomInvert RandomAutocontrast "
    "RandomEqualize"
)
_BY_CHANCE = frozenset(_BY_CHANCE_NAMES.split())
_CHANCE_FIRST = frozenset(_CHANCE_FIRST_NAMES.split())
CHANCE = ("p", "prob")
"""What libraries call the chance by which a transform applies."""

COMPOSING: dict[str, str] = {
    "Compose": "transforms",
    "ReplayCompose": "transforms",
    "Lambda": "lambd",
    "Sequential": "",
    "AugmentationSequential": "",
    "ImageSequential": "",
}
"""Library callables that apply what they are given, by its parameter; "" for all arguments."""

TIMM_FACTORIES = frozenset(
    {"timm.data.create_transform", "timm.data.transforms_factory.create_transform"}
)
"""`create_transform(input_size, is_training=True)` makes a random transform."""

TRANSFORM_ARGUMENTS = ("transform", "transforms", "target_transform")
"""What data sets of libraries call the functions that they apply to each sample."""


def is_random(path: str) -> bool:
    """Whether a library class draws at random for each sample that it is applied to."""
    name = path.rpartition(".")[2]
    if any(path.startswith(start) and name in names for start, names in _NAMED.items()):
        return True
    return any(path.startswith(s) and name.startswith(n) for s, n in _BEGINNING.items())


def draws_only_whether(path: str) -> bool:
    """Whether a random transform does the same each time that it applies."""
    return path.rpartition(".")[2] in _BY_CHANCE


def chance_position(path: str) -> int | None:
    """The place of the chance among the arguments of a random transform."""
    return 0 if path.rpartition(".")[2] in _CHANCE_FIRST else None


_AMOUNTS: dict[str, tuple[str, ...]] = {
    "ColorJitter": ("brightness", "contrast", "saturation", "hue"),
    "RandomRotation": ("degrees",),
    "RandomAffine": ("degrees", "translate", "scale", "shear"),
}
"""By which of its first arguments a transform of torchvision is told how much to change; with 0 or
None for all of them it changes nothing (torchvision 0.29, transforms/transforms.py)."""


def amounts(path: str) -> tuple[str, ...]:
    """The arguments that say how much a transform changes; none where any change may come of it."""
    is_known = path.startswith("torchvision.transforms.")
    return _AMOUNTS.get(path.rpartition(".")[2], ()) if is_known else ()


_FUNCTIONAL = ("torchvision.transforms.functional.", "torchvision.transforms.v2.functional.")
_SHIFTING = frozenset(
    [
        "torch.roll",
        "torch.rot90",
        "numpy.roll",
        "numpy.rot90",
        "cv2.getRotationMatrix2D",
        "scipy.ndimage.rotate",
        "scipy.ndimage.shift",
        "scipy.ndimage.zoom",
    ]
)
_OF_PIL = ("rotate", "crop", "enhance")


def changes_by_argument(path: str) -> bool:
    """Whether a function changes a sample by a number that it is given: an angle, a place."""
    of_pil = path.startswith("PIL.") and path.rpartition(".")[2] in _OF_PIL
    return path.startswith(_FUNCTIONAL) or path in _SHIFTING or of_pil
