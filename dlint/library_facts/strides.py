"""NumPy: which functions give views that run backwards, which hand views on, and who refuses them.

Tried with NumPy 2.4 and torch 2.13. What is in no table gives a new array, or is not known.
"""

from __future__ import annotations

from typing import NamedTuple


class Flip(NamedTuple):
    """A function that gives a view from end to start.

    `axes` are those that it turns round; None where an argument (`axis`, `k`) says which.
    """

    parameters: tuple[str, ...]
    axes: tuple[int | None, ...] | None


FLIPS = {
    "numpy.flip": Flip(("m", "axis"), None),
    "numpy.flipud": Flip(("m",), (0,)),
    "numpy.fliplr": Flip(("m",), (1,)),
    "numpy.rot90": Flip(("m", "k", "axes"), None),
}
"""The result has a negative stride for each axis that is turned round."""

VIEWS = frozenset(
    {
        "numpy.transpose",
        "numpy.swapaxes",
        "numpy.moveaxis",
        "numpy.rollaxis",
        "numpy.expand_dims",
        "numpy.squeeze",
        "numpy.atleast_1d",
        "numpy.atleast_2d",
        "numpy.atleast_3d",
    }
)
"""Functions whose result is a view of their first argument, in another order of axes."""

SAME = frozenset({"numpy.asarray", "numpy.asanyarray"})
"""Functions whose result is the array that they are given, unless a type is asked for."""

VIEW_METHODS = frozenset({"transpose", "swapaxes", "squeeze"})
"""Methods of arrays whose result is a view, in another order of axes."""

LAYOUT = frozenset({"strides", "flags"})
"""Attributes by which a program asks how an array lies in memory."""

ARRAY_MODULES = ("numpy.", "cv2.")
"""Functions of these modules give arrays where they give anything that can be turned round."""

REFUSING = {
    "torch.from_numpy": "ndarray",
    "torch.as_tensor": "data",
    "torch.tensor": "data",
    "torch.asarray": "obj",
    "torch.Tensor": "data",
    "torch.FloatTensor": "data",
    "torch.LongTensor": "data",
    "torch.ByteTensor": "data",
    "torch.DoubleTensor": "data",
    "torch.IntTensor": "data",
    "torchvision.transforms.functional.to_tensor": "pic",
    "torchvision.transforms.v2.functional.to_tensor": "inpt",
    "torchvision.transforms.v2.functional.to_image": "inpt",
}
"""Functions that raise for an array with a negative stride, by the name of its parameter."""

ONLY_ARRAYS = frozenset({"torch.from_numpy"})
"""Those that take nothing else than arrays."""

REFUSING_TRANSFORMS = frozenset(
    {
        "torchvision.transforms.ToTensor",
        "torchvision.transforms.transforms.ToTensor",
        "torchvision.transforms.v2.ToTensor",
        "torchvision.transforms.v2.ToImage",
        "torchvision.transforms.v2.ToImageTensor",
    }
)
"""Transforms that make a tensor of an array by `torch.from_numpy`."""
