"""Functions and methods of torch, NumPy and readers of images that decide the type of numbers."""

from __future__ import annotations

from dlint.library_facts.tensors import VIEWS

MAKING = {
    "torch.FloatTensor": "float32",
    "torch.LongTensor": "int64",
    "torch.IntTensor": "int32",
    "torch.DoubleTensor": "float64",
    "numpy.float32": "float32",
    "numpy.int64": "int64",
    "PIL.Image.open": "picture",
    "PIL.Image.fromarray": "picture",
}
"""Functions whose results have one type; "picture" is an image that is no array yet."""

TAKING = frozenset(
    {"torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.stack"}
    | {"numpy.array", "numpy.asarray", "numpy.transpose", "numpy.ascontiguousarray"}
)
"""Functions that keep the type of what they are given first, unless they are told another."""

OF_PYTHON = {"float": "float64", "int": "int64"}
"""What Python's own types, and NumPy's of their names, mean; torch has shorter ones."""

CONVERTING = frozenset({"to", "type", "astype"})
"""Methods that are told a type."""

KEEPING = VIEWS | {"contiguous", "clone", "copy", "convert", "resize", "crop", "numpy", "cpu"}
"""Methods whose result has the type of what they are called on; of an image, too."""
