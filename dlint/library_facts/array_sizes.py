"""Functions and methods of torch and NumPy that say how large an array is (torch 2.13, NumPy 2)."""

from __future__ import annotations

from typing import NamedTuple

ITEM_BYTES = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "float16": 2,
    "bfloat16": 2,
    "int32": 4,
    "float32": 4,
    "int64": 8,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}
"""Bytes of one number, by the name of its type."""

DTYPE_NAMES = {name: name for name in ITEM_BYTES} | {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "byte": "uint8",
    "bool_": "bool",
}
"""The names of types, and those that torch and NumPy give them as well."""

PYTHON_TYPES = {"int": "int64", "float": "float64", "bool": "bool"}
"""What the default collate function, and NumPy, make of Python's numbers."""


class Maker(NamedTuple):
    """A function that makes an array: its arguments, that of the shape, and its usual type.

    `shape` is "*" where each argument by position is one dimension; `low` and `high` of `range`
    stand in `parameters` where there are such.
    """

    parameters: tuple[str, ...]
    shape: str
    dtype: str


_DIMS = Maker((), "*", "float32")
_SIZE = Maker(("size",), "size", "float64")
_NUMPY_DIMS = Maker((), "*", "float64")

MAKERS: dict[str, Maker] = {
    "torch.zeros": _DIMS,
    "torch.ones": _DIMS,
    "torch.empty": _DIMS,
    "torch.rand": _DIMS,
    "torch.randn": _DIMS,
    "torch.full": Maker(("size", "fill_value"), "size", "float32"),
    "torch.randint": Maker(("low", "high", "size"), "size", "int64"),
    "torch.arange": Maker(("end",), "range", "int64"),
    "torch.randperm": Maker(("n",), "range", "int64"),
    "torch.linspace": Maker(("start", "end", "steps"), "steps", "float32"),
    "torch.eye": Maker(("n",), "square", "float32"),
    "numpy.zeros": Maker(("shape", "dtype"), "shape", "float64"),
    "numpy.ones": Maker(("shape", "dtype"), "shape", "float64"),
    "numpy.empty": Maker(("shape", "dtype"), "shape", "float64"),
    "numpy.full": Maker(("shape", "fill_value", "dtype"), "shape", "float64"),
    "numpy.arange": Maker(("stop",), "range", "int64"),
    "numpy.memmap": Maker(("filename", "dtype", "mode", "offset", "shape"), "shape", "uint8"),
    "numpy.random.rand": _NUMPY_DIMS,
    "numpy.random.randn": _NUMPY_DIMS,
    "numpy.random.random": _SIZE,
    "numpy.random.random_sample": _SIZE,
    "numpy.random.randint": Maker(("low", "high", "size", "dtype"), "size", "int64"),
    "numpy.random.normal": Maker(("loc", "scale", "size"), "size", "float64"),
    "numpy.random.uniform": Maker(("low", "high", "size"), "size", "float64"),
    "numpy.random.permutation": Maker(("x",), "range", "int64"),
}
"""What makes an array of a size that its arguments say."""

KEEPING_FUNCTIONS = frozenset(
    {
        "torch.from_numpy",
        "torch.as_tensor",
        "torch.tensor",
        "torch.zeros_like",
        "torch.ones_like",
        "torch.rand_like",
        "torch.randn_like",
        "torch.empty_like",
        "torch.sin",
        "torch.cos",
        "torch.exp",
        "torch.abs",
        "torch.sigmoid",
        "torch.tanh",
        "torch.relu",
        "numpy.array",
        "numpy.asarray",
        "numpy.zeros_like",
        "numpy.ones_like",
        "numpy.sin",
        "numpy.cos",
        "numpy.exp",
        "numpy.abs",
        "numpy.ascontiguousarray",
    }
)
"""Functions that give an array of the size of their first argument, of its type unless told."""


class Samples(NamedTuple):
    """A function that gives drawn samples and their labels: how many, of how many features."""

    parameters: tuple[str, ...]
    number: int
    features: int


_N = "n_samples"
DRAWN_SAMPLES = {
    f"sklearn.datasets.make_{name}": samples
    for name, samples in {
        "moons": Samples((_N,), 100, 2),
        "circles": Samples((_N,), 100, 2),
        "blobs": Samples((_N, "n_features"), 100, 2),
        "classification": Samples((_N, "n_features"), 100, 20),
        "regression": Samples((_N, "n_features"), 100, 100),
        "s_curve": Samples((_N,), 100, 3),
        "swiss_roll": Samples((_N,), 100, 3),
    }.items()
}
"""Their functions in scikit-learn 1.7 (sklearn/datasets/_samples_generator.py), with what holds
where nothing is given. Numbers are float64, the labels of each sample one number."""

OTHER_SHAPES = frozenset({"n_targets", "centers"})
"""Arguments by which labels have several numbers each, or samples the features of given centers."""

TENSOR_TYPES = {
    "torch.Tensor": "float32",
    "torch.BoolTensor": "bool",
    "torch.ByteTensor": "uint8",
    "torch.CharTensor": "int8",
    "torch.ShortTensor": "int16",
    "torch.IntTensor": "int32",
    "torch.LongTensor": "int64",
    "torch.HalfTensor": "float16",
    "torch.FloatTensor": "float32",
    "torch.DoubleTensor": "float64",
}
"""Types of tensors, and that of their numbers.

Called with numbers, each is a dimension of a tensor that is not filled; called with a sequence or
an array, they take its numbers (`legacy_tensor_generic_ctor_new`, torch/csrc/utils/tensor_new.cpp).
"""

_KEEPING = (
    "clone contiguous cuda cpu detach abs sqrt sin cos exp log relu sigmoid tanh clamp clip copy "
    "numpy requires_grad_ flip roll round normal_ uniform_ zero_ fill_ mul add sub div mul_ add_ "
    "sub_ div_ share_memory_ pin_memory to type astype"
)
KEEPING_METHODS = frozenset(_KEEPING.split())
"""Methods whose result has the size of their object; some take a type."""

CASTING_METHODS = {name: DTYPE_NAMES[name] for name in ("float", "half", "double", "long", "int")}
"""Methods named after the type that they give."""

IMAGE_READERS = {
    "PIL.Image.open": (None, "uint8"),
    "cv2.imread": (3, "uint8"),
    "torchvision.io.read_image": (None, "uint8"),
    "torchvision.io.decode_image": (None, "uint8"),
}
"""What reads an image whose size is not known: the number of its channels, and its type."""

IMAGE_MODES = {"RGB": 3, "L": 1, "RGBA": 4, "1": 1}
"""Channels of an image by the mode that `convert` is given."""

WHOLE_NUMBERS = frozenset({"builtins.int", "builtins.len", "random.randint", "random.randrange"})
"""What gives one whole number."""

ELEMENTWISE = frozenset(["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"])
"""Operators that torch and NumPy apply to each number, after they have broadcast the arrays."""
