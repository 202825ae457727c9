"""Tensor operations between a loader and the copy to a device (torch 2.13.0)."""

from __future__ import annotations

from dlint.library_facts.array_sizes import TENSOR_TYPES

PAIRING = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "sub", "mul", "div", "matmul", "mm", "bmm", "dot"}
    | {"logical_and", "logical_or", "logical_xor", "isclose"}
)
"""Methods that compute with another tensor, which lies on the same device then."""

VIEWS = frozenset(
    {
        "view",
        "view_as",
        "reshape",
        "permute",
        "transpose",
        "swapaxes",
        "movedim",
        "t",
        "squeeze",
        "unsqueeze",
        "flatten",
        "unflatten",
        "expand",
        "expand_as",
        "narrow",
        "select",
        "unbind",
        "split",
        "chunk",
        "detach",
        "requires_grad_",
        "diagonal",
        "unfold",
        "values",
        "items",
        "keys",
        "get",
        "pop",
        "popitem",
        "copy_",
    }
)
"""Methods whose result shares the storage of the batch, or hands a part of it on."""

STRIDED = frozenset(
    [
        "permute",
        "transpose",
        "swapaxes",
        "movedim",
        "t",
        "expand",
        "expand_as",
        "unfold",
        "diagonal",
    ]
)
"""Views that are not contiguous."""

COPIES = frozenset({"to", "cuda", "xpu", "npu", "hpu"})
"""Methods that copy a tensor to a device."""

WRAPPING = frozenset(
    f"torch.{name}"
    for name in ("tensor", "as_tensor", "from_numpy", "asarray", "Tensor", "FloatTensor")
) | {
    "numpy.array",
    "numpy.asarray",
    "torch.LongTensor",
    "builtins.int",
    "builtins.float",
    "builtins.len",
}
"""Calls that make a tensor, or a number, of what lies in memory."""
_BY_ELEMENT = ("abs", "clip", "clamp", "exp", "log", "sqrt", "sin", "cos", "tanh", "sign")
LIGHT_CALLS = WRAPPING | {
    *(f"torch.{n}" for n in ("is_tensor", "IntTensor", "BoolTensor", "DoubleTensor")),
    *(f"{lib}.{n}" for lib in ("torch", "numpy") for n in ("squeeze", "transpose", "moveaxis")),
    *(f"numpy.{n}" for n in ("expand_dims", "ascontiguousarray", "float32", "int64")),
    *(f"builtins.{n}" for n in ("str", "bool", "slice", "isinstance", "min", "max", "abs")),
    *(f"{lib}.{n}" for lib in ("torch", "numpy") for n in ("zeros", "ones", "stack")),
    *(f"random.{n}" for n in ("random", "randint", "randrange", "uniform", "choice")),
    *(f"numpy.random.{n}" for n in ("rand", "random", "randint", "uniform", "choice")),
    *(f"torch.{n}" for n in ("unsqueeze", "cat", "rand", "randint", "where", "flatten", "ravel")),
    *(f"torch.{n}" for n in ("randn", "randperm", "arange", "full", "empty", "no_grad")),
    *(f"numpy.random.{n}" for n in ("randn", "normal", "standard_normal")),
    *(f"{lib}.{n}" for lib in ("torch", "numpy") for n in _BY_ELEMENT),
    *(f"{lib}.{n}" for lib in ("torch", "numpy") for n in ("mean", "std", "reshape")),
}
"""Calls that draw a sample, or give one which lies in memory another form or scale, as operators
do: it takes no time."""
GROUPING = frozenset(f"builtins.{name}" for name in ("tuple", "list", "dict", "zip", "range"))
"""Calls that put together what lies in memory."""
DTYPE_METHODS = frozenset({"float", "double", "half", "long", "int", "bool"})
"""Methods of a tensor that convert its numbers."""
FETCHES = frozenset({"item", "tolist", "numpy", "cpu"})
"""Methods of a tensor on the GPU that bring its values to the host."""

RESHAPING = frozenset({"squeeze", "squeeze_", "flatten", "view", "reshape", "cat", "concat"})
"""Calls by which a dimension too many may be taken away again."""

