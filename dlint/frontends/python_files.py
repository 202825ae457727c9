"""Python files that serve as configs, each by the dialect that its text speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.frontends import lazy_configs, mmcv, mmengine
from dlint.workspace import scan

if TYPE_CHECKING:
    from dlint.frontends.dicts import Load
    from dlint.ir.module import ModuleIndex


def add_loaders(index: ModuleIndex, text: bytes, load: Load) -> None:
    """Add the calls of DataLoader that a module stands for."""
    if scan.sets_runner_loaders(text):
        mmengine.add_loaders(index, load)
    if scan.sets_data_loaders(text):
        mmcv.add_loaders(index, load)
    if scan.sets_lazy_loaders(text):
        lazy_configs.add_loaders(index)
