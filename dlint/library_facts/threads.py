"""Libraries that start threads of their own in the process that uses them.

OpenCV 4: common functions that share their work among threads, how many of them
`cv2.setNumThreads` says; builds differ in which do. Tokenizers 0.21: calls that encode
(bindings/python/src/lib.rs), and the transformers classes that are made of them.
"""

from __future__ import annotations

OPENCV_PARALLEL = frozenset(
    f"cv2.{name}"
    for name in (
        *("resize", "warpAffine", "warpPerspective", "remap", "cvtColor", "GaussianBlur", "blur"),
        *("medianBlur", "bilateralFilter", "filter2D", "dilate", "erode", "undistort", "Canny"),
        *(
            "equalizeHist",
            "LUT",
            "morphologyEx",
            "fastNlMeansDenoising",
            "calcOpticalFlowFarneback",
        ),
    )
)
"""Functions that share their work among threads."""

OPENCV_LIMITS = frozenset({"cv2.setNumThreads"})
"""Calls that say how many threads there are."""

TOKENIZERS = frozenset(
    {
        "transformers.AutoTokenizer.from_pretrained",
        "transformers.PreTrainedTokenizerFast",
        "transformers.PreTrainedTokenizerFast.from_pretrained",
        "tokenizers.Tokenizer.from_file",
        "tokenizers.Tokenizer.from_pretrained",
    }
)
"""Makers of fast tokenizers, as `use_fast` is by default."""

ENCODING = frozenset(
    {"__call__", "encode", "encode_plus", "batch_encode_plus", "encode_batch", "tokenize"}
)
"""Methods of a tokenizer that encode."""

PARALLELISM = "TOKENIZERS_PARALLELISM"
"""The variable that says whether tokenizers use threads: set, nothing is warned of."""


def makes_fast_tokenizer(path: str) -> bool:
    """Whether a callable makes a tokenizer of the library `tokenizers`."""
    owner, _, name = path.rpartition(".")
    fast = path.startswith("transformers.") and owner.endswith("TokenizerFast")
    return path in TOKENIZERS or (fast and name == "from_pretrained")
