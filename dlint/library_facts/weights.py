"""How weights of samplers are made: what counts classes, and what keeps an entry for each."""

from __future__ import annotations

COUNTING = frozenset(
    {"bincount", "compute_class_weight", "Counter", "value_counts", "groupby", "set", "unique"}
    | {"histc"}
)
"""Calls that give one entry for each class of the labels they are given (NumPy, torch, pandas,
scikit-learn)."""

CONVERTING = frozenset(
    {"tensor", "as_tensor", "FloatTensor", "DoubleTensor", "Tensor", "from_numpy", "array"}
    | {"asarray", "float", "double", "half", "cpu", "cuda", "to", "numpy", "tolist", "list"}
    | {"tuple", "astype", "type", "to_list", "to_numpy", "detach", "clone", "copy", "contiguous"}
    | {"long", "int", "flatten", "ravel", "squeeze"}
)
"""Calls that keep the entries of what they are given, or are called on, in order."""

ELEMENTWISE = frozenset(
    {"reciprocal", "sqrt", "rsqrt", "pow", "power", "div", "divide", "true_divide", "mul"}
    | {"multiply", "log", "log1p", "exp", "abs", "clip", "clamp", "softmax", "maximum"}
    | {"add", "sub", "subtract", "nan_to_num", "normalize", "round", "clamp_min", "clamp_max"}
    | {"minimum", "fmax", "fmin", "square", "exp2", "expm1", "log2", "log10", "tanh", "sigmoid"}
    | {"log_softmax", "relu", "fillna", "masked_fill", "pow_", "div_", "mul_", "add_", "sub_"}
    | {"clamp_", "clip_", "clamp_min_", "clamp_max_", "reciprocal_", "sqrt_", "rsqrt_", "exp_"}
)
"""Calls that compute each entry of their result from one of what they are given."""

REORDERING = frozenset({"sorted", "reversed", "sort_index", "sort_values", "flip"})
VIEWS = frozenset({"values", "items", "keys", "enumerate", "most_common", "size", "count", "tqdm"})
"""Calls that go over the entries of what they are given."""

LOOKING_UP = {"gather": 1, "index_select": 1, "take": 1}
"""Calls that look a weight up for each index: where a method takes the indices, by position."""

ALIKE = frozenset(
    {"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like"}
)
"""Calls that make an array of the size they are given first."""

PER_SAMPLE = frozenset({"targets", "labels", "samples", "imgs", "data", "tensors"})
"""Attributes of library data sets (torchvision, `TensorDataset`) with an entry for each sample."""
