"""Layers of `torch.nn` by what they do to the shape of a batch, and models that pool before a norm.

Read in torch 2.13 (nn/modules, nn/functional.py) and torchvision (segmentation/deeplabv3.py).
"""

from __future__ import annotations

from enum import StrEnum


class ShapeEffect(StrEnum):
    """What a layer does to the dimensions of a batch."""

    SAME = "as many dimensions, of which we know as much"
    LINEAR = "the same, with the channels in the last dimension"
    KEEPS = "as many dimensions, of other sizes"
    FLAT = "samples and features"
    POINT = "pools to one value per channel where its argument is 1"
    NORM = "normalizes over the batch"


_SAME = frozenset(
    {"ReLU", "LeakyReLU", "GELU", "SiLU", "ELU", "SELU", "Tanh", "Sigmoid", "Softplus", "PReLU"}
    | {"Dropout", "Identity", "LayerNorm", "Softmax", "LogSoftmax", "Hardswish", "Mish", "ReLU6"}
    | {"AlphaDropout", "Dropout1d", "Dropout2d", "Hardtanh", "CELU"}
)
_NORMS = frozenset({"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d"})
_POINTS = frozenset({f"Adaptive{kind}Pool{n}d" for kind in ("Avg", "Max") for n in (1, 2, 3)})
_KEEPS = frozenset(
    {"Conv1d", "Conv2d", "Conv3d", "MaxPool1d", "MaxPool2d", "AvgPool1d", "AvgPool2d", "Upsample"}
)

LAYERS: dict[str, ShapeEffect] = {
    **dict.fromkeys(_SAME, ShapeEffect.SAME),
    **dict.fromkeys(("Linear", "LazyLinear"), ShapeEffect.LINEAR),
    **dict.fromkeys(_KEEPS, ShapeEffect.KEEPS),
    **dict.fromkeys(_POINTS, ShapeEffect.POINT),
    **dict.fromkeys(_NORMS, ShapeEffect.NORM),
    "Flatten": ShapeEffect.FLAT,
}
"""The layers of `torch.nn` that are known."""

SAME_CALLS = frozenset(
    {"relu", "leaky_relu", "gelu", "silu", "elu", "selu", "tanh", "sigmoid", "softplus", "dropout"}
    | {"to", "cuda", "cpu", "float", "half", "double", "contiguous", "detach", "clone", "type"}
)
"""Functions and methods that leave the shape of a tensor as it is."""

NORM_OF_FEATURES = frozenset({"BatchNorm1d", "LazyBatchNorm1d"})
"""Norms over the second dimension: behind a `Linear` it is the last one, so that there are two."""

POOLED: dict[str, str] = dict.fromkeys(
    (
        f"torchvision.models.segmentation.{name}"
        for name in ("deeplabv3_resnet50", "deeplabv3_resnet101", "deeplabv3_mobilenet_v3_large")
    ),
    "the pooling of its ASPP",
)
"""Models whose batch norm sees one value per channel and sample, and where in them that is."""
