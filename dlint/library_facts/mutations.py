"""What changes a value in place, and what keeps values that can be changed so."""

from __future__ import annotations

from dlint.library_facts.strides import SAME, VIEW_METHODS, VIEWS

ARITHMETIC = frozenset(
    ["add_", "sub_", "mul_", "div_", "pow_", "neg_", "normalize_", "normal_", "uniform_", "roll_"]
)
"""Methods of tensors that compute anew from what is there."""

OUT = frozenset(
    {"add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "power", "negative"}
    | {"sub", "mul", "div", "pow", "neg", "sqrt", "square", "exp", "log", "log1p", "log10", "log2"}
)
"""Functions of NumPy and torch that, told to write to `out` what they are given, compute anew from
what is there: each time another value."""

LISTS = frozenset(["append", "extend", "insert", "pop", "remove", "reverse", "popleft"])
"""Methods of containers after which the next call finds another content."""

SHUFFLES = frozenset(["numpy.random.shuffle", "random.shuffle"])
"""Functions that change the order of what they are given."""

AUGMENTED = frozenset(["+", "-", "*", "/", "//", "%", "**", "@"])

ARRAYS = ("numpy.", "torch.")
"""Libraries whose arrays and tensors give views by one index."""

NO_ARRAYS = frozenset(
    ["numpy.memmap", "torch.utils.data.TensorDataset", "numpy.random.default_rng"]
)

_MAKING = (
    *("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like"),
    *("rand", "randn", "rand_like", "randn_like", "randint", "randperm", "poisson", "normal"),
    *("bernoulli", "arange", "linspace", "logspace", "eye", "where", "stack", "cat", "concat"),
    *("tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor", "LongTensor", "DoubleTensor"),
)
TENSORS = frozenset(f"torch.{name}" for name in _MAKING)
"""Functions of torch that give a tensor."""

OF_TENSORS = frozenset(["unsqueeze", "float", "half", "bfloat16", "permute", "contiguous"])
"""Methods that tensors have and neither lists nor NumPy's arrays; what they give is a tensor."""

RECORDS = frozenset(["json.load", "json.loads", "pickle.load", "pickle.loads", "yaml.safe_load"])
"""Readers that give lists and dicts."""

HELD_WHOLE = RECORDS | {"torch.load"}
"""Readers that give what lies in memory as a whole: its items are no copies, of a tensor views."""

SHALLOW = frozenset(["builtins.dict", "copy.copy", "collections.OrderedDict"])
"""Functions that copy a record, and not what it holds."""

SHARING = frozenset(["torch.from_numpy", "torch.as_tensor", "numpy.asarray"])
"""Functions whose result shares the memory of their first argument, if no type is asked for."""

CONVERTING = SHARING | {
    *("numpy.array", "numpy.ascontiguousarray", "numpy.asfortranarray", "numpy.sort"),
    *("numpy.float32", "numpy.float64", "numpy.int32", "numpy.int64", "numpy.unique"),
    *("torch.tensor", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.unique"),
    *(f"builtins.{kind}" for kind in ("int", "float", "str", "bool", "list", "tuple", "set")),
    *("builtins.sorted", "builtins.abs", "pathlib.Path"),
}
"""Functions that make the same of their own result: whatever is converted twice is as converted
once."""

SETTLING = frozenset(
    [
        *("float", "half", "double", "bfloat16", "long", "int", "short", "byte", "bool", "to"),
        *("type", "astype", "cpu", "cuda", "detach", "contiguous", "clone", "copy", "abs"),
        *("squeeze", "flatten", "ravel", "view", "reshape", "clamp", "clip", "nan_to_num"),
        *("lower", "upper", "strip", "lstrip", "rstrip", "casefold", "title", "sort_values"),
    ]
)
"""Methods, and functions of torch and NumPy, that leave their own result as it is: of tensors,
arrays, tables and texts."""

READING = frozenset(
    f"builtins.{name}" for name in ("len", "range", "min", "max", "sum", "dict", "isinstance")
)
"""Functions that read what they are given, and change nothing of it."""

_TORCHVISION = ("torchvision.transforms.", "torchvision.transforms.v2.")
IN_PLACE = {
    f"{home}{name}": position
    for home in _TORCHVISION
    for name, position in (
        ("Normalize", 2),
        ("RandomErasing", 4),
        ("functional.normalize", 3),
        ("functional.erase", 6),
    )
}
"""What changes the tensor that it is given itself if `inplace`, at this place, is true
(torchvision 0.29, transforms/transforms.py and transforms/v2)."""

LISTING = frozenset(
    {f"builtins.{name}" for name in ("list", "tuple", "sorted", "reversed", "iter")}
    | {"tqdm.tqdm", "tqdm.auto.tqdm", "random.sample", "random.choices"}
)
"""Functions that give what they are given, element by element: the elements themselves."""

SAMPLING_ONE = frozenset({"random.choice", "builtins.next"})
"""Functions that give one of the elements that they are given."""

ARRAY_VIEWS = VIEWS | SAME
"""Functions of NumPy whose result is a view of their first argument."""

VIEWING = VIEW_METHODS | frozenset(
    {"reshape", "view", "permute", "unsqueeze", "t", "ravel", "numpy", "detach", "contiguous"}
)
"""Methods whose result is, or may be, a view of the array or tensor."""

TAKING_PART = frozenset({"get", "pop", "setdefault", "__getitem__"})
"""Methods that give the part under the key that they are given."""

HANDING_OUT = frozenset(f"pycocotools.coco.COCO().load{what}" for what in ("Anns", "Imgs", "Cats"))
"""Methods that give a list of the records that their object keeps, and no copies
(pycocotools 2.0, coco.py)."""

COPYING_INDEXERS = frozenset({"iloc", "loc", "iat", "at"})
"""Attributes of tables of pandas by which rows are copied."""

READING_ANEW = ("datasets.", "pandas.", "polars.", "torchvision.datasets.", "torch.utils.data.")
"""Libraries whose objects make a sample when it is asked for."""