CONVERSIONS = frozenset(
    ["float", "double", "half", "bfloat16", "int", "short", "bool", "type", "to", "clone"]
)
"""Methods that make a new tensor, in memory that is not pinned. `long` is not one of them: the
batches that torch collates of integers have that type already."""

_FILLED = frozenset(["tensor", "zeros", "ones", "full", "arange", "linspace", "eye"])
"""Functions that make a tensor with values that are the same every time."""

FACTORIES = frozenset(f"torch.{name}" for name in _FILLED)
"""The same by their paths: on the CPU unless `device=` says otherwise."""

CREATORS = (
    _FILLED
    | {"as_tensor", "empty", "rand", "randn", "randint"}
    | {f"{name}_like" for name in ("zeros", "ones", "rand", "randn", "full", "empty")}
)
"""Functions of torch that make a tensor on the device they are given."""

STORAGE_MAKERS = (
    frozenset(f"torch.{name}" for name in CREATORS | {"load", "from_numpy", "stack", "cat"})
    | TENSOR_TYPES.keys()
)
"""Functions that make one tensor in the memory of the process, by their paths."""

JOINERS = frozenset(
    f"torch.{name}"
    for name in ("cat", "concat", "concatenate", "stack", "vstack", "hstack", "column_stack")
) | {"torch.nn.utils.rnn.pad_sequence"}
"""Functions that join a list of tensors to a new one."""

HOST_READS = frozenset({"item", "tolist", "numpy", "print", "int", "float", "bool"})
"""Calls that need the value on the host, and so wait for the device."""

PINNABLE_COLLATORS = frozenset(
    {"torch", "torchvision", "torchaudio", "torch_geometric", "transformers", "datasets", "monai"}
)
"""Packages whose collate functions give tensors, mappings of them, or classes that torch pins."""

HOST_OPERATIONS = frozenset(
    [
        "numpy",
        "tolist",
        "item",
        "float",
        "double",
        "half",
        "int",
        "long",
        "bool",
        "clone",
        "sum",
        "mean",
        "std",
        "max",
        "min",
        "argmax",
        "argmin",
        "any",
        "all",
        "sort",
        "topk",
        "unique",
        "nonzero",
        "softmax",
        "sigmoid",
    ]
)
"""Methods of a tensor on the CPU that read its values there and then, or hand them to numpy."""

HOST_FUNCTIONS = frozenset({"print", "float", "int", "list", "array", "asarray", "save"})
"""Functions that read the values of a tensor on the CPU that they are given first."""

QUEUED = frozenset(
    ["empty", "zeros", "ones", "empty_like", "zeros_like", "ones_like", "index_select", "gather"]
)
"""Functions that only give the GPU something more to do."""

WAITS = frozenset({"synchronize", "wait", "item", "tolist", "cpu", "barrier", "query", "result"})
"""Calls that may wait until the GPU is done with all that was asked of it."""

MODULE_CHAINS = frozenset(
    [
        "to",
        "cuda",
        "cpu",
        "xpu",
        "npu",
        "hpu",
        "train",
        "eval",
        "half",
        "float",
        "double",
        "bfloat16",
        "requires_grad_",
        "apply",
    ]
)
"""Methods of `torch.nn.Module` that return the module itself."""

MOVERS: dict[str, tuple[str, ...]] = {
    "accelerate.utils.send_to_device": ("tensor", "device", "non_blocking"),
    "accelerate.utils.operations.send_to_device": ("tensor", "device", "non_blocking"),
    "ignite.utils.convert_tensor": ("x", "device", "non_blocking"),
    "ignite.engine._prepare_batch": ("batch", "device", "non_blocking"),
    "lightning.pytorch.utilities.move_data_to_device": ("batch", "device"),
    "lightning.fabric.utilities.move_data_to_device": ("batch", "device"),
    "pytorch_lightning.utilities.move_data_to_device": ("batch", "device"),
    "pytorch_lightning.utilities.apply_func.move_data_to_device": ("batch", "device"),
    "lightning.fabric.utilities.apply_func.move_data_to_device": ("batch", "device"),
    "lightning_fabric.utilities.move_data_to_device": ("batch", "device"),
    "transformers.trainer_utils.nested_to": ("tensors", "device"),
    "monai.engines.utils.default_prepare_batch": ("batchdata", "device", "non_blocking"),
    "torchtune.utils.batch_to_device": ("batch", "device"),
    "torchtune.training.batch_to_device": ("batch", "device"),
    "sentence_transformers.util.batch_to_device": ("batch", "target_device"),
    "fairseq.utils.move_to_cuda": ("sample", "device"),
    "allennlp.nn.util.move_to_device": ("obj", "device"),
}
"""Library functions that copy a whole batch: positions of the batch and of the device."""

