"""How processes of torch share the memory of tensors (torch 2.13.0, `torch/multiprocessing`)."""

from __future__ import annotations

FILE_DESCRIPTOR, FILE_SYSTEM = "file_descriptor", "file_system"

STRATEGIES = (FILE_DESCRIPTOR, FILE_SYSTEM)
"""What torch knows; macOS and Windows have `file_system` only."""

SETTERS = frozenset(
    {
        "torch.multiprocessing.set_sharing_strategy",
        "torch.multiprocessing.reductions.set_sharing_strategy",
    }
)
"""Calls that choose one for the process that makes them."""

WITHOUT_DESCRIPTORS = {
    "darwin": "macOS",
    "Darwin": "macOS",
    "win32": "Windows",
    "Windows": "Windows",
    "nt": "Windows",
}
"""Platforms that have `file_system` only, by what `sys.platform` and the like say there."""
