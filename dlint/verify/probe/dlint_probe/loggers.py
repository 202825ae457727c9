"""Event files of TensorBoard go where the run throws them away."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def redirect(module: ModuleType, folder: str) -> None:
    """Make every `SummaryWriter` of the module write into `folder`."""
    writer: Any = getattr(module, "SummaryWriter", None)
    if writer is None:
        return
    original = writer.__init__

    def init(self: Any, log_dir: Any = None, *args: Any, **named: Any) -> None:
        named.pop("logdir", None)
        original(self, folder, *args, **named)

    writer.__init__ = init
