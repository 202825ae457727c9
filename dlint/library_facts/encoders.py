"""Text encoders of `sentence-transformers`, and where they compute (SentenceTransformer.py, 5.x).

`SentenceTransformer.__init__` takes CUDA where it is given no device and there is one
(`get_device_name`); `encode` takes the device of the model, and copies its results to the CPU only
for NumPy: with `convert_to_tensor` it stacks them where they are.
"""

from __future__ import annotations

ENCODERS = frozenset(
    {
        "sentence_transformers.SentenceTransformer",
        "sentence_transformers.SentenceTransformer.SentenceTransformer",
    }
)
"""Classes of encoders."""

DEVICE = 2
"""The position of `device` in their constructors."""

ENCODING = frozenset({"encode"})
"""Methods that compute on the device of the encoder, unless they are given another one."""

TO_TENSOR = "convert_to_tensor"
"""The keyword by which they give tensors on that device."""
