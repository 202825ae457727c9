"""What code uses that only some versions of torch have, as its text shows it."""

from __future__ import annotations

from dlint.library_facts.torch_versions import Version

SINCE: dict[str, Version] = {
    "torch.cuda.amp": (1, 6),
    "persistent_workers": (1, 7),
    "prefetch_factor": (1, 7),
    "torch.inference_mode": (1, 9),
    "torch.amp.autocast": (1, 10),
    "torch.autocast": (1, 10),
    "torch.backends.mps": (1, 12),
    "torch.set_float32_matmul_precision": (1, 12),
    "torch.compile(": (2, 0),
    "scaled_dot_product_attention": (2, 0),
    "torch.nn.attention": (2, 0),
    "torchvision.transforms.v2": (2, 0),
    "torchvision.transforms import v2": (2, 0),
    "torch.amp.GradScaler": (2, 3),
    "torch.accelerator.": (2, 6),
}
"""Words of a text, and the first version in which they work; a module that asks which torch it runs
on shows nothing."""

ASKING = (
    "torch.__version__",
    "torch.version.",
    "hasattr(torch",
    "TORCH_VERSION",
    "except Import",
    "except (Import",
    "except Type",
    "except (Type",
)
"""How a module provides for several versions."""

WORDS_OF_FFT = ("fft", "ifft", "rfft", "irfft")
OF_FFT = frozenset(f"torch.{word}" for word in WORDS_OF_FFT)
"""Functions that torch 1.8 took away for the module `torch.fft` (pytorch#48594)."""

WITH_FFT: Version = (1, 7)
"""The newest torch with these functions."""

OLD_WORDS = (
    *(f"{word}(" for word in WORDS_OF_FFT),
    ".data[0]",
    ".numpy()[0]",
    "volatile",
    "xrange",
    "raw_input",
    ".iteritems()",
    ".has_key(",
    ".next()",
    "].view(",
)
"""What the text of a module must hold for code of old versions."""

NUMBER_BY_INDEX: Version = (0, 3)
"""The newest torch for which people wrote `loss.data[0]`, `loss.data.numpy()[0]` or
`Variable(x, volatile=True)`."""

WITH_TURNED_VIEWS: Version = (1, 6)
"""The newest torch that gives a flat view of rows of a comparison whose sides were turned."""

PYTHON_2: Version = (1, 4)
"""The newest torch for Python 2."""

PYTHON_2_NAMES = frozenset({"xrange", "raw_input"})
PYTHON_2_METHODS = frozenset({"iteritems", "has_key"})
PYTHON_2_MODULES = (
    *("cPickle", "cStringIO", "StringIO", "Queue", "ConfigParser", "urllib2", "urlparse"),
    *("HTMLParser", "Tkinter", "SocketServer", "copy_reg", "__builtin__"),
)

WITH_FFI: Version = (0, 4)
"""The newest torch with `torch.utils.ffi` and `torch.legacy`."""

COMPILED_BY_PYTHON_2 = 50_000
"""What the first two bytes of a compiled module are above, if Python 2 has compiled it: those of
Python 3 are between 3000 and 4000 (`Lib/importlib/_bootstrap_external.py`)."""