DTYPES = frozenset(
    [
        "float",
        "double",
        "half",
        "bfloat16",
        "int",
        "long",
        "short",
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "dtype",
    ]
)

JOINING = frozenset({"stack", "cat", "concat", "concatenate", "vstack", "hstack"})
"""Functions that make one tensor of several, on the device that these are on."""

OF_TENSORS = frozenset(
    [
        *("float", "long", "double", "half", "to", "clone", "contiguous", "permute", "unsqueeze"),
        *("squeeze", "view", "reshape", "transpose", "flatten", "astype", "sum", "mean"),
    ]
)
"""Methods of tensors and arrays that give tensors or arrays of numbers."""

UNSTACKED = frozenset(
    {"load", "char", "asarray", "array", "device", "Generator", "get_worker_info"}
)
"""Callables of torch and NumPy whose results may be anything, texts among them."""

SHARING_VIEWS = frozenset(
    ["detach", "cpu", "view", "squeeze", "unsqueeze", "flatten", "permute", "transpose", "t"]
)
"""Methods of a CPU tensor that give the same memory: `flatten` of what lies in one piece."""

SHARING_ARRAYS = frozenset({"reshape", "ravel", "squeeze", "transpose", "swapaxes", "view"})
"""Methods of an array that give the same memory."""

LIGHT_METHODS = (
    SHARING_VIEWS
    | SHARING_ARRAYS
    | DTYPE_METHODS
    | {"astype", "clone", "contiguous", "copy", "item", "numpy", "tolist", "type"}
    | {"fill", "fill_", "size", "dim", "mean", "std", "abs", "clip", "clamp"}
)
"""Methods of a tensor or an array that take no time for one sample in memory."""

NO_BATCHES = frozenset(
    {"torch.nn.Module", "torch.nn.modules.module.Module", "torch.optim.Optimizer"}
    | {"torch.nn.Parameter", "torch.nn.parameter.Parameter"}
)
"""Classes with `to` or `cuda` whose objects no loader gives."""

_ONLY_OF_TENSORS = (
    "float double half long int bool view reshape size dim unsqueeze squeeze permute transpose "
    "flatten numel mean sum detach clone numpy contiguous argmax new_zeros"
)
ONLY_OF_TENSORS = frozenset(_ONLY_OF_TENSORS.split())
"""Methods that tensors have, and lists have not."""


NOT_OF_ARRAYS = frozenset(
    ["float", "double", "half", "long", "int", "bool", "unsqueeze", "permute", "contiguous"]
)
"""Methods that tensors have, and neither arrays, nor dicts, nor numbers."""


def is_loss(path: str) -> bool:
    """Whether a function of torch, or an object of a class of torch, takes tensors to a loss."""
    name = path.rpartition(".")[2]
    by_function = path.startswith("torch.nn.functional.") and (
        name.endswith("_loss") or name.startswith(("cross_entropy", "binary_cross_entropy"))
    )
    return by_function or (path.startswith("torch.nn.") and name.endswith("Loss"))


def makes_tensors(path: str) -> bool:
    """Whether a function may make a tensor, or an array, of those that it is given.

    Data sets and samplers keep them.
    """
    keeps = path.startswith("torch.utils.data.") and path.rpartition(".")[2][:1].isupper()
    return path.startswith(("torch.", "numpy.")) and not keeps
