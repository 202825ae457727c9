"""What code uses that only some versions of torch have, as its text shows it."""

from __future__ import annotations

from dlint.library_facts.torch_versions import Version

SINCE: dict[str, Version] = {
    r"torch\.cuda\.amp": (1, 6),
    r"\bpersistent_workers\b|\bprefetch_factor\b": (1, 7),
    r"torch\.inference_mode": (1, 9),
    r"torch\.amp\.autocast|torch\.autocast": (1, 10),
    r"torch\.backends\.mps": (1, 12),
    r"torch\.set_float32_matmul_precision": (1, 12),
    r"torch\.compile\(|scaled_dot_product_attention|torch\.nn\.attention": (2, 0),
    r"torchvision\.transforms(?:\.v2\b| import v2\b)": (2, 0),
    r"torch\.amp\.GradScaler": (2, 3),
    r"torch\.accelerator\.": (2, 6),
}
"""The first version in which it works; a module that asks which torch it runs on shows nothing."""

ASKING = (
    r"torch\.__version__|torch\.version\b|hasattr\(\s*torch|TORCH_VERSION|except (?:Import|Type)"
)
"""How a module provides for several versions."""

OLD_WORDS = (".data[0]", "volatile", "xrange", "raw_input", ".iteritems()", ".has_key(")
"""What the text of a module must hold for code of old versions."""

NUMBER_BY_INDEX: Version = (0, 3)
"""The newest torch for which people wrote `loss.data[0]` or `Variable(x, volatile=True)`."""

PYTHON_2: Version = (1, 4)
"""The newest torch for Python 2."""

PYTHON_2_NAMES = frozenset({"xrange", "raw_input"})
PYTHON_2_METHODS = frozenset({"iteritems", "has_key"})
