"""torch: what makes a tensor that requires grad, and what hands that on (torch 2.13)."""

from __future__ import annotations

from dlint.library_facts.tensors import CREATORS, JOINERS

_ROWS = ("tensor", "asarray", "linspace", "logspace", "arange", "eye")

MAKERS = frozenset(f"torch.{name}" for name in (*CREATORS, *_ROWS)) | {
    "torch.autograd.Variable",
    "torch.autograd.variable.Variable",
    "torch.nn.Parameter",
    "torch.nn.parameter.Parameter",
}
"""Functions whose result is a leaf; `requires_grad=True` makes it require grad."""

PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
"""Those whose result requires grad unless they are told otherwise."""

_NUMERIC = (
    "sin cos tan exp log log1p sqrt rsqrt abs pow tanh sigmoid relu softmax log_softmax clamp clip "
    "square sum mean norm cumsum matmul mm bmm dot add sub mul div neg lerp"
)
_VIEWS = (
    "view reshape permute transpose t squeeze unsqueeze flatten unflatten expand repeat narrow "
    "select flip roll movedim moveaxis swapaxes"
)
_COPIES = "clone contiguous cpu cuda float double half bfloat16 type_as share_memory_ pin_memory"

KEEPING_METHODS = frozenset(f"{_NUMERIC} {_VIEWS} {_COPIES}".split())
"""Methods whose result requires grad if their object does."""

_ACTIVATIONS = (
    "relu leaky_relu gelu elu silu softplus sigmoid tanh softmax log_softmax logsigmoid normalize "
    "interpolate pad"
)

KEEPING_FUNCTIONS = frozenset(
    {
        *(f"torch.{name}" for name in f"{_NUMERIC} {_VIEWS} clone".split()),
        *(f"torch.nn.functional.{name}" for name in _ACTIVATIONS.split()),
    }
)
"""Functions whose result requires grad if their first argument does."""

JOINING = JOINERS
"""Functions whose result requires grad if a tensor of their list does."""

CUTTING = frozenset(
    {
        *("detach", "detach_", "item", "tolist", "numpy", "argmax", "argmin", "argsort"),
        *("bincount", "no_grad", "inference_mode", "set_grad_enabled"),
        *("decode", "generate", "sample"),
    }
)
"""Methods and functions whose result has no graph, and what switches graphs off."""

WITHOUT_GRAPH = frozenset({"data", "grad", "shape", "dtype", "device", "ndim"})
"""Attributes of a tensor that have no graph."""

SWITCHING = frozenset({"set_grad_enabled"})
"""Functions that switch gradients off and on for all that comes."""

_LAYERS = (
    "Linear Bilinear LazyLinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d "
    "ConvTranspose3d Embedding LayerNorm GroupNorm BatchNorm1d BatchNorm2d BatchNorm3d"
)
LAYERS = frozenset(f"torch.nn.{name}" for name in _LAYERS.split())
"""Layers with weights: their one result requires grad, unless the weights are frozen."""

CONTAINERS = frozenset({"torch.nn.Sequential"})
"""Modules that apply what they are given."""

NETWORK = "torch.nn.Module"
"""What networks derive from."""

MODELS = "torchvision.models."
"""Functions of this module make whole networks that give one tensor for a tensor."""

_NOT_MODELS = ("_Weights", "detection", "segmentation", "inception", "googlenet", "video")


def makes_network(path: str) -> bool:
    """Whether a call makes a module with weights that gives one tensor for a tensor."""
    if path in LAYERS:
        return True
    return path.startswith(MODELS) and not any(word in path for word in _NOT_MODELS)
